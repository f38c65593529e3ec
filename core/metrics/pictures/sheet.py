"""The elements of a plane, read region by region without copying the tensor."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.pictures.plane import Plane, Region, Shape

__all__ = ["Sheet", "boxes", "count", "folded"]

Bits = NDArray[Any]


class Sheet:
    """Lays *bits*, any array, out as the matrix that *plane* says.

    Where the strides allow it regions are views. Where they do not, as with merged axes that lie apart in
    memory, a region is put together from a few boxes.

    Raises
    ------
    ValueError
        If the plane does not exist in the array.
    """

    def __init__(self, bits: Bits, plane: Plane) -> None:
        if not plane.fits(bits.shape):
            raise ValueError(f"no plane {plane} in shape {bits.shape}")
        self.size = plane.size(bits.shape)
        """Rows and columns."""
        self._fold = plane.fold(bits.shape)
        axes = plane.rows + plane.columns
        if self._fold or not all(self.size):
            self._bits = bits if self._fold else bits.reshape(-1)[:0].reshape(self.size)
            self._rows: Shape = (self.size[0],)
            self._columns: Shape = (self.size[1],)
            return
        at: list[Any] = list(plane.fixed)
        for axis in axes:
            at[axis] = slice(None)
        part = np.asarray(bits[tuple(at)])
        order = sorted(axes)
        part = part.transpose([order.index(axis) for axis in axes])
        split = len(plane.rows)
        rows = _merged(part.shape[:split], part.strides[:split])
        columns = _merged(part.shape[split:], part.strides[split:])
        self._rows, self._columns = rows[0], columns[0]
        self._bits = np.lib.stride_tricks.as_strided(
            part, rows[0] + columns[0], rows[1] + columns[1], writeable=False
        )

    @property
    def grain(self) -> None:
        """Say that the elements of a mapped tensor may be read in any portions."""
        return None

    @property
    def turned(self) -> bool:
        """Whether columns lie closer in memory than rows do: then it is quicker to read the other way."""
        if self._fold or not self._bits.size:
            return False
        strides, split = [abs(stride) for stride in self._bits.strides], len(self._rows)
        return self.size[0] > 1 and self.size[1] > 1 and min(strides[:split]) < min(strides[split:])

    def take(self, region: Region) -> tuple[Bits, int]:
        """Return the elements of *region*, and how many at its end only fill up the last row.

        The last row of a folded tensor is short. It is filled up with the row above or, in a region of
        that row alone, with its last element, so that the extremes of every block with an element of its
        own stay.
        """
        if self._fold:
            return folded(self._bits, self._fold, region)
        top, bottom, left, right = region
        if self._bits.ndim == 2:
            return self._bits[top:bottom, left:right], 0
        made = np.empty((bottom - top, right - left), self._bits.dtype)
        column_boxes = list(boxes(self._columns, left, right))
        row = 0
        for box in boxes(self._rows, top, bottom):
            height, column = count(box), 0
            for other in column_boxes:
                wide = count(other)
                part = made[row : row + height, column : column + wide]
                found = self._bits[box + other]
                part.reshape(found.shape)[...] = found  # only splits axes, so it is a view
                column += wide
            row += height
        return made, 0

    def sample(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Bits:
        """Return the elements where *rows* and *columns* cross, flat; places beyond a fold are left out."""
        if self._fold:
            at = (rows[:, None] * self._fold + columns).reshape(-1)
            return np.asarray(self._bits[at[at < len(self._bits)]])
        index = [part[:, None] for part in np.unravel_index(rows, self._rows)]
        return np.asarray(self._bits[(*index, *np.unravel_index(columns, self._columns))]).reshape(-1)


def folded(bits: Bits, width: int, region: Region) -> tuple[Bits, int]:
    """Return *region* of one-dimensional *bits* folded into rows of *width*; see :meth:`Sheet.take`."""
    top, bottom, left, right = region
    size = len(bits)
    full = min(bottom, size // width)
    whole = bits[: size // width * width].reshape(-1, width)[top:full, left:right]
    if bottom <= full:
        return whole, 0
    start = (bottom - 1) * width
    last = bits[min(start + left, size) : min(start + right, size)]
    missing = right - left - len(last)
    if missing and len(whole):
        last = np.concatenate([last, whole[-1, len(last) :]])
    elif missing:
        filler = last[-1] if len(last) else bits[-1]
        last = np.concatenate([last, np.full(missing, filler, bits.dtype)])
    return np.concatenate([whole, last[None]]), missing


def _merged(shape: Shape, strides: tuple[int, ...]) -> tuple[Shape, tuple[int, ...]]:
    """Return *shape* and *strides* with neighbouring axes made one where memory allows; at least one axis."""
    sizes: list[int] = []
    steps: list[int] = []
    for size, stride in zip(shape, strides):
        if size == 1:
            continue
        if steps and steps[-1] == stride * size:
            sizes[-1] *= size
            steps[-1] = stride
        else:
            sizes.append(size)
            steps.append(stride)
    return tuple(sizes) or (1,), tuple(steps) or (0,)


def boxes(shape: Shape, start: int, stop: int) -> Iterator[tuple[slice, ...]]:
    """Yield slices of all axes that together are the elements *start* to *stop*, in C order, of *shape*."""
    if start >= stop:
        return
    if len(shape) == 1:
        yield (slice(start, stop),)
        return
    inner = prod(shape[1:])
    (first, skip), (last, rest) = divmod(start, inner), divmod(stop, inner)
    if first == last:
        for box in boxes(shape[1:], skip, rest):
            yield slice(first, first + 1), *box
        return
    if skip:
        for box in boxes(shape[1:], skip, inner):
            yield slice(first, first + 1), *box
        first += 1
    if first < last:
        yield slice(first, last), *(slice(0, size) for size in shape[1:])
    for box in boxes(shape[1:], 0, rest):
        yield slice(last, last + 1), *box


def count(box: tuple[slice, ...]) -> int:
    """Return how many elements *box* has."""
    return prod(part.stop - part.start for part in box)
