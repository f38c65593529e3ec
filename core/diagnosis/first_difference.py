"""Equality where the error itself is hidden: values in another order, found by what comes of them later."""

from __future__ import annotations

import numpy as np

from core.diagnosis.accused import Accusation, Case
from core.diagnosis.calls import Bool, Rows
from core.records.diagnosis import Kind, Proof
from core.records.result import Verdict


def accuse_first_difference(case: Case, later: Accusation | None) -> Accusation | None:
    """Accuse what first makes the runs unequal, if *later* is a call that does damage with it.

    Rows in another order leave extremes and, but for the order of its sum, the norm; the next call that
    mixes rows seems to be wrong. But up to the first difference the runs are equal to the bit, so they can
    be, and noise of another device would show in more than one call and in the extremes.
    """
    if later is None or later.suspect.kind is Kind.OVERFLOW:
        return None
    # A call of one side only has no pair whose extremes could be the same.
    if case.calls.matched[later.call] and not _takes_same_extremes(case, later.call):
        return None
    calls, context = case.calls, case.context
    unequal = _unequal_outputs(case)
    born = np.flatnonzero(
        unequal & calls.inputs_equal & calls.matched & ~context.composite & ~context.derived
        & ~_after_unequal_forward(case, unequal)
    )  # fmt: skip
    call = int(np.flatnonzero(context.exact)[-1])
    while call < later.call and context.composite[call]:
        # What comes out of a module is made inside, which its record precedes.
        call += 1
    if call >= later.call or calls.full[call] or len(born) > 1:
        return None
    follower = case.names(later.call)[0] or case.names(later.call)[1] or ""
    if born.tolist() == [call] and _same_extremes(case, _rows_of(case, call, outputs=True)):
        return case.accuse(
            call, Kind.NUMERIC, Proof.EQUALITY, "other_order", case.worst_row(call, outputs=True),
            {"follower": follower}, follower=follower,
        )  # fmt: skip
    inputs = _rows_of(case, call, outputs=False)
    if not len(born) and len(inputs) and case.leaves.is_leaf[inputs].all() and _same_extremes(case, inputs):
        row = int(inputs[0])
        weight = case.leaves.is_weight(row)
        return case.accuse(
            call, Kind.WEIGHTS if weight else Kind.DATA, Proof.COMPARISON,
            "weights_order" if weight else "data_order", row, {"follower": follower}, follower=follower,
        )  # fmt: skip
    return None


def _rows_of(case: Case, call: int, *, outputs: bool) -> Rows:
    """Return the rows of tensors that go into *call*, or come out of it, and are not equal."""
    rows, facts = case.cell.rows, case.calls.rows
    unequal = ~np.isin(rows.verdict, (Verdict.EQUAL, Verdict.NOT_COMPARED))
    which = facts.comes_out if outputs else facts.goes_in
    return np.flatnonzero((facts.call == call) & which & facts.tensor & unequal)


def _takes_same_extremes(case: Case, call: int) -> bool:
    """Whether an unequal value that *call* works on has the same extremes on both sides."""
    taken = _rows_of(case, call, outputs=False)
    forward = int(case.context.forward[call])
    if forward >= 0:
        taken = np.r_[taken, _rows_of(case, forward, outputs=False), _rows_of(case, forward, outputs=True)]
    return any(_same_extremes(case, taken[index : index + 1]) for index in range(len(taken)))


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


def _same_extremes(case: Case, own: Rows) -> bool:
    """Whether the values of the rows *own* have the same maximum and minimum on both sides, to the bit."""
    rows, target, golden = case.cell.rows, case.cell.target.slots, case.cell.golden.slots
    left, right = rows.target_slot[own], rows.golden_slot[own]
    return all(
        np.array_equal(getattr(target, name)[left], getattr(golden, name)[right]) for name in ("max", "min")
    )
