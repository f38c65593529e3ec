"""Some rows of calls that are too large, where a row of the output needs only one of the input.

Rows lie along one dimension of the output, never the last. Which operands have them depends on the operator
(:class:`core.emulation.operators.table.Rows`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from core.emulation.operators.table import Operator, Rows
from core.emulation.terms.computing import Array
from core.records.dump import Dump, SlotGroup, SlotKind

_WHOLE_TEMPORARIES = 2.5
"""Float64 arrays that a reference holds of an operand that is not cut: itself and its magnitudes."""
_FEWEST = 8
"""Rows below which a sample says nothing."""
_ENOUGH = 1 << 21
"""Elements of the output beyond which more rows tell no more."""

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Sample:
    """Rows of a call: along which dimension of the output, their numbers, and how many there are."""

    axis: int
    rows: Array
    total: int
    axes: Mapping[int, int]
    """The dimension along which each slot is cut; others are read whole."""

    def index(self, slot: int) -> Any:
        """Return the numpy index that reads the rows of *slot*."""
        return (*(slice(None),) * self.axes[slot], self.rows) if slot in self.axes else ()

    def whole_shape(self, shape: Shape) -> Shape:
        """Return the shape that an output has in the dump."""
        return (*shape[: self.axis], self.total, *shape[self.axis + 1 :])

    def whole_index(self, index: Shape) -> Shape:
        """Return where an element of a cut output stands in the dump."""
        return (*index[: self.axis], int(self.rows[index[self.axis]]), *index[self.axis + 1 :])


def sample_rows(
    dump: Dump, operator: Operator, row: int, outputs: Sequence[int], limit: int
) -> Sample | None:
    """Return as many rows of the forward call *row*, evenly spread, as fit into *limit* bytes.

    ``None`` if the operator has no such rows, or too few of them fit.
    """
    if operator.rows is None or not outputs:
        return None
    shapes = {slot: dump.shape(slot) or () for slot in dump.slots_of(row) if _is_tensor(dump, slot)}
    shape = shapes.get(outputs[0], ())
    if any(shapes[slot] != shape for slot in outputs if slot in shapes):
        return None
    axis = _longest(shape, _reduced(dump, operator, row, len(shape)))
    if axis is None:
        return None
    axes = _cut(dump, operator, shapes, shape, axis) | dict.fromkeys(outputs, axis)
    whole = sum(prod(size) for slot, size in shapes.items() if slot not in axes)
    each = sum(prod(size) // size[axes[slot]] for slot, size in shapes.items() if slot in axes)
    fitting = (limit - 8 * _WHOLE_TEMPORARIES * whole) / (8 * operator.temporaries * max(each, 1))
    count = int(min(fitting, max(_FEWEST, _ENOUGH * shape[axis] // prod(shape)), shape[axis]))
    if count < _FEWEST:
        return None
    rows = np.unique(np.linspace(0, shape[axis] - 1, count).astype(np.int64))
    return Sample(axis, rows, shape[axis], axes)


def _longest(shape: Shape, reduced: set[int]) -> int | None:
    """Return the longest dimension but the last and those that are *reduced*."""
    free = [axis for axis in range(len(shape) - 1) if axis not in reduced]
    return max(free, key=lambda axis: shape[axis]) if free and 0 not in shape else None


def _cut(
    dump: Dump, operator: Operator, shapes: Mapping[int, Shape], shape: Shape, axis: int
) -> dict[int, int]:
    """Return the operands that have the rows, and along which of their dimensions, as they broadcast."""
    found = {}
    first = True
    for slot, size in shapes.items():
        if dump.slots.group[slot] not in (SlotGroup.INPUT, SlotGroup.KEYWORD):
            continue
        place = axis - len(shape) + len(size)
        batched = operator.rows is Rows.BATCH and axis < len(shape) - 2
        if place >= 0 and size[place] == shape[axis] and (first or batched or operator.rows is Rows.ALL):
            found[slot] = place
        first = False
    return found


def _reduced(dump: Dump, operator: Operator, row: int, dimensions: int) -> set[int]:
    """Return the dimensions along which the call works: its ``dim``; all if that is not known."""
    names = operator.signature.names
    if "dim" not in names:
        return set()
    place = str(names.index("dim"))
    for slot in dump.slots_of(row):
        path = dump.strings[int(dump.slots.path[slot])]
        if dump.slots.kind[slot] == SlotKind.ARGUMENT and path in (place, "dim"):
            text = dump.strings[int(dump.slots.value[slot])]
            if text.lstrip("-").isdecimal() and dimensions:
                return {int(text) % dimensions}
    return set(range(dimensions))


def _is_tensor(dump: Dump, slot: int) -> bool:
    return bool(dump.slots.kind[slot] == SlotKind.TENSOR)
