"""Calls that one side lacks: harmless when what follows agrees, a cause when it takes what they made."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.diagnosis.accused import Accusation, Case
from core.diagnosis.telling import first_near_tie, first_unmeasured
from core.diagnosis.tuning import AMPLIFICATION
from core.records.columns import Int32
from core.records.diagnosis import Kind, Proof, Severity
from core.records.dump import Dump, SlotGroup

_EXAMPLES = 3


def rewired(case: Case, before: int) -> Iterator[Accusation]:
    """Accuse where a value first differs that no matched call has made differ, in calls up to *before*.

    Such an input was made by a call of one side only, or the call takes another value than on the golden.
    """
    calls, rows, leaves = case.calls, case.calls.rows, case.leaves
    before = min(before, first_near_tie(case), first_unmeasured(case))
    candidates = np.flatnonzero(
        rows.goes_in & rows.tensor & rows.differs & ~leaves.is_leaf & (rows.call <= before)
    )
    candidates = candidates[
        rows.error[candidates] > AMPLIFICATION * case.context.before[rows.call[candidates]]
    ]
    if not len(candidates):
        return
    row = int(candidates[0])
    call = int(rows.call[row])
    makers = _makers(case, row)
    for maker in makers:
        if not calls.matched[maker]:
            names = case.names(maker)
            code = "extra_call" if names[0] else "missing_call"
            first = int(calls.first_row[maker])
            yield case.accuse(
                maker, Kind.STRUCTURE, Proof.COMPARISON, code, first, {}, follower=case.names(call)[0] or ""
            )
            return
    yield case.accuse(call, Kind.STRUCTURE, Proof.COMPARISON, "other_value", row, {})


def one_sided(case: Case) -> Iterator[Accusation]:
    """Remark on the calls of one side, once a side."""
    calls = case.calls
    for code, alone in (
        ("calls_target_only", (calls.target >= 0) & (calls.golden < 0)),
        ("calls_golden_only", (calls.golden >= 0) & (calls.target < 0)),
    ):
        found = np.flatnonzero(alone)
        if len(found):
            names = [case.names(call)[0] or case.names(call)[1] or "" for call in found[:_EXAMPLES].tolist()]
            more = " …" if len(found) > _EXAMPLES else ""
            yield case.accuse(
                int(found[0]),
                Kind.STRUCTURE,
                Proof.COMPARISON,
                code,
                int(calls.first_row[found[0]]),
                {"count": len(found)},
                Severity.REMARK,
                count=len(found),
                examples=", ".join(names) + more,
            )


def _makers(case: Case, row: int) -> list[int]:
    """Return the calls that made the values of *row* on either side; calls inside a module before it."""
    found = []
    for slot, dump, operators in (
        (int(case.leaves.producer_target[row]), case.cell.target, case.calls.target),
        (int(case.leaves.producer_golden[row]), case.cell.golden, case.calls.golden),
    ):
        if slot >= 0:
            for call in np.flatnonzero(operators == dump.slots.operator[slot])[:1].tolist():
                found += [*_made_inside(case, call, dump, operators, slot), call]
    return found


def _made_inside(case: Case, module: int, dump: Dump, operators: Int32, slot: int) -> list[int]:
    """Return the call of one side in the module call *module* whose output is the module's output *slot*."""
    if not case.context.rebuilt[module]:
        return []
    slots = dump.slots
    same = (slots.max == slots.max[slot]) & (slots.min == slots.min[slot]) & (slots.group == SlotGroup.OUTPUT)
    made = np.isin(operators, slots.operator[same])
    inside = np.flatnonzero((case.context.module == module) & ~case.calls.matched & (operators >= 0) & made)
    return [int(call) for call in inside[-1:]]
