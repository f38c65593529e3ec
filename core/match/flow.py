"""Where the values that go into a call come from, recovered from the records.

A dump does not say which output became which input. But a value leaves traces: number of elements,
extremes and norm, or, where those are not known, its checksum. An input whose traces equal those of an
earlier output is taken for it; views and reshapes, which dumpers leave out, change none of these but the
checksum, and the norm by the order of its sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.match.hashing import combine
from core.records.columns import Float64, Int32
from core.records.dump import Dump, Known, SlotGroup, SlotKind
from core.records.flow import Flow

_NEEDED = Known.MAX | Known.MIN
_NORM_BITS = 14
"""Significant bits of a norm that do not hang on the order in which it was summed up."""
_MADE = (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD)


def data_flow(dump: Dump) -> Flow:
    """Return where the values of all slots of *dump* come from and go to; parameters come from outside."""
    source = earlier_outputs(dump, np.ones(len(dump.slots), bool))
    source[dump.slots.group == SlotGroup.PARAMETER] = -1
    takers = np.flatnonzero(source >= 0).astype(np.int32)
    takers = takers[np.argsort(source[takers], kind="stable")]
    counts = np.bincount(source[takers], minlength=len(source))
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return Flow(source, first, takers)


def producers(dump: Dump) -> Int32:
    """Return for each slot the row of the slot that its value was taken from, -1 where none was dumped.

    That is the latest output with the same traces of an operator before it in the dump.
    """
    return _latest_before(dump, np.ones(len(dump.slots), bool), dump.slots.group <= SlotGroup.KEYWORD)


def earlier_outputs(dump: Dump, among: NDArray[np.bool_]) -> Int32:
    """Return for each slot, outputs too, the latest output with the same traces of an operator before it.

    A module gives out what a call inside of it made. Only slots that are *among* these are looked at.
    """
    return _latest_before(dump, among, np.ones(len(dump.slots), bool))


def _latest_before(dump: Dump, among: NDArray[np.bool_], asked: NDArray[np.bool_]) -> Int32:
    slots = dump.slots
    found = np.full(len(slots), -1, np.int32)
    tensor = (slots.kind == SlotKind.TENSOR) & among
    known = tensor & (((slots.known & _NEEDED) == _NEEDED) | (slots.checksum >= 0))
    made = np.flatnonzero(known & np.isin(slots.group, _MADE))
    taken = np.flatnonzero(known & asked)
    if not len(made) or not len(taken):
        return found
    both = np.concatenate([made, taken])
    value = _value_ids(dump, both)
    # Sorted by value, then by operator, then outputs after the inputs of the same operator.
    span = 2 * (len(dump.operators) + 1)
    place = value * span + 2 * slots.operator[both].astype(np.int64)
    place[: len(made)] += 1
    order = np.argsort(place[: len(made)], kind="stable")
    outputs = place[: len(made)][order]
    before = np.searchsorted(outputs, place[len(made) :]) - 1
    candidate = outputs[np.maximum(before, 0)]
    same = (before >= 0) & (candidate // span == value[len(made) :])
    found[taken[same]] = made[order][before[same]]
    return found


def _value_ids(dump: Dump, slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each of *slots*, equal for those with the same traces."""
    table = dump.slots
    sizes = np.append(dump.shapes.sizes, -1)[table.shape[slots]]
    measured = (table.known[slots] & _NEEDED) == _NEEDED
    key = combine(sizes, np.where(measured, -1, table.checksum[slots]))
    for column in (
        table.max,
        table.min,
        table.norm,
    ):  # one after the other, as a column of a large dump is large
        values = _rounded(column[slots]) if column is table.norm else column[slots]
        key = combine(key.view(np.int64), np.where(measured, values.view(np.int64), 0))
    _, ids = np.unique(key, return_inverse=True)
    return ids


def _rounded(norms: Float64) -> Float64:
    mantissa, exponent = np.frexp(norms)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissa, _NORM_BITS)), exponent - _NORM_BITS))
