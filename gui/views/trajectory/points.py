"""The points of the error trajectory: errors on a log axis, with lanes for 0 and for NaN/Inf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.records.columns import Float64, Int64, UInt8
from core.records.names import Direction
from core.records.result import CellResult, Reason
from gui.models.categories import Category
from gui.models.facts import Facts

SMALLEST_DECADES = 4
_LANE = 0.9
"""Decades between two lanes."""
_SPECIAL = (Reason.SPECIAL_VALUES, Reason.GOLDEN_SPECIAL_VALUES)


@dataclass(frozen=True)
class Trajectory:
    """One point an output that was compared; ``x`` counts calls, ``y`` is log10 of the relative error."""

    row: Int64
    x: Float64
    y: Float64
    category: UInt8
    allowed: Float64
    """log10 of the expected noise, NaN where there is none."""
    bottom: float
    """Lane of errors that are exactly 0."""
    special: float
    """Lane of NaN and Inf."""
    unsized: float
    """Lane of what differs by no size: shapes, kinds of value, arguments."""
    top: float
    """The highest lane."""
    has_zero: bool
    has_special: bool
    has_unsized: bool
    backward_from: float
    """Where the backward pass begins; NaN where the order does not fall in two."""
    calls: int

    def __len__(self) -> int:
        return len(self.row)


def trajectory_of(cell: CellResult, facts: Facts) -> Trajectory:
    """Return the points of *cell*."""
    rows = np.flatnonzero(facts.is_output & (facts.category != Category.NOT_COMPARED)).astype(np.int64)
    error = cell.rows.error[rows]
    judged = ~np.isnan(error) | (facts.category[rows] >= Category.GOLDEN_INVALID)
    rows, error = rows[judged], error[judged]
    category = facts.category[rows]
    finite = np.isfinite(error) & (error > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log10(error)
        allowed = np.log10(cell.rows.allowed[rows])
    allowed[~np.isfinite(allowed)] = np.nan
    lowest = float(np.floor(y[finite].min())) if finite.any() else -8.0
    highest = float(np.ceil(y[finite].max())) if finite.any() else -4.0
    known = allowed[~np.isnan(allowed)]
    if len(known):
        lowest, highest = min(lowest, float(np.floor(known.min()))), max(highest, float(np.ceil(known.max())))
    if highest - lowest < SMALLEST_DECADES:
        highest = lowest + SMALLEST_DECADES
    # NaN and Inf say more than how well the finite rest agrees
    special = np.isinf(error) | np.isin(cell.rows.reason[rows], _SPECIAL)
    unsized = np.isnan(error) & ~special
    zero = (error == 0) & ~special
    bottom, lane = lowest - 0.9, highest + 0.9
    above = lane + _LANE if special.any() and unsized.any() else lane
    y = np.where(special, lane, np.where(unsized, above, np.where(zero, bottom, y)))
    return Trajectory(
        rows, facts.call_of_row[rows].astype(np.float64), y, category, allowed,
        bottom, lane, above, max(lane, above), bool(zero.any()), bool(special.any()), bool(unsized.any()),
        _backward_from(cell, facts), len(facts.calls),
    )  # fmt: skip


def _backward_from(cell: CellResult, facts: Facts) -> float:
    operators = cell.rows.target_operator[facts.calls.first_row]
    known = operators >= 0
    direction = np.zeros(len(operators), np.uint8)
    direction[known] = cell.target.operators.direction[operators[known]]
    backward = np.flatnonzero(direction == Direction.BACKWARD)
    forward = np.flatnonzero(direction == Direction.FORWARD)
    if not len(backward) or not len(forward):
        return float("nan")
    start = int(backward[0])
    return start - 0.5 if np.mean(forward < start) > 0.9 else float("nan")


def seen_points(points: Trajectory, left: float, right: float, width: int, height: int) -> np.ndarray:
    """Return which points to draw for a view of *width* × *height* pixels over ``left .. right``.

    Of points of one category on one pixel only the first is drawn, so that the number drawn is bounded
    by the screen and not by the run, and no lone point is lost.
    """
    inside = np.flatnonzero((points.x >= left - 1) & (points.x <= right + 1))
    if len(inside) < 6000 or right <= left:
        return inside
    column = ((points.x[inside] - left) / (right - left) * width / 2).astype(np.int64)
    line = ((points.y[inside] - points.bottom) / (points.top - points.bottom) * height / 2).astype(np.int64)
    key = (column * (height + 1) + line) * len(Category) + points.category[inside]
    _, first = np.unique(key, return_index=True)
    return inside[np.sort(first)]


def noise_band(points: Trajectory, bins: int = 1500) -> tuple[Float64, Float64]:
    """Return x and log10 of the expected noise as a line, at most *bins* steps long."""
    known = ~np.isnan(points.allowed)
    x, allowed = points.x[known], points.allowed[known]
    if len(x) <= bins:
        return x, allowed
    edges = np.linspace(0, len(x), bins, endpoint=False).astype(np.int64)
    return x[edges], np.maximum.reduceat(allowed, edges)
