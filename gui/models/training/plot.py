"""The loss scale over the steps, as a line that a screen can show and from which nothing is lost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.records.columns import Float64, Int64
from core.records.training import TrainingOverflow

_LEAST_SPAN = 4.0
"""Doublings that the plot shows at least."""


@dataclass(frozen=True)
class ScalePlot:
    """Heights are log2 of the scale; a scale of 0, which some logs round to, has a lane below all others."""

    steps: Int64
    heights: Float64
    overflows: Int64
    counts: Int64
    first: int
    last: int
    low: float
    high: float
    zero: float
    """The lane of 0; NaN where there is none."""

    def scale_at(self, step: int) -> float:
        """Return the loss scale in force at *step*, NaN before the first one."""
        at = int(np.searchsorted(self.steps, step, "right")) - 1
        if at < 0:
            return math.nan
        return 0.0 if self.heights[at] == self.zero else float(2.0 ** self.heights[at])

    def count_at(self, step: int) -> int:
        """Return how many steps the record at *step* says overflowed."""
        at = int(np.searchsorted(self.overflows, step))
        return int(self.counts[at]) if at < len(self.overflows) and self.overflows[at] == step else 0

    def neighbour(self, step: int | None, forward: bool) -> int | None:
        """Return the next overflowed step after *step*, or the one before; ``None`` at the end."""
        if not len(self.overflows):
            return None
        if step is None:
            return int(self.overflows[0 if forward else -1])
        at = int(np.searchsorted(self.overflows, step, "right" if forward else "left")) - (not forward)
        return int(self.overflows[at]) if 0 <= at < len(self.overflows) else None

    def nearest(self, step: float, reach: float) -> int | None:
        """Return the overflowed step nearest to *step*, not further than *reach*."""
        at = int(np.searchsorted(self.overflows, step))
        near = [int(self.overflows[place]) for place in (at - 1, at) if 0 <= place < len(self.overflows)]
        best = min(near, key=lambda found: abs(found - step), default=None)
        return best if best is not None and abs(best - step) <= reach else None


def scale_plot(history: TrainingOverflow) -> ScalePlot:
    """Return the plot of *history*."""
    known = np.isfinite(history.scales) & (history.scales >= 0)
    steps, scales = history.scale_steps[known], history.scales[known]
    with np.errstate(divide="ignore"):
        heights = np.log2(scales)
    lifted = np.isfinite(heights)
    low = float(np.floor(heights[lifted].min())) if lifted.any() else 0.0
    high = float(np.ceil(heights[lifted].max())) if lifted.any() else _LEAST_SPAN
    if high - low < _LEAST_SPAN:
        middle = (low + high) / 2
        low, high = math.floor(middle - _LEAST_SPAN / 2), math.ceil(middle + _LEAST_SPAN / 2)
    zero = math.nan if lifted.all() else low - 1.5
    heights = np.where(lifted, heights, zero)
    every = np.concatenate((steps, history.overflow_steps))
    latest = int(every.max(initial=1))
    first = min(int(every.min(initial=latest)), max(latest - history.steps + 1, 1))
    last = max(latest, first + history.steps - 1, first + 1)
    bottom = low if math.isnan(zero) else zero
    return ScalePlot(
        steps, heights, history.overflow_steps, history.overflow_counts, first, last, bottom, high, zero
    )


def stairs(plot: ScalePlot, left: float, right: float, width: int) -> tuple[Float64, Float64]:
    """Return the corners of the line between two steps.

    Where more records than pixels are in sight, each pixel has its first, lowest, highest and last height, so
    that neither a short dip nor a short peak is lost.
    """
    steps, heights = plot.steps, plot.heights
    begin = max(int(np.searchsorted(steps, left)) - 1, 0)
    end = min(int(np.searchsorted(steps, right, "right")) + 1, len(steps))
    x, y = steps[begin:end].astype(np.float64), heights[begin:end]
    if len(x) <= 2 * width or right <= left:
        if not len(x):
            return x, y
        corners_x, corners_y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
        return np.append(corners_x, max(right, x[-1])), np.append(corners_y, y[-1])
    pixel = np.floor((x - left) / (right - left) * width).astype(np.int64)
    starts = np.flatnonzero(np.diff(pixel, prepend=pixel[0] - 1))
    ends = np.append(starts[1:], len(x)) - 1
    lows, highs = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    firsts, lasts = y[starts], y[ends]
    before = np.append(firsts[0], lasts[:-1])
    corners_y = np.stack((before, firsts, lows, highs, lasts), axis=1).ravel()
    return np.append(np.repeat(x[starts], 5), right), np.append(corners_y, lasts[-1])


def round_ticks(low: float, high: float, most: int) -> list[int]:
    """Return whole round numbers between *low* and *high*, at most about *most* of them."""
    wanted = max((high - low) / max(most, 1), 1.0)
    power = 10.0 ** math.floor(math.log10(wanted))
    step = max(next(round(power * times) for times in (1, 2, 5, 10) if power * times >= wanted - 1e-9), 1)
    return list(range(math.ceil(low / step) * step, math.floor(high) + 1, step))
