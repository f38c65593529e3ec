"""Curves of any length as lines of a screen's width, without losing a spike.

A track keeps the smallest and largest finite value of groups of neighbouring points, of 16, 16 x 16 and so
on. Whatever part of it is looked at, a few thousand of these tell the extremes under every pixel.
"""

from __future__ import annotations

import math

import numpy as np

from core.records.columns import Float64, Int64
from core.records.curves import Level, Track

_GROUP = 16
_USUAL, _APART = 0.95, 1.5
"""So many neighbours lie no further apart than is usual; what lies so much further apart is a gap."""


def track_of(x: Float64, y: Float64) -> Track:
    """Return the track of the points (*x*, *y*), *x* ascending."""
    finite = np.isfinite(y)
    low = np.where(finite, y, np.nan)
    high = low
    levels: list[Level] = []
    while len(low) > _GROUP:
        starts = np.arange(0, len(low), _GROUP)
        low, high = np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
        levels.append(Level(low, high))
    return Track(x, y, tuple(levels), np.flatnonzero(~finite).astype(np.int64))


def polyline(track: Track, left: float, right: float, pixels: int) -> tuple[Float64, Float64]:
    """Return x and y of a line for the view *left* .. *right* of *pixels* columns; y is NaN at gaps.

    All points of the view where they are few, else the two extremes of each column, at most ``4 * pixels``
    points in all. The line reaches one point beyond the view on each side.
    """
    first, last = _seen(track.x, left, right)
    pixels = max(pixels, 1)
    count = last - first
    if count <= 4 * pixels:
        y = track.y[first:last]
        return track.x[first:last], np.where(np.isfinite(y), y, np.nan)
    depth = min(int(math.log(count / pixels, _GROUP)), len(track.levels))
    size = _GROUP**depth
    begin, end = first // size, -(-last // size)
    if depth:
        low, high = track.levels[depth - 1].low[begin:end], track.levels[depth - 1].high[begin:end]
    else:
        low = high = np.where(np.isfinite(track.y[begin:end]), track.y[begin:end], np.nan)
    starts: Int64 = np.unique(np.linspace(0, len(low), pixels, endpoint=False).astype(np.int64))
    both = np.empty(2 * len(starts))
    both[0::2], both[1::2] = np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
    return np.repeat(track.x[(begin + starts) * size], 2), both


def extent(track: Track, left: float, right: float) -> tuple[float, float]:
    """Return the smallest and the largest finite value from *left* to *right*; NaN where there is none."""
    first = int(np.searchsorted(track.x, left))
    last = int(np.searchsorted(track.x, right, "right"))
    lows, highs = [math.nan], [math.nan]
    size, low, high = 1, track.y, track.y
    for level in (*track.levels, None):
        begin, end = -(-first // (size * _GROUP)), last // (size * _GROUP)
        whole = level is not None and begin < end
        # the ends that fill no group of the next size, or all where there is no such group
        ends = [(first, begin * size * _GROUP), (end * size * _GROUP, last)] if whole else [(first, last)]
        for start, stop in ends:
            part = slice(-(-start // size), -(-stop // size))
            for found, values in ((lows, low[part]), (highs, high[part])):
                finite = values[np.isfinite(values)]
                if len(finite):
                    found.append(float(finite.min() if found is lows else finite.max()))
        if not whole:
            break
        assert level is not None
        first, last = begin * size * _GROUP, end * size * _GROUP
        size, low, high = size * _GROUP, level.low, level.high
    return float(np.fmin.reduce(lows)), float(np.fmax.reduce(highs))


def gap_of(track: Track) -> float:
    """Return from which distance on two points are no neighbours; infinite where too few tell."""
    apart = np.diff(track.x)
    return _APART * float(np.quantile(apart, _USUAL)) if len(apart) > 1 else math.inf


def mean_between(track: Track, left: float, right: float) -> tuple[float, int]:
    """Return the mean of the finite values from *left* to *right*, and how many these are."""
    inside = track.y[np.searchsorted(track.x, left) : np.searchsorted(track.x, right, "right")]
    finite = inside[np.isfinite(inside)]
    return (float(finite.mean()) if len(finite) else math.nan), len(finite)


def value_at(track: Track, x: float) -> float:
    """Return the value at the last point at or before *x*; NaN before the first one."""
    at = int(np.searchsorted(track.x, x, "right")) - 1
    return float(track.y[at]) if at >= 0 else math.nan


def _seen(x: Float64, left: float, right: float) -> tuple[int, int]:
    """Return the points from one before *left* to one after *right*, the end not included."""
    first = int(np.searchsorted(x, left)) - 1
    last = int(np.searchsorted(x, right, "right")) + 1
    return max(first, 0), min(last, len(x))
