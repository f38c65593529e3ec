"""Planes of any shape, and the matrix that a plane makes of an array, found element by element."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from core.metrics.pictures.plane import Plane, Region


@st.composite
def planes(draw: st.DrawFn, shape: tuple[int, ...]) -> Plane:
    """Any plane of *shape*: its axes dealt out to rows, columns and neither, in any order."""
    axes = draw(st.permutations(range(len(shape))))
    first, second = sorted(draw(st.tuples(*(2 * [st.integers(0, len(axes))]))))
    fixed = tuple(draw(st.integers(0, max(size - 1, 0))) for size in shape)
    width = draw(st.sampled_from([0, 0, 1, 2, 5, 40])) if len(shape) == 1 else 0
    return Plane(tuple(axes[:first]), tuple(axes[first:second]), fixed, width)


@st.composite
def regions(draw: st.DrawFn, rows: int, columns: int) -> Region:
    top, left = draw(st.integers(0, max(rows - 1, 0))), draw(st.integers(0, max(columns - 1, 0)))
    bottom = draw(st.integers(min(top + 1, rows), rows))
    return Region(top, bottom, left, draw(st.integers(min(left + 1, columns), columns)))


def laid_out(array: np.ndarray, plane: Plane) -> np.ma.MaskedArray:
    """Return the plane of *array* as a matrix; places beyond the end of a fold are masked."""
    rows, columns = plane.size(array.shape)
    made = np.ma.masked_all((rows, columns), array.dtype)
    for row, column in np.ndindex(rows, columns):
        place = plane.index(array.shape, row, column)
        if place is not None:
            made[row, column] = array[place]
    return made
