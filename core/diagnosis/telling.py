"""Outputs whose relative error says little: what they sum up has cancelled, or they decide."""

from __future__ import annotations

import numpy as np

from core.diagnosis.accused import Case
from core.diagnosis.calls import Bool
from core.dtypes import Kind, dtype_named
from core.records.columns import Float64
from core.records.dump import Dump, SlotKind
from core.records.result import CellResult, Evidence, Verdict

_BIAS_DIMENSIONS = 1


def telling_error(case: Case) -> Float64:
    """Return for each call the largest relative error of an output whose error can be held against others.

    The gradient of a bias is a sum over all positions. Before a normalization it is zero but for rounding,
    so its own size is no measure: it is that of one term, times the square root of their number.
    """
    calls, facts = case.calls, case.calls.rows
    error = facts.error.copy()
    rows = np.flatnonzero(facts.comes_out & facts.tensor & facts.differs & calls.backward[facts.call])
    largest_in, size_in = _largest_inputs(case)
    slots = case.cell.golden.slots
    shapes = case.cell.golden.shapes
    for row in rows.tolist():
        slot, call = int(case.cell.rows.golden_slot[row]), int(facts.call[row])
        shape = shapes[int(slots.shape[slot])]
        if shape is None or len(shape) != _BIAS_DIMENSIONS or not np.isfinite(error[row]):
            continue
        terms = size_in[call] / max(1, shape[0])
        scale = largest_in[call] * np.sqrt(max(terms, 1.0))
        own = max(abs(float(slots.max[slot])), abs(float(slots.min[slot])))
        if np.isfinite(own) and np.isfinite(scale) and scale > own:
            error[row] *= own / scale
    found = np.zeros(len(calls))
    outputs = facts.comes_out & facts.tensor
    np.maximum.at(found, facts.call[outputs], error[outputs])
    return found


def _largest_inputs(case: Case) -> tuple[Float64, Float64]:
    """Return for each call the largest magnitude and the largest size among its golden inputs."""
    facts, rows, slots = case.calls.rows, case.cell.rows, case.cell.golden.slots
    goes_in = np.flatnonzero(facts.goes_in & facts.tensor)
    at = rows.golden_slot[goes_in]
    size = np.append(case.cell.golden.shapes.sizes, 0)[slots.shape[at]]
    magnitude = np.nan_to_num(np.maximum(np.abs(slots.max[at]), np.abs(slots.min[at])), nan=0.0)
    largest, sizes = np.zeros(len(case.calls)), np.zeros(len(case.calls))
    np.maximum.at(largest, facts.call[goes_in], magnitude)
    np.maximum.at(sizes, facts.call[goes_in], size)
    return largest, sizes


def may_be_near_ties(case: Case) -> Bool:
    """Return the calls whose only bad outputs are decisions, though what goes in may differ a little.

    Indices and masks have no condition: the least difference of an input, also one that its statistics fail
    to show, may turn one over.
    """
    facts, rows = case.calls.rows, case.cell.rows
    exact = decisions(case.cell)
    bad = facts.comes_out & facts.tensor & facts.differs
    by_statistics = (rows.evidence == Evidence.STATISTICS) & exact
    unsure = facts.goes_in & facts.tensor & ((rows.verdict != Verdict.EQUAL) | by_statistics)
    found = np.zeros(len(case.calls), bool)
    found[facts.call[bad & exact]] = True
    found[facts.call[bad & ~exact]] = False
    may_differ = np.zeros(len(case.calls), bool)
    may_differ[facts.call[unsure]] = True
    return found & may_differ


def first_near_tie(case: Case) -> int:
    """Return the first call of :func:`may_be_near_ties`, the number of calls if there is none.

    What indexing makes of its decision is not dumped: rows go elsewhere, and no call has made them differ.
    """
    return int(np.flatnonzero(may_be_near_ties(case) & case.calls.matched).min(initial=len(case.calls)))


def first_unmeasured(case: Case) -> int:
    """Return the first call that makes a difference of no known size, or something that was not compared.

    The number of calls if there is none. Differences after it may be its consequence.
    """
    facts = case.calls.rows
    unknown = facts.unknown | (facts.differs & ~np.isfinite(facts.error))
    calls = facts.call[unknown & facts.comes_out & facts.tensor]
    return int(calls[~case.context.composite[calls]].min(initial=len(case.calls)))


def decisions(cell: CellResult) -> Bool:
    """Return which rows hold whole numbers or truth values."""
    found = np.zeros(len(cell.rows), bool)
    for dump, slot in ((cell.target, cell.rows.target_slot), (cell.golden, cell.rows.golden_slot)):
        found |= np.append(_exact(dump), False)[slot]
    return found


def _exact(dump: Dump) -> Bool:
    names = np.zeros(len(dump.strings) + 1, bool)
    for name in np.unique(dump.slots.dtype[dump.slots.dtype >= 0]).tolist():
        dtype = dtype_named(dump.strings[name])
        names[name] = dtype is not None and dtype.kind in (Kind.INTEGER, Kind.BOOL)
    found: Bool = names[dump.slots.dtype] & (dump.slots.kind == SlotKind.TENSOR)
    return found
