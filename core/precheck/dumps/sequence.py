"""How the calls of one cell pair up: counts, orders, fused operators, and whether both sides are one."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind, dtype_named
from core.match.fusion import find_fused
from core.match.pairing import Pairs
from core.precheck.dumps.facts import CallCounts, Fused, Sameness
from core.records.columns import Int32
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import OperatorKind
from core.records.result import CellResult, Evidence, Reason, Verdict

_EXAMPLES = 5
_MOST_GAPS = 300
"""Stretches without a partner that are looked through for fused operators."""
_MOST_FUSED = 16
"""Calls of the side with fewer ones in such a stretch; what is longer is another model."""
_MOST_SMALL = 256


def call_pairs(cell: CellResult) -> Pairs:
    """Return the calls of *cell*, a row a pair or a call of one side, in the order of its rows."""
    rows = cell.rows
    owner = np.stack([rows.target_operator, rows.golden_operator])
    new = np.r_[True, (owner[:, 1:] != owner[:, :-1]).any(axis=0)][: len(rows)]
    return Pairs(rows.target_operator[new], rows.golden_operator[new])


def fused_calls(cell: CellResult, calls: Pairs) -> tuple[Fused, ...]:
    """Return where one side runs one operator and the other one others, of the first such stretches."""
    regions = find_fused(cell.target, cell.golden, _short_gaps(calls))
    return tuple(
        Fused(
            tuple(cell.target.operator_name(row) for row in region.target),
            tuple(cell.golden.operator_name(row) for row in region.golden),
        )
        for region in regions
    )


def _short_gaps(calls: Pairs) -> Pairs:
    """Return *calls* without the stretches of unmatched ones that no fused operator explains."""
    alone = (calls.target < 0) | (calls.golden < 0)
    edges = np.diff(np.concatenate([[0], alone.astype(np.int8), [0]]))
    kept, taken = ~alone, 0
    for start, stop in zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist()):
        sizes = sorted(int((side[start:stop] >= 0).sum()) for side in (calls.target, calls.golden))
        # Forward and backward of a region may follow each other.
        if 0 < sizes[0] <= _MOST_FUSED and sizes[1] <= _MOST_SMALL and taken < _MOST_GAPS:
            kept[start:stop] = True
            taken += 1
    return Pairs(calls.target[kept], calls.golden[kept])


def sequence_of(cell: CellResult, calls: Pairs, fused: tuple[Fused, ...]) -> CallCounts:
    """Return how the *calls* of *cell* pair up."""
    both = (calls.target >= 0) & (calls.golden >= 0)
    unmatched = (calls.target[calls.golden < 0], calls.golden[calls.target < 0])
    alone = (
        unmatched[0][_has_kind(cell.golden, cell.target, unmatched[0])],
        unmatched[1][_has_kind(cell.target, cell.golden, unmatched[1])],
    )
    names = [
        [dump.operator_name(row) for row in rows.tolist()]
        for dump, rows in zip((cell.target, cell.golden), alone)
    ]
    explained = {name for region in fused for name in region.target}
    explained_golden = {name for region in fused for name in region.golden}
    inside = sum(name in explained for name in names[0]) + sum(name in explained_golden for name in names[1])
    # Gradients of parameters come when they are ready.
    ordered = both & (np.append(cell.target.operators.kind, 0)[calls.target] != OperatorKind.PARAMETERS_GRAD)
    return CallCounts(
        int(both.sum()),
        len(names[0]),
        len(names[1]),
        _out_of_order(calls.golden[ordered].tolist()),
        tuple([name for name in names[0] if name not in explained][:_EXAMPLES]),
        tuple([name for name in names[1] if name not in explained_golden][:_EXAMPLES]),
        inside,
        sum(map(len, unmatched)) - sum(map(len, alone)),
    )


def _has_kind(other: Dump, dump: Dump, rows: Int32) -> NDArray[np.bool_]:
    """Return whether *other* has calls of the kind and direction of each of the *rows* of *dump* at all."""
    kinds = [side.operators.kind.astype(np.int64) * 256 + side.operators.direction for side in (dump, other)]
    return np.isin(kinds[0][rows], kinds[1])


def _out_of_order(places: list[int]) -> int:
    """Return how many of *places* do not belong to the longest growing subsequence."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(places) - len(ends)


def sameness_of(cell: CellResult, same_files: bool) -> Sameness:
    """Return how much of what the operators of *cell* give out is the same on both sides."""
    rows = cell.rows
    made = (
        _made(cell.target)[rows.target_slot]
        & _made(cell.golden)[rows.golden_slot]
        & (rows.verdict != Verdict.NOT_COMPARED)
    )
    equal = made & (rows.verdict == Verdict.EQUAL)
    proven = np.isin(rows.evidence, (Evidence.FULL, Evidence.CHECKSUM))
    identical = equal & proven & (rows.reason == Reason.IDENTICAL)
    return Sameness(same_files, int(made.sum()), int(identical.sum()), int(equal.sum()))


def _made(dump: Dump) -> NDArray[np.bool_]:
    """Return which slots hold floating results of operators, with False for no slot behind."""
    slots = dump.slots
    floating = np.zeros(len(dump.strings) + 1, bool)
    for name in np.unique(slots.dtype[slots.dtype >= 0]).tolist():
        dtype = dtype_named(dump.strings[name])
        floating[name] = dtype is not None and dtype.kind is Kind.FLOAT
    made = np.isin(slots.group, (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE))
    made &= (slots.kind == SlotKind.TENSOR) & floating[slots.dtype]
    return np.append(made, False)
