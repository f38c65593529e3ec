"""The difference along each axis, gathered from blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.distributions.records import AxisProfile, Float64
from core.metrics.elements.blocks import Area, Box

GROUPS = 2048
"""Groups of an axis at most."""
_NARROW = 32
"""Rows up to this many elements are reduced column by column."""


class Measure:
    """One number an index, not negative, by maximum or by sum, along every axis of *shape*."""

    def __init__(self, shape: tuple[int, ...], ufunc: np.ufunc, kind: Any = np.float64) -> None:
        self._shape, self._ufunc = shape, ufunc
        self._starts = [group_starts(size) for size in shape]
        self._along = [np.zeros(len(starts), kind) for starts in self._starts]
        self._kind = kind
        self._trail: NDArray[Any] | None = None
        self._axis = 0

    def add(self, box: Box, values: NDArray[Any]) -> None:
        """Take in the *values* of a block."""
        inner = prod(self._shape[box.axis + 1 :])
        block = values.reshape(box.last - box.first, inner)
        head = _over_rows(block, self._ufunc)
        if box.axis + 1 < len(self._shape):
            if self._trail is None:
                self._trail, self._axis = np.zeros(inner, self._kind), box.axis
            self._ufunc(self._trail, self._ufunc.reduce(block, axis=0), out=self._trail)
        self._take(box.axis, box.first, head)
        every = self._ufunc.reduce(head, keepdims=True)
        for axis, at in enumerate(box.head):
            self._take(axis, at, every)

    def _take(self, axis: int, first: int, values: NDArray[Any]) -> None:
        """Take in *values* of the indices from *first* on."""
        along, size = self._along[axis], self._shape[axis]
        if len(along) < size:
            start, stop = group_of(first, size), group_of(first + len(values) - 1, size) + 1
            if len(values) > 1:
                bounds = self._starts[axis][start:stop] - first
                values = self._ufunc.reduceat(values, np.maximum(bounds, 0))
            first = start
        here = along[first : first + len(values)]
        self._ufunc(here, values, out=here)

    def along(self, axis: int) -> NDArray[Any]:
        """Return the numbers of the groups of *axis*; once, at the end."""
        if self._trail is not None and axis > self._axis:
            inner = self._shape[self._axis + 1 :]
            others = tuple(other for other in range(len(inner)) if other != axis - self._axis - 1)
            self._take(axis, 0, self._ufunc.reduce(self._trail.reshape(inner), axis=others))
        return self._along[axis]


def group_starts(size: int) -> NDArray[np.int64]:
    """Return where the groups of an axis of *size* indices begin."""
    groups = min(size, GROUPS)
    return -(-np.arange(groups, dtype=np.int64) * size // groups) if groups else np.zeros(0, np.int64)


def group_of(index: int, size: int) -> int:
    """Return the group that *index* of an axis of *size* indices is in."""
    return index * min(size, GROUPS) // size


def _over_rows(block: NDArray[Any], ufunc: np.ufunc) -> NDArray[Any]:
    columns = block.shape[1]
    if columns == 1:
        return block[:, 0]
    if columns <= _NARROW:
        return np.asarray(reduce(ufunc, (block[:, column] for column in range(columns))))
    return np.asarray(ufunc.reduce(block, axis=1))


class Profiles:
    """All measures of :class:`AxisProfile` over *area*; none where its extents are no axes."""

    def __init__(self, area: Area) -> None:
        self._area = area
        self.wanted = any(axis is not None for axis in area.axes)
        shape = area.shape if self.wanted else ()
        self._max_abs, self._sum = Measure(shape, np.maximum), Measure(shape, np.add)
        self._ulps, self._ulp_codes = Measure(shape, np.maximum), Measure(shape, np.maximum, np.uint32)
        self._special = tuple(Measure(shape, np.add, np.int64) for _ in range(3))

    def add(self, box: Box, sizes: NDArray[Any]) -> None:
        """Take in |target − golden| of a block, 0 where it is special."""
        self._max_abs.add(box, sizes)
        self._sum.add(box, sizes)

    def add_ulps(self, box: Box, errors: Float64) -> None:
        """Take in the errors of a block in ULP, 0 where it is special."""
        self._ulps.add(box, errors)

    def add_ulp_codes(self, box: Box, codes: NDArray[np.uint32]) -> None:
        """Take in integers that order as the errors in ULP do, 0 where there is none."""
        self._ulp_codes.add(box, codes)

    def add_special(self, box: Box, target: NDArray[np.bool_], golden: NDArray[np.bool_]) -> None:
        """Take in where a side is special."""
        for measure, mask in zip(self._special, (target, golden, target | golden)):
            measure.add(box, mask.astype(np.int64))

    def finish(self, decode: Callable[[NDArray[np.uint32]], Float64] | None) -> tuple[AxisProfile, ...]:
        """Return a profile an axis; *decode* turns the integers of :meth:`add_ulp_codes` into errors."""
        made = []
        for extent, entry in enumerate(self._area.axes):
            size = self._area.shape[extent]
            if entry is None or not self._area.size:
                continue
            axis, offset = entry
            starts = group_starts(size)
            stops = np.append(starts[1:], size)
            target, golden, either = (measure.along(extent) for measure in self._special)
            finite = (stops - starts) * (self._area.size // size) - either
            ulps = self._ulps.along(extent)
            if decode is not None:
                ulps = np.maximum(ulps, decode(self._ulp_codes.along(extent)))
            known = finite > 0
            means = np.where(known, self._sum.along(extent) / np.maximum(finite, 1), np.nan)
            largest = np.where(known, self._max_abs.along(extent), np.nan)
            profile = AxisProfile(axis, starts + offset, stops + offset, largest, means, ulps, target, golden)
            made.append(profile)
        return tuple(made)
