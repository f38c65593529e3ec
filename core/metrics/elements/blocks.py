"""A tensor, or a rectangle of a plane of it, block by block."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.pictures.chunked_sheet import sheet_of
from core.metrics.pictures.plane import Plane, Region, Shape
from core.progress import Progress

BLOCK = 64 * 1024
"""Elements at a time; the temporaries of a few arrays stay in the second-level cache."""

_PAUSE = 0.02
"""Seconds of work between two reports."""


@dataclass(frozen=True, slots=True)
class Box:
    """A block: index *head* of the axes before *axis*, *first* to *last* of that axis, all of those after it.

    Its elements are *start* to *stop* of the area, in C order.
    """

    start: int
    stop: int
    head: Shape
    axis: int
    first: int
    last: int


class Area:
    """What of a tensor of *shape* is walked over: all of it, or *rectangle* of *plane*.

    A plane that the shape does not have stands for all; no rectangle for all of the plane.

    Attributes
    ----------
    shape
        Extents: the tensor's own, or rows and columns.
    axes
        For each extent the tensor's axis it runs along and its first index there, ``None`` where it is
        several axes, or folded.
    """

    def __init__(self, shape: Shape, plane: Plane | None = None, rectangle: Region | None = None) -> None:
        self.tensor = shape
        self.plane = plane if plane is not None and plane.fits(shape) else None
        self.region: Region | None = None
        self.axes: tuple[tuple[int, int] | None, ...]
        if self.plane is None:
            self.shape = shape
            self.axes = tuple((axis, 0) for axis in range(len(shape)))
        else:
            size = self.plane.size(shape)
            self.region = (rectangle or Region(0, size[0], 0, size[1])).clipped(*size)
            top, bottom, left, right = self.region
            self.shape = bottom - top, right - left
            folded = bool(self.plane.fold(shape))
            self.axes = tuple(
                (axes[0], first) if len(axes) == 1 and not folded else None
                for axes, first in ((self.plane.rows, top), (self.plane.columns, left))
            )
        self.size = prod(self.shape)
        """Elements, with those that only fill up the last row of a folded tensor."""

    @property
    def beyond(self) -> int:
        """How many of the elements only fill up the last row of a folded tensor."""
        fold = self.plane.fold(self.tensor) if self.plane is not None else 0
        if not fold or self.region is None or not self.size:
            return 0
        rest = self.tensor[0] - (self.region.bottom - 1) * fold
        return min(max(self.region.right - max(rest, self.region.left), 0), self.shape[1])

    def boxes(self, elements: int = BLOCK) -> Iterator[Box]:
        """Yield blocks of at most *elements* in C order; none of an empty area."""
        shape = self.shape
        if not self.size:
            return
        axis = len(shape) - 1
        while axis > 0 and prod(shape[axis:]) <= elements // 2:
            axis -= 1
        if axis < 0:
            yield Box(0, 1, (), 0, 0, 1)
            return
        inner, extent = prod(shape[axis + 1 :]), shape[axis]
        pieces = -(-extent * inner // elements)
        bounds = np.linspace(0, extent, min(pieces, extent) + 1).astype(np.int64).tolist()
        start = 0
        for head in np.ndindex(*shape[:axis]):
            for first, last in pairwise(bounds):
                stop = start + (last - first) * inner
                yield Box(start, stop, head, axis, first, last)
                start = stop

    def place(self, position: int) -> Shape | None:
        """Return the tensor's index of the element at a C-order *position* of the area."""
        if self.plane is None or self.region is None:
            return tuple(int(at) for at in np.unravel_index(position, self.shape)) if self.shape else ()
        row, column = divmod(position, self.shape[1])
        return self.plane.index(self.tensor, self.region.top + row, self.region.left + column)

    def position(self, place: Shape) -> int | None:
        """Return the C-order position of *place* in the area, ``None`` outside."""
        if len(place) != len(self.tensor) or any(not 0 <= at < n for at, n in zip(place, self.tensor)):
            return None
        if self.plane is None or self.region is None:
            return int(np.ravel_multi_index(place, self.shape)) if self.shape else 0
        found = self.plane.position(self.tensor, place)
        if found is None:
            return None
        row, column = found[0] - self.region.top, found[1] - self.region.left
        if not (0 <= row < self.shape[0] and 0 <= column < self.shape[1]):
            return None
        return row * self.shape[1] + column


class Reader:
    """Gives the blocks of *area* of one tensor, as stored, one-dimensional and in native byte order."""

    def __init__(self, handle: TensorHandle, area: Area) -> None:
        self.handle = handle
        self._area = area
        self._sheet = sheet_of(handle, area.plane) if area.plane is not None else None

    def bits(self, box: Box) -> NDArray[Any]:
        """Return the elements of *box*; fewer than it says at the end of a folded tensor."""
        if self._sheet is None or self._area.region is None:
            bits = self.handle.flat_bits(box.start, box.stop)
        else:
            top, _, left, right = self._area.region
            if box.axis == 0:
                part = Region(top + box.first, top + box.last, left, right)
            else:
                row = top + box.head[0]
                part = Region(row, row + 1, left + box.first, left + box.last)
            taken, fill = self._sheet.take(part)
            bits = taken.reshape(-1)
            bits = bits[: len(bits) - fill] if fill else bits
        if not bits.dtype.isnative:
            bits = bits.astype(bits.dtype.newbyteorder("="))
        return np.ascontiguousarray(bits)

    def numbers(self, box: Box) -> NDArray[Any]:
        """Return the elements of *box* as numbers."""
        return self.handle.numbers(self.bits(box))


class Ticker:
    """Says when it is time to report: after every 20 ms of work."""

    def __init__(self, total: int, message: Message) -> None:
        self._total, self._message = total, message
        self._next = time.perf_counter() + _PAUSE

    def progress(self, done: int) -> Iterator[Progress]:
        """Yield a report that *done* of the total is done, if it is time for one."""
        if time.perf_counter() >= self._next:
            yield Progress(done, self._total, self._message)
            self._next = time.perf_counter() + _PAUSE
