"""Causes that are not arithmetic: other arguments, weights, data, formats; the same data on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from core.compare.leaves import first_rows
from core.diagnosis.accused import Accusation, Case, in_words, measured
from core.diagnosis.telling import decisions, first_near_tie, first_unmeasured
from core.diagnosis.tuning import SUDDEN, UNRECORDED
from core.records.diagnosis import Kind, Proof, Severity
from core.records.result import Evidence, Reason, Verdict

_EXAMPLES = 3


def arguments(case: Case, wrong: int) -> Iterator[Accusation]:
    """Accuse calls whose arguments differ though what goes in does not.

    One that makes no difference is remarked on; but where only statistics say so and a later call *wrong*
    seems to err, they may have failed to show it.
    """
    calls, rows = case.calls, case.calls.rows
    so_far = np.maximum(case.context.before, case.context.floor)
    noisy = case.context.error <= SUDDEN * so_far
    wanted = calls.matched & calls.arguments_bad & (~case.context.dirty | noisy)
    for call in np.flatnonzero(wanted).tolist():
        own = calls.rows_of(call)
        for row in own[rows.goes_in[own] & ~rows.tensor[own] & rows.differs[own]].tolist():
            # A number computed from the data carries their noise.
            if case.context.dirty[call] and 0 < rows.error[row] <= SUDDEN * so_far[call]:
                continue
            harmless = calls.outputs_known[call] and not calls.outputs_bad[call]
            harmless = harmless and (bool(calls.full[call]) or call > wrong or wrong == len(calls))
            values = _values(case, row)
            yield case.accuse(
                call,
                Kind.ARGUMENT,
                Proof.COMPARISON,
                "argument_harmless" if harmless else "argument",
                row,
                {
                    "target_value": values[0],
                    "golden_value": values[1],
                    **measured(output_error=calls.output_error[call]),
                },
                Severity.REMARK if harmless else Severity.ERROR,
                target_value=values[0],
                golden_value=values[1],
            )


def outside_values(case: Case, before: int) -> Iterator[Accusation]:
    """Accuse weights and data that differ at their first use, in calls up to number *before*.

    Later ones, and those that differ no more than what was there before could make of them through calls
    that were not dumped, follow from something else.
    """
    rows, leaves, context = case.calls.rows, case.leaves, case.context
    sure = (rows.call <= first_near_tie(case)) | leaves.is_parameter
    own = sure & leaves.is_leaf & rows.differs & (rows.call <= before) & ~context.optimizer[rows.call]
    # Whole numbers, and floats whose bytes differ though their statistics do not, have no error to compare.
    unmeasured = (rows.error == 0) & (context.exact[rows.call] | decisions(case.cell))
    differing = np.flatnonzero(own & (unmeasured | (rows.error > UNRECORDED * context.before[rows.call])))
    told_until = first_unmeasured(case)
    rounded: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], int] = {}
    for row in first_rows(case.cell, differing).tolist():
        call, code = int(rows.call[row]), leaves.origin_of(row)
        # What a difference of unknown size has made of a value cannot be told from another value.
        if call > told_until and code != "weights":
            continue
        grid = leaves.rounded_to(row)
        if grid:
            rounded[code, grid] += 1
            example.setdefault((code, grid), row)
            continue
        kind = _kind_of(code)
        if shapes := case.unlike_shapes(row):
            yield case.accuse(
                call,
                kind,
                Proof.COMPARISON,
                f"{code}_shape",
                row,
                {},
                target_shape=shapes[0],
                golden_shape=shapes[1],
            )
            continue
        yield case.accuse(
            call,
            kind,
            Proof.COMPARISON,
            code + case.unmeasured(row),
            row,
            measured(input_error=case.error(row)),
            **in_words(error=case.error(row)),
        )
    for (code, grid), count in rounded.items():
        row = example[code, grid]
        yield case.accuse(
            int(rows.call[row]),
            _kind_of(code),
            Proof.COMPARISON,
            f"{code}_rounded",
            row,
            {"count": count},
            Severity.REMARK,
            count=count,
            dtype=grid,
        )


def _kind_of(code: str) -> Kind:
    return Kind.WEIGHTS if code == "weights" else Kind.DATA


def formats(case: Case) -> Iterator[Accusation]:
    """Remark once on each pair of formats that the sides differ in."""
    cell, rows = case.cell, case.cell.rows
    tensor = case.calls.rows.tensor & (rows.target_slot >= 0) & (rows.golden_slot >= 0)
    pairs: dict[tuple[str, str], list[int]] = {}
    left = cell.target.slots.dtype[rows.target_slot[tensor]]
    right = cell.golden.slots.dtype[rows.golden_slot[tensor]]
    where = np.flatnonzero(tensor)
    combined = left.astype(np.int64) * (len(cell.golden.strings) + 1) + right
    _, first, count = np.unique(combined, return_index=True, return_counts=True)
    for position, times in zip(first.tolist(), count.tolist()):
        names = cell.target.strings[int(left[position])], cell.golden.strings[int(right[position])]
        if names[0] != names[1] and all(names):
            pairs[names] = [int(where[position]), times]
    for (target, golden), (row, times) in sorted(pairs.items(), key=lambda item: item[1][0]):
        yield case.accuse(
            int(case.calls.rows.call[row]),
            Kind.DTYPE,
            Proof.COMPARISON,
            "dtype",
            row,
            {"dtype_target": target, "dtype_golden": golden, "count": times},
            Severity.REMARK,
            target_value=target,
            golden_value=golden,
            count=times,
        )


def same_data(case: Case) -> Iterator[Accusation]:
    """Remark when both sides hold the same data to the bit: perhaps the same run, opened twice."""
    rows = case.cell.rows
    compared = case.calls.rows.tensor & (rows.verdict != Verdict.NOT_COMPARED)
    identical = np.isin(rows.reason, (Reason.IDENTICAL, Reason.RACY_CHECKSUM, Reason.BOTH_NONE))
    proven = np.isin(rows.evidence, (Evidence.FULL, Evidence.CHECKSUM))
    if compared.any() and (identical & proven)[compared].all() and case.calls.matched.all():
        row = int(np.flatnonzero(compared)[0])
        count = int(compared.sum())
        yield case.accuse(
            int(case.calls.rows.call[row]), Kind.DATA, Proof.COMPARISON, "same_data", row, {"count": count},
            Severity.REMARK, count=count,
        )  # fmt: skip


def _values(case: Case, row: int) -> tuple[str, str]:
    """Return the values of an argument row on both sides, as the dumps spell them."""
    made = []
    for dump, slot in (
        (case.cell.target, int(case.cell.rows.target_slot[row])),
        (case.cell.golden, int(case.cell.rows.golden_slot[row])),
    ):
        value = dump.strings[int(dump.slots.value[slot])]
        made.append(value or dump.strings[int(dump.slots.type[slot])] or "None")
    return made[0], made[1]
