"""Which points of the error trajectory are drawn, and which the pointer means: bounded by the screen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Int64
from gui.models.pair.categories import Category
from gui.models.trajectory.points import Lane, Role, Trajectory

_FEW = 6000
"""Points that are drawn as they are."""
_LINES, _BLOCK = 96, 3
"""Where points are dense: heights that are told apart, and columns of pixels that are taken together."""
_SIGNS = 2 * len(Category) + 3
"""Different marks: outputs and inputs of each category, and three kinds of what was not compared."""


def seen_points(
    points: Trajectory, left: float, right: float, width: int, passes: NDArray[np.bool_] | None = None
) -> Int64:
    """Return which points to draw for a view of *width* pixels over ``left .. right``, in their order.

    Of each column of pixels these are among them: the point with the highest error, one of each category,
    of each kind of what was not compared and of each lane; inputs and outputs apart, as those that *passes*
    (a flag for each point: what a filter leaves) and those that do not. So the number drawn is bounded by
    the screen and not by the run, and no lone point is lost.
    """
    first, last = (int(at) for at in np.searchsorted(points.x, (left - 1, right + 1)))
    count = last - first
    if count < _FEW or right <= left:
        return np.arange(first, last, dtype=np.int64)
    inside = slice(first, last)
    pixel = pixel_columns(points, inside, left, right, width)
    sign = _signs(points, inside)
    if passes is not None:
        sign += np.int32(_SIGNS) * passes[inside]
    signs = _SIGNS * (1 if passes is None else 2)
    kept = np.zeros(count, bool)
    kept[_one_each((pixel * len(Lane) + points.lane[inside]) * signs + sign)] = True
    line = _lines(points, inside)
    kept[_one_each((pixel // _BLOCK * _LINES + line) * signs + sign)] = True
    # points lie in the order of x, so each column of pixels is a run of them; peaks are looked for in each
    flag = np.zeros(count, bool) if passes is None else passes[inside]
    sized = points.size[inside]
    for role in (Role.OUTPUT, Role.INPUT):
        for passing in (False, True) if passes is not None else (False,):
            mine = np.flatnonzero((points.role[inside] == role) & (flag == passing) & ~np.isnan(sized))
            kept[mine[_peaks(pixel[mine], sized[mine])]] = True
    return np.flatnonzero(kept).astype(np.int64) + first


def pixel_columns(
    points: Trajectory, inside: slice, left: float, right: float, width: int
) -> NDArray[np.int64]:
    """Return the column of pixels, from 1, that each point of *inside* is in; 0 and *width* + 1 beside it."""
    place = np.floor((points.x[inside] - left) * (width / (right - left)))
    return np.clip(place, -1, width).astype(np.int64) + 1


def _signs(points: Trajectory, inside: slice) -> NDArray[np.int32]:
    """Return a number for each mark that differs from others."""
    table = np.zeros((len(Role), len(Category)), np.int32)
    for role in Role:
        for category in Category:
            lost = role >= Role.NOT_COMPARED
            table[role, category] = 2 * len(Category) + role - Role.NOT_COMPARED if lost else (
                role * len(Category) + category
            )  # fmt: skip
    made: NDArray[np.int32] = table[points.role[inside], points.category[inside]]
    return made


def _lines(points: Trajectory, inside: slice) -> NDArray[np.int64]:
    low, high = points.heights.bottom, points.heights.top
    return ((points.y[inside] - low) * ((_LINES - 1) / (high - low))).astype(np.int64)


def _one_each(keys: NDArray[np.int64]) -> Int64:
    """Return the position of one of each different key."""
    table = np.full(int(keys.max()) + 1, -1, np.int32)
    table[keys] = np.arange(len(keys), dtype=np.int32)
    return table[table >= 0].astype(np.int64)


def _peaks(column: NDArray[np.int64], sizes: NDArray[np.float64]) -> Int64:
    """Return the position of the largest of *sizes* in each run of equal columns."""
    if not len(column):
        return np.empty(0, np.int64)
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    lengths = np.diff(np.r_[starts, len(column)])
    highest = np.flatnonzero(sizes == np.repeat(np.maximum.reduceat(sizes, starts), lengths))
    _, one = np.unique(column[highest], return_index=True)
    found: Int64 = highest[one]
    return found


def nearest_point(
    points: Trajectory, x: float, y: float, wide: float, tall: float, reach: float
) -> tuple[int, float]:
    """Return the point next to (*x*, *y*) and how far it is; -1 where none is within *reach* pixels.

    Parameters
    ----------
    wide, tall
        Pixels of one call, and of one decade.
    """
    first, last = (int(at) for at in np.searchsorted(points.x, (x - reach / wide, x + reach / wide)))
    if last <= first:
        return -1, np.inf
    distance = np.hypot((points.x[first:last] - x) * wide, (points.y[first:last] - y) * tall)
    at = int(np.argmin(distance))
    return (first + at, float(distance[at])) if distance[at] <= reach else (-1, np.inf)
