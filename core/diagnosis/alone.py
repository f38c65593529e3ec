"""Values that were saved without anything that goes into them: which of them differs first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.diagnosis.accused import Accusation, Case, in_words, measured
from core.records.diagnosis import Kind, Proof, Severity
from core.records.dump import SlotGroup


def first_alone(case: Case, before: int) -> Iterator[Accusation]:
    """Tell the first value that differs though nothing that goes into its call was compared.

    Calls from number *before* on follow from another cause. Such a value may be where the difference begins
    or come long after it: saved values, and those of a dump of outputs alone, are remarked on. In a dump of
    inputs too a call that has none does begin it, if nothing else differs so far.
    """
    calls, context = case.calls, case.context
    judged = ~context.composite & ~context.derived & ~context.optimizer
    found = np.flatnonzero(context.blind & calls.outputs_bad & judged)
    if not len(found) or found[0] >= before:
        return
    call = int(found[0])
    row = case.worst_row(call, outputs=True)
    has_inputs = bool(calls.inputs_known.any()) and not _saved(case, row)
    wrong_before = calls.inputs_bad | calls.outputs_bad | calls.inputs_unknown | calls.outputs_unknown
    begins = has_inputs and not wrong_before[:call].any()
    yield case.accuse(
        call, Kind.NUMERIC, Proof.COMPARISON, "alone" + case.unmeasured(row), row,
        measured(output_error=case.error(row), allowed=case.cell.rows.allowed[row]),
        Severity.ERROR if begins else Severity.REMARK, **in_words(error=case.error(row)),
    )  # fmt: skip


def _saved(case: Case, row: int) -> bool:
    slot = int(case.cell.rows.target_slot[row])
    return bool(case.cell.target.slots.group[slot] == SlotGroup.VALUE)
