"""Equality where the error itself is hidden: values in another order, found by what comes of them later."""

from __future__ import annotations

import numpy as np

from core.diagnosis.accused import Accusation, Case
from core.diagnosis.calls import Bool
from core.records.diagnosis import Kind, Proof
from core.records.result import Verdict


def accuse_first_difference(case: Case, later: int) -> Accusation | None:
    """Accuse the one call that makes unequal values of equal ones, if the call *later* does damage with them.

    Rows in another order leave extremes and, but for the order of its sum, the norm; the next call that
    mixes rows seems to be wrong. But up to this call the runs are equal to the bit, so they can be equal,
    and noise of another device would show in more than one call and in the extremes.
    """
    calls, context = case.calls, case.context
    if later >= len(calls):
        return None
    unequal = _unequal_outputs(case)
    born = np.flatnonzero(
        unequal & calls.inputs_equal & calls.matched & ~context.composite & ~context.derived
        & ~_after_unequal_forward(case, unequal)
    )  # fmt: skip
    if len(born) != 1:
        return None
    call = int(born[0])
    if call >= later or calls.full[call] or not context.exact[call] or not _same_extremes(case, call):
        return None
    row = case.worst_row(call, outputs=True)
    follower = case.names(later)[0] or case.names(later)[1] or ""
    return case.accuse(
        call, Kind.NUMERIC, Proof.EQUALITY, "other_order", row, {"follower": follower}, follower=follower
    )


def _unequal_outputs(case: Case) -> Bool:
    rows, facts = case.cell.rows, case.calls.rows
    found = np.zeros(len(case.calls), bool)
    unequal = facts.comes_out & facts.tensor & ~np.isin(rows.verdict, (Verdict.EQUAL, Verdict.NOT_COMPARED))
    found[facts.call[unequal]] = True
    return found


def _after_unequal_forward(case: Case, unequal: Bool) -> Bool:
    """Return the backward calls whose forward call had or made unequal values, which they work on."""
    forward = case.context.forward
    found = np.zeros(len(case.calls), bool)
    behind = np.flatnonzero(forward >= 0)
    ahead = forward[behind]
    found[behind] = unequal[ahead] | ~case.calls.inputs_equal[ahead]
    return found


def _same_extremes(case: Case, call: int) -> bool:
    """Whether every unequal output of *call* has the same maximum and minimum on both sides, to the bit."""
    rows, facts = case.cell.rows, case.calls.rows
    own = np.flatnonzero((facts.call == call) & facts.comes_out & facts.tensor)
    target, golden = case.cell.target.slots, case.cell.golden.slots
    left, right = rows.target_slot[own], rows.golden_slot[own]
    return all(
        np.array_equal(getattr(target, name)[left], getattr(golden, name)[right]) for name in ("max", "min")
    )
