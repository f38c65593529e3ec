"""The points of the error trajectory: errors on a log axis, and lanes for what has no error to draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np

from core.records.columns import Float64, Int64, UInt8
from core.records.result import CellResult, Reason
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts

SMALLEST_DECADES = 4
_LANE = 0.9
"""Decades between two lanes."""
SPECIAL = (Reason.SPECIAL_VALUES, Reason.GOLDEN_SPECIAL_VALUES)
"""Reasons that a row stands in the lane of NaN and Inf for, however small its error."""
_ONE_SIDED = (Reason.TARGET_ONLY, Reason.GOLDEN_ONLY)


class Role(IntEnum):
    """What a point stands for."""

    OUTPUT = 0
    INPUT = 1
    NOT_COMPARED = 2
    """An output that could not be compared."""
    TARGET_ONLY = 3
    GOLDEN_ONLY = 4


class Lane(IntEnum):
    """Where on the axis a point stands."""

    SIZED = 0
    """At its error."""
    ZERO = 1
    SPECIAL = 2
    """NaN and Inf."""
    UNSIZED = 3
    """Differs by no size: shapes, kinds of value, arguments."""
    LOST = 4
    """Not compared, or on one side only."""


@dataclass(frozen=True)
class Heights:
    """Where the lanes are, in decades."""

    lowest: float
    """The lowest error, in whole decades; the highest likewise."""
    highest: float
    lanes: frozenset[Lane]
    """Those in which something stands."""

    def __getitem__(self, lane: Lane) -> float:
        lost, special = self.lowest - 2 * _LANE, self.highest + _LANE
        if Lane.ZERO not in self.lanes:
            lost += _LANE
        both = {Lane.SPECIAL, Lane.UNSIZED} <= self.lanes
        return {
            Lane.SIZED: self.lowest, Lane.ZERO: self.lowest - _LANE, Lane.LOST: lost, Lane.SPECIAL: special,
            Lane.UNSIZED: special + _LANE if both else special,
        }[lane]  # fmt: skip

    @property
    def bottom(self) -> float:
        """The lowest lane; that of 0 has its place also while it is empty."""
        return self[Lane.LOST] if Lane.LOST in self.lanes else self[Lane.ZERO]

    @property
    def top(self) -> float:
        """The highest lane; that of NaN and Inf has its place also while it is empty."""
        return max(self[Lane.SPECIAL], self[Lane.UNSIZED])


@dataclass(frozen=True)
class Trajectory:
    """Points in the order of rows; ``x`` counts calls, ``size`` is log10 of the relative error."""

    row: Int64
    x: Float64
    size: Float64
    """NaN outside of :attr:`Lane.SIZED`."""
    category: UInt8
    role: UInt8
    lane: UInt8
    allowed: Float64
    """log10 of the expected noise, NaN where there is none."""
    heights: Heights
    calls: int

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def y(self) -> Float64:
        """Where each point is drawn."""
        table = np.array([self.heights[lane] for lane in Lane])
        made: Float64 = np.where(self.lane == Lane.SIZED, self.size, table[self.lane])
        return made

    @cached_property
    def outputs(self) -> Trajectory:
        """Everything but the inputs."""
        kept = np.flatnonzero(self.role != Role.INPUT)
        columns = ("row", "x", "size", "category", "role", "lane", "allowed")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    def widened(self, low: float, high: float, lanes: frozenset[Lane] = frozenset()) -> Trajectory:
        """Return the same points on an axis that errors from 10**low to 10**high, and *lanes*, fit on too."""
        old = self.heights
        lowest, highest = min(old.lowest, float(np.floor(low))), max(old.highest, float(np.ceil(high)))
        return replace(self, heights=Heights(lowest, highest, old.lanes | lanes))

    def of_call(self, call: float) -> slice:
        """Return where the points of one call are."""
        first, last = np.searchsorted(self.x, (call, call + 0.5))
        return slice(int(first), int(last))


def trajectory_of(cell: CellResult, facts: Facts) -> Trajectory:
    """Return the points of *cell*: a judged slot each, outputs that were not compared, one-sided calls."""
    rows, category = cell.rows, facts.category
    unjudged = category == Category.NOT_COMPARED
    one_sided = unjudged & np.isin(rows.reason, _ONE_SIDED)
    if one_sided.any():  # a call has one mark, and of an input that only one side has nothing is drawn
        one_sided &= facts.is_output | ((rows.target_slot < 0) & (rows.golden_slot < 0))
    lost = one_sided | (unjudged & facts.is_output)
    judged = ~unjudged & (~np.isnan(rows.error) | (category >= Category.GOLDEN_INVALID))
    kept = np.flatnonzero(judged | lost).astype(np.int64)
    error, category, reason, lost = rows.error[kept], category[kept], rows.reason[kept], lost[kept]
    role = np.where(facts.is_output[kept], np.uint8(Role.OUTPUT), np.uint8(Role.INPUT))
    role[lost] = Role.NOT_COMPARED
    role[lost & (reason == Reason.TARGET_ONLY)] = Role.TARGET_ONLY
    role[lost & (reason == Reason.GOLDEN_ONLY)] = Role.GOLDEN_ONLY
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.log10(error)
        allowed = np.log10(rows.allowed[kept])
    allowed[~np.isfinite(allowed) | (role != Role.OUTPUT)] = np.nan
    # NaN and Inf say more than how well the finite rest agrees
    special = np.isinf(error) | np.isin(reason, SPECIAL)
    lane = np.full(len(kept), Lane.SIZED, np.uint8)
    lane[error == 0] = Lane.ZERO
    lane[np.isnan(error)] = Lane.UNSIZED
    lane[special] = Lane.SPECIAL
    lane[lost] = Lane.LOST
    size[lane != Lane.SIZED] = np.nan
    held = frozenset(Lane(at) for at in np.flatnonzero(np.bincount(lane, minlength=len(Lane))).tolist())
    x = facts.call_of_row[kept].astype(np.float64)
    return Trajectory(
        kept, x, size, category, role, lane, allowed, _heights(size, allowed, held), len(facts.calls)
    )


def _heights(size: Float64, allowed: Float64, lanes: frozenset[Lane]) -> Heights:
    lowest = float(np.floor(np.fmin.reduce(size, initial=np.nan)))
    highest = float(np.ceil(np.fmax.reduce(size, initial=np.nan)))
    if np.isnan(lowest):
        lowest, highest = -8.0, -4.0
    low, high = np.fmin.reduce(allowed, initial=np.nan), np.fmax.reduce(allowed, initial=np.nan)
    if not np.isnan(low):
        lowest, highest = min(lowest, float(np.floor(low))), max(highest, float(np.ceil(high)))
    return Heights(lowest, max(highest, lowest + SMALLEST_DECADES), lanes)


def noise_band(points: Trajectory, bins: int = 1500) -> tuple[Float64, Float64]:
    """Return x and log10 of the expected noise as a line, at most *bins* steps long."""
    known = ~np.isnan(points.allowed)
    x, allowed = points.x[known], points.allowed[known]
    if len(x) <= bins:
        return x, allowed
    edges = np.linspace(0, len(x), bins, endpoint=False).astype(np.int64)
    return x[edges], np.maximum.reduceat(allowed, edges)
