"""Where the error along the run rises for good. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.records.columns import Float64, Int64
from gui.models.pair.categories import Category
from gui.models.trajectory.points import Lane, Role, Trajectory

_WINDOW = 8
"""Points before and after a place that are averaged."""
_RISE = 1.0
"""Decades that count as a jump."""


@dataclass(frozen=True)
class Jumps:
    """Places from which on errors are more than a decade larger than before."""

    row: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    """The first row behind each, in order."""
    rise: Float64 = field(default_factory=lambda: np.empty(0))
    """By how many decades."""

    def __len__(self) -> int:
        return len(self.row)

    def after(self, row: int) -> int:
        """Return the row of the next jump after *row*, of the first one beyond the last; -1 if none."""
        if not len(self):
            return -1
        return int(self.row[np.searchsorted(self.row, row, "right") % len(self)])

    @property
    def steepest(self) -> int:
        """The row of the largest jump; -1 if there is none."""
        return int(self.row[np.argmax(self.rise)]) if len(self) else -1


def jumps_of(points: Trajectory) -> Jumps:
    """Return the jumps of the outputs of *points*.

    The median of eight logarithms before a place is taken from that of eight after it, so that a few
    outliers are no jump. Of neighbouring places the one with the largest rise of the mean counts. Errors of
    0 are passed over, but leaving them for a row that differs is a jump. NaN and Inf are the largest errors.
    """
    told = np.flatnonzero((points.role == Role.OUTPUT) & (points.lane <= Lane.SPECIAL))
    sized = told[points.lane[told] != Lane.ZERO]
    if not len(sized):
        return Jumps()
    sizes = np.minimum(points.y[sized], points.heights[Lane.SPECIAL])
    rise, place = _rises(sizes)
    row = points.row[sized[place]]
    first = int(sized[0])
    if told[0] != first and points.category[first] >= Category.INHERITED:
        allowed = points.allowed[first]
        over = float(sizes[0] - allowed) if np.isfinite(allowed) else _RISE
        row, rise = np.r_[points.row[first], row], np.r_[max(over, _RISE), rise]
    return Jumps(row, rise)


def _rises(sizes: Float64) -> tuple[Float64, Int64]:
    """Return the rises of more than a decade, and before which of *sizes* each is."""
    padded = np.pad(sizes, _WINDOW, mode="edge")
    halves = (_WINDOW // 2 - 1, _WINDOW // 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)
    medians = np.partition(windows, halves, axis=1)[:, halves].mean(axis=1)
    sums = np.r_[0.0, np.cumsum(padded)]
    means = (sums[_WINDOW:] - sums[:-_WINDOW]) / _WINDOW
    steep = np.flatnonzero(medians[_WINDOW:] - medians[:-_WINDOW] > _RISE)
    steep = steep[(steep > 0) & (steep < len(sizes))]
    if not len(steep):
        return np.empty(0), steep
    rise = means[steep + _WINDOW] - means[steep]
    starts = np.flatnonzero(np.r_[True, np.diff(steep) > 1])
    highest = np.repeat(np.maximum.reduceat(rise, starts), np.diff(np.r_[starts, len(steep)]))
    peaks = np.flatnonzero(rise == highest)
    _, one = np.unique(np.searchsorted(starts, peaks, "right"), return_index=True)
    return rise[peaks[one]], steep[peaks[one]]
