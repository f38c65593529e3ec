"""Which axes of a tensor a picture shows as rows and as columns, and at which indices of the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt, prod
from typing import NamedTuple

Shape = tuple[int, ...]
Place = tuple[int, ...]
"""The index of one element: a number for every axis."""


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
    """A tensor laid out as a matrix.

    Attributes
    ----------
    rows, columns
        The axes merged into rows and into columns, outermost first. No axes: a single row, a single column.
    fixed
        An index for every axis; those of the rows and columns are ignored.
    width
        A tensor of one dimension whose axis makes the columns is folded, row after row, into a matrix of
        this many columns; 0: nearly square. Ignored for other tensors.
    """

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    fixed: Place = ()
    width: int = 0

    @classmethod
    def of(cls, shape: Shape, at: Place = ()) -> Plane:
        """Return the plane of the last two axes; the others at *at*, clipped, and at 0 where it is short."""
        axes = tuple(range(len(shape)))
        fixed = tuple(
            min(max(at[axis], 0), max(shape[axis] - 1, 0)) if axis < len(at) else 0 for axis in axes
        )
        return cls(axes[-2:-1], axes[-1:], fixed)

    @classmethod
    def whole(cls, shape: Shape) -> Plane:
        """Return the plane of all elements: every axis but the last merged into rows."""
        axes = tuple(range(len(shape)))
        return cls(axes[:-1], axes[-1:], (0,) * len(shape))

    @classmethod
    def line(cls, shape: Shape) -> Plane:
        """Return a tensor of one dimension as a single row."""
        return cls((), (0,), (0,), max(shape[0], 1))

    @property
    def free(self) -> tuple[int, ...]:
        """The axes that are neither rows nor columns."""
        return tuple(axis for axis in range(len(self.fixed)) if axis not in self.rows + self.columns)

    def at(self, place: Place) -> Plane:
        """Return the plane of the same axes that holds *place*."""
        return replace(self, fixed=tuple(place))

    def fits(self, shape: Shape) -> bool:
        """Return whether the plane exists in a tensor of *shape*."""
        axes = self.rows + self.columns
        return (
            len(self.fixed) == len(shape)
            and len(set(axes)) == len(axes)
            and all(0 <= axis < len(shape) for axis in axes)
            and all(0 <= self.fixed[axis] < max(shape[axis], 1) for axis in self.free)
            and self.width >= 0
        )

    def fold(self, shape: Shape) -> int:
        """Return the columns that a tensor of one dimension is folded into, 0 where nothing is folded."""
        if len(shape) != 1 or self.columns != (0,):
            return 0
        return min(self.width, max(shape[0], 1)) or fold_width(shape[0])

    def size(self, shape: Shape) -> tuple[int, int]:
        """Return rows and columns of the plane in a tensor of *shape*; no rows where it has no elements."""
        fold = self.fold(shape)
        if fold:
            return -(-shape[0] // fold), fold
        rows, columns = (prod(shape[axis] for axis in axes) for axes in (self.rows, self.columns))
        return (rows if all(shape[axis] for axis in self.free) else 0), columns

    def index(self, shape: Shape, row: int, column: int) -> Place | None:
        """Return the element at a place of the plane, ``None`` outside and beyond the end of a fold."""
        rows, columns = self.size(shape)
        if not (0 <= row < rows and 0 <= column < columns):
            return None
        fold = self.fold(shape)
        if fold:
            at = row * fold + column
            return (at,) if at < shape[0] else None
        index = list(self.fixed)
        for axes, number in ((self.rows, row), (self.columns, column)):
            for axis in reversed(axes):
                number, index[axis] = divmod(number, shape[axis])
        return tuple(index)

    def position(self, shape: Shape, place: Place) -> tuple[int, int] | None:
        """Return row and column of the element *place*, ``None`` where it lies outside this plane."""
        if len(place) != len(shape) or any(not 0 <= at < size for at, size in zip(place, shape)):
            return None
        fold = self.fold(shape)
        if fold:
            return divmod(place[0], fold)
        if any(place[axis] != self.fixed[axis] for axis in self.free):
            return None
        row = column = 0
        for axis in self.rows:
            row = row * shape[axis] + place[axis]
        for axis in self.columns:
            column = column * shape[axis] + place[axis]
        return row, column


def fold_width(count: int) -> int:
    """Return the columns of *count* elements folded into a nearly square plane."""
    return max(isqrt(max(count - 1, 0)) + 1, 1) if count > 1 else 1
