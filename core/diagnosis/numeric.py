"""Calls that make an error which their inputs do not explain."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.diagnosis.accused import Accusation, Case, in_words, measured
from core.diagnosis.calls import Bool
from core.diagnosis.telling import may_be_near_ties, telling_error
from core.diagnosis.tuning import AMPLIFICATION, ROUNDED_INPUT, STATISTICS_AMPLIFICATION, SUDDEN
from core.dtypes import DTYPES
from core.records.diagnosis import Kind, Proof


def grown(case: Case) -> Bool:
    """Return the calls whose outputs are worse than anything that went in explains.

    Either nothing that goes in differs, or, where everything differs a little, an output is worse than
    anything was before. What was not compared may explain all, so its calls are left alone.
    """
    calls, context = case.calls, case.context
    carried = np.maximum(context.error, np.where(calls.full, 0.0, context.floor))
    factor = np.where(calls.full, AMPLIFICATION, STATISTICS_AMPLIFICATION)
    clean = ~context.dirty & (calls.output_error > factor * carried)
    so_far = np.maximum(np.maximum(context.error, context.before), context.floor)
    telling = telling_error(case)
    sudden = (telling > SUDDEN * so_far) & np.isfinite(telling)
    judged = calls.matched & ~context.composite & ~context.derived & ~context.optimizer
    # A composite whose every call inside is clean and matched has something inside that was not dumped.
    hidden = calls.matched & context.composite & ~context.derived & ~context.rebuilt & ~context.dirty
    gaps = context.unknown | context.blind | may_be_near_ties(case)
    found: Bool = calls.outputs_bad & (sudden | clean) & (judged | hidden) & ~gaps
    for call in np.flatnonzero(found & ~calls.full).tolist():
        explained = ROUNDED_INPUT * _rounding_of_inputs(case, call)
        found[call] = not calls.output_error[call] <= explained
    return found


def _rounding_of_inputs(case: Case, call: int) -> float:
    """Return the unit roundoff of the format that a side's input of *call* was rounded to, 0 for none.

    Its extremes may be hit by less of the rounding than the elements that the call uses.
    """
    rows = case.calls.rows
    taken = np.flatnonzero((rows.call == call) & rows.goes_in & rows.tensor & (rows.error > 0))
    grids = [case.leaves.rounded_to(row) for row in taken.tolist()]
    return max((DTYPES[grid].unit_roundoff for grid in grids if grid), default=0.0)


def overflowed(case: Case) -> Bool:
    """Return the calls in which NaN or Inf is born on the target's side alone."""
    calls, context = case.calls, case.context
    found: Bool = (
        calls.matched & calls.outputs_special & ~context.special & ~context.derived & ~context.composite
        & ~context.unknown & ~context.blind
    )  # fmt: skip
    return found


def accuse_grown(case: Case, call: int) -> Accusation:
    """Write down a call found by :func:`grown`."""
    calls, context = case.calls, case.context
    row = case.worst_row(call, outputs=True)
    if shapes := case.unlike_shapes(row):
        return case.accuse(
            call, Kind.NUMERIC, Proof.GROWTH, "shape", row, {}, target_shape=shapes[0], golden_shape=shapes[1]
        )
    equal = bool(calls.inputs_equal[call]) and context.error[call] == 0
    evidence = measured(
        input_error=context.error[call],
        output_error=case.error(row),
        allowed=case.cell.rows.allowed[row],
    )
    return case.accuse(
        call,
        Kind.NUMERIC,
        Proof.EQUALITY if equal else Proof.GROWTH,
        ("equality" if equal else "growth") + case.unmeasured(row),
        row,
        evidence,
        **in_words(input_error=context.error[call]),
        **in_words(output_error=case.error(row)),
    )


def accuse_overflowed(case: Case) -> Iterator[Accusation]:
    """Write down the calls found by :func:`overflowed`; where only the golden is special, they saturate."""
    for call in np.flatnonzero(overflowed(case)).tolist():
        row = case.worst_row(call, outputs=True)
        on_target, on_golden = _special_counts(case, row)
        saturates = not on_target and bool(on_golden)
        evidence = measured(input_error=case.context.error[call])
        if on_target or on_golden:
            evidence["count"] = on_golden if saturates else on_target
        code = SATURATED if saturates else "overflow"
        yield case.accuse(call, Kind.OVERFLOW, Proof.GROWTH, code, row, evidence)


SATURATED = "saturated"
"""Code of a suspect that stands at the largest finite value where the golden overflows."""


def _special_counts(case: Case, row: int) -> tuple[int, int]:
    """Return how many elements are special on one side alone: the target's, the golden's; 0 if unknown."""
    table = case.cell.class_counts
    at = np.flatnonzero(table.row == row)
    if not len(at):
        return 0, 0
    counts = table.counts[at[0]]
    return int(counts[[4, 8, 12]].sum()), int(counts[[1, 2, 3]].sum())
