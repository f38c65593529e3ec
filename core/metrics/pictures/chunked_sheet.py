"""The elements of a plane of a tensor that is unpacked chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.metrics.pictures.plane import Plane, Region, Shape
from core.metrics.pictures.sheet import Sheet, boxes, count, folded

Bits = NDArray[Any]
Part = TypeVar("Part")

_CHUNKS = 2
"""Chunks one below the other, and side by side, that a tile may cover: a few MiB, unpacked in about 20 ms."""
_PORTION = 256 * 1024
"""Most elements of a portion, unless a row of it has more."""


@dataclass(frozen=True, slots=True)
class Grain:
    """How a plane is best read: at most so many *rows* at once, and panels of about so many *columns*."""

    rows: int
    columns: int
    order: Callable[[Region], Shape] | None = None
    """By what regions are to be sorted to unpack no chunk again and again; ``None``: as they come."""

    def turned(self) -> Grain:
        """Return the same for the plane with rows and columns swapped."""
        order = self.order
        if order is None:
            return Grain(self.columns, self.rows)
        return Grain(
            self.columns, self.rows, lambda part: order(Region(part.left, part.right, part.top, part.bottom))
        )

    def sorted(self, parts: Iterable[Part], region: Callable[[Part], Region]) -> Iterable[Part]:
        """Return *parts*, of which *region* gives the region, in the order they are best read in."""
        order = self.order
        return parts if order is None else sorted(parts, key=lambda part: order(region(part)))


class ChunkedSheet:
    """Lays the elements of *handle* out as the matrix that *plane* says, like :class:`Sheet`.

    Each region is read when it is asked for, and only that.

    Raises
    ------
    ValueError
        If the plane does not exist in the tensor.
    """

    def __init__(self, handle: TensorHandle, plane: Plane) -> None:
        shape = handle.shape
        if not plane.fits(shape):
            raise ValueError(f"no plane {plane} in shape {shape}")
        self._handle, self._plane = handle, plane
        self.size = plane.size(shape)
        """Rows and columns."""
        self._fold = plane.fold(shape)
        self._rows: Shape = tuple(shape[axis] for axis in plane.rows) or (1,)
        self._columns: Shape = tuple(shape[axis] for axis in plane.columns) or (1,)

    @property
    def turned(self) -> bool:
        """Whether columns lie closer together than rows do: then it is quicker to read the other way."""
        shape, plane = self._handle.shape, self._plane
        long = [[axis for axis in axes if shape[axis] > 1] for axes in (plane.rows, plane.columns)]
        return bool(long[0] and long[1] and max(long[0]) > max(long[1]))

    @property
    def grain(self) -> Grain | None:
        """How the sheet is best read: a few chunks at once."""
        grain = self._handle.grain
        if grain is None or not all(self.size):
            return None
        if self._fold:
            return Grain(max(grain[0] // self._fold * _CHUNKS, 1), min(grain[0] * _CHUNKS, self._fold))
        rows, columns = (
            _in_a_row([grain[axis] for axis in axes], [self._handle.shape[axis] for axis in axes])
            for axes in (self._plane.rows, self._plane.columns)
        )
        ascending = all(list(axes) == sorted(axes) for axes in (self._plane.rows, self._plane.columns))
        return Grain(rows * _CHUNKS, columns * _CHUNKS, None if ascending else self._chunk)

    def _chunk(self, region: Region) -> Shape:
        """Return the number of the chunk, along each axis, in which *region* begins."""
        place = self._plane.index(self._handle.shape, region.top, region.left) or ()
        return tuple(at // size for at, size in zip(place, self._handle.grain or self._handle.shape))

    def take(self, region: Region) -> tuple[Bits, int]:
        """Return the elements of *region*, and how many only fill up the last row; see :meth:`Sheet.take`."""
        top, bottom, left, right = region
        if self._fold:
            return self._folded(region)
        made = np.empty((bottom - top, right - left), self._handle.storage)
        if not made.size:
            return made, 0
        column_boxes = list(boxes(self._columns, left, right))
        row = 0
        for box in boxes(self._rows, top, bottom):
            height, column = count(box), 0
            for other in column_boxes:
                wide = count(other)
                made[row : row + height, column : column + wide] = self._box(box, other)
                column += wide
            row += height
        return made, 0

    def _folded(self, region: Region) -> tuple[Bits, int]:
        top, bottom, left, right = region
        handle, start = self._handle, top * self._fold
        if bottom - top != 1:
            held = handle.flat_bits(start, bottom * self._fold)
            return folded(held, self._fold, Region(0, bottom - top, left, right))
        # A row may have many chunks: only the part of it is read.
        row = handle.flat_bits(start + left, min(start + right, start + self._fold))
        missing = right - left - len(row)
        if missing:
            filler = row[-1:] if len(row) else handle.flat_bits(handle.size - 1, handle.size)
            row = np.concatenate([row, np.repeat(filler, missing)])
        return row[None], missing

    def _box(self, rows: tuple[slice, ...], columns: tuple[slice, ...]) -> Bits:
        """Return one box of the tensor as a matrix."""
        index: list[Any] = list(self._plane.fixed)
        axes = self._plane.rows + self._plane.columns
        spans = (rows if self._plane.rows else ()) + (columns if self._plane.columns else ())
        for axis, span in zip(axes, spans):
            index[axis] = span
        order = sorted(axes)
        held = self._handle.part(tuple(index)).transpose([order.index(axis) for axis in axes])
        return held.reshape(count(rows), count(columns))


def sheet_of(handle: TensorHandle, plane: Plane) -> Sheet | ChunkedSheet:
    """Return the elements of *handle* as the matrix that *plane* says.

    Raises
    ------
    ValueError
        If the plane does not exist in the tensor.
    """
    return Sheet(handle.bits(), plane) if handle.grain is None else ChunkedSheet(handle, plane)


def portions(area: Region, grain: Grain) -> Iterator[Region]:
    """Yield parts of *area* that cover it, each touching few chunks, panel by panel."""
    for left in range(area.left, area.right, grain.columns):
        right = min(left + grain.columns, area.right)
        height = max(1, min(grain.rows, _PORTION // (right - left)))
        for top in range(area.top, area.bottom, height):
            yield Region(top, min(top + height, area.bottom), left, right)


def _in_a_row(grain: list[int], shape: list[int]) -> int:
    """Return how many neighbours along merged axes lie in one chunk."""
    together = 1
    for chunk, size in zip(reversed(grain), reversed(shape)):
        together *= chunk
        if chunk < size:
            break
    return together
