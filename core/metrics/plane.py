"""Which two dimensions of a tensor a picture shows, and at which indices of the others."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]


class Region(NamedTuple):
    """Rows *top* to *bottom* and columns *left* to *right* of a plane, ends excluded."""

    top: int
    bottom: int
    left: int
    right: int

    def clipped(self, rows: int, columns: int) -> Region:
        """Return the part that lies inside a plane of *rows* × *columns*."""
        top, left = min(max(self.top, 0), rows), min(max(self.left, 0), columns)
        bottom, right = min(max(self.bottom, top), rows), min(max(self.right, left), columns)
        return Region(top, bottom, left, right)


@dataclass(frozen=True, slots=True)
class Plane:
    """Axes *rows* and *columns* of a tensor; *fixed* holds an index for every axis (those two ignored).

    A tensor of one dimension is folded, row after row, into a nearly square plane; a number is 1 × 1.
    """

    rows: int = -2
    columns: int = -1
    fixed: tuple[int, ...] = ()

    @classmethod
    def of(cls, shape: Shape) -> Plane:
        """Return the plane of the last two axes, the others at 0."""
        dimensions = len(shape)
        return cls(dimensions - 2, dimensions - 1, (0,) * dimensions) if dimensions >= 2 else cls()

    def fits(self, shape: Shape) -> bool:
        """Return whether the plane exists in a tensor of *shape*."""
        dimensions = len(shape)
        if dimensions < 2:
            return True
        axes = {self.rows, self.columns}
        return (
            len(self.fixed) == dimensions
            and len(axes) == 2
            and all(0 <= axis < dimensions for axis in axes)
            and all(0 <= at < max(size, 1) for at, size in zip(self.fixed, shape))
        )

    def size(self, shape: Shape) -> tuple[int, int]:
        """Return rows and columns of the plane in a tensor of *shape*."""
        if len(shape) >= 2:
            return shape[self.rows], shape[self.columns]
        count = shape[0] if shape else 1
        columns = fold_width(count)
        return (-(-count // columns) if count else 0), columns

    def index(self, shape: Shape, row: int, column: int) -> tuple[int, ...] | None:
        """Return the tensor index of a place in the plane, ``None`` beyond the end of a folded tensor."""
        if not shape:
            return ()
        if len(shape) == 1:
            at = row * fold_width(shape[0]) + column
            return (at,) if at < shape[0] else None
        index = list(self.fixed)
        index[self.rows], index[self.columns] = row, column
        return tuple(index)

    def view(self, bits: NDArray[Any]) -> NDArray[Any]:
        """Return the plane of *bits* as a two-dimensional view; a folded tensor stays flat."""
        if bits.ndim < 2:
            return bits.reshape(-1)
        index: list[Any] = list(self.fixed)
        index[self.rows] = index[self.columns] = slice(None)
        flat: NDArray[Any] = bits[tuple(index)]
        return flat if self.rows < self.columns else flat.T


def fold_width(count: int) -> int:
    """Return the columns of *count* elements folded into a nearly square plane."""
    return max(isqrt(max(count - 1, 0)) + 1, 1) if count > 1 else 1


def take(view: NDArray[Any], region: Region) -> tuple[NDArray[Any], int]:
    """Return *region* of a plane's *view*, and how many elements at its end only fill up the last row.

    The last row of a folded tensor is short. It is filled up with the row above or, in a region of that
    row alone, with its last element, so that the extremes of every block with an element of its own stay.
    """
    top, bottom, left, right = region
    if view.ndim == 2:
        return view[top:bottom, left:right], 0
    count = len(view)
    width = fold_width(count)
    full = min(bottom, count // width)
    whole = view[: count // width * width].reshape(-1, width)[top:full, left:right]
    if bottom <= full:
        return whole, 0
    start = (bottom - 1) * width
    last = view[min(start + left, count) : min(start + right, count)]
    missing = right - left - len(last)
    if missing and len(whole):
        last = np.concatenate([last, whole[-1, len(last) :]])
    elif missing:
        filler = last[-1] if len(last) else view[-1]
        last = np.concatenate([last, np.full(missing, filler, view.dtype)])
    return np.concatenate([whole, last[None]]), missing
