"""Forward calls that the target runs again for the backward pass, and that give something else then.

Where the golden keeps its activations, such a call has no partner to be compared with; but it has the first
run of the same call on the same device.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.diagnosis.accused import Accusation, Case, in_words, measured
from core.diagnosis.calls import Rows
from core.match.calls import make_calls, operator_stems
from core.match.recompute import find_repeats
from core.metrics.noise import NoiseTable
from core.metrics.statistics import judge_statistics, statistics_sides
from core.records.columns import Float64
from core.records.diagnosis import Kind, Proof
from core.records.dump import SlotGroup, SlotKind
from core.records.result import Verdict


def recomputed_otherwise(case: Case) -> Iterator[Accusation]:
    """Accuse calls of the target alone that repeat an earlier one on equal inputs with another output."""
    calls, dump = case.calls, case.cell.target
    alone = np.flatnonzero((calls.target >= 0) & (calls.golden < 0) & ~case.context.composite)
    if not len(alone) or not calls.backward.any():
        return
    stems = operator_stems(dump)
    repeats = find_repeats(dump, make_calls(dump, dump, (stems, stems), str)[0])
    for call in alone.tolist():
        operator = int(calls.target[call])
        original = int(repeats.original[operator])
        if original < 0:
            continue
        inputs = _errors(case, operator, original, outputs=False)
        outputs = _errors(case, operator, original, outputs=True)
        if inputs is None or outputs is None or inputs.any() or not outputs.any():
            continue
        worst = float(outputs.max())
        first = dump.operator_name(original)
        code = "recomputed" if np.isfinite(worst) else "recomputed_unmeasured"
        yield case.accuse(
            call, Kind.NUMERIC, Proof.EQUALITY, code, int(calls.first_row[call]),
            measured(output_error=worst), **in_words(output_error=worst), first_run=first,
        )  # fmt: skip


def _errors(case: Case, again: int, first: int, *, outputs: bool) -> Float64 | None:
    """Return the errors beyond noise between two calls of the target, ``None`` if they do not pair."""
    slots = case.cell.target.slots

    def tensors(operator: int) -> Rows:
        own = np.array(case.cell.target.slots_of(operator), np.int64)
        wanted = (slots.group[own] == SlotGroup.OUTPUT) == outputs
        found: Rows = own[wanted & (slots.kind[own] == SlotKind.TENSOR)]
        return found

    left, right = tensors(again), tensors(first)
    if len(left) != len(right):
        return None
    dump = case.cell.target
    judged = judge_statistics(*statistics_sides(dump, left, dump, right), NoiseTable.default())
    return np.where(judged.verdict == Verdict.DIFFERS, np.nan_to_num(judged.error, posinf=np.inf), 0.0)
