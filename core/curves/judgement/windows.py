"""Sliding windows over a deviation, NaN left out."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.records.columns import Float64

_NORMAL = 1.4826
"""Standard deviation of normal noise over its median absolute deviation (Rousseeuw and Croux, 1993)."""
_STRIDES = 8
"""Parts of a window after which its median is taken anew."""


def mean_ahead(values: Float64, window: int) -> Float64:
    """Return the mean of *values*, shape (n,), over the *window* places from each on; fewer at the end.

    The windows at the end that are shorter than half are those of the last half window: a single value is
    no mean.
    """
    finite = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(finite, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(finite)])
    count = len(values)
    first = np.minimum(np.arange(count), max(count - (window + 1) // 2, 0))
    last = np.minimum(first + window, count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((sums[last] - sums[first]) / (counts[last] - counts[first]), np.float64)


def mean_around(values: Float64, window: int) -> Float64:
    """Return the mean of *values* over *window* places around each, fewer at both ends."""
    finite = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(finite, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(finite)])
    at = np.arange(len(values))
    first, last = np.maximum(at - window // 2, 0), np.minimum(at + window // 2 + 1, len(values))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((sums[last] - sums[first]) / (counts[last] - counts[first]), np.float64)


def noise_before(size: Float64, window: int) -> Float64:
    """Return a robust standard deviation of a deviation, given its absolute values, before each place.

    It is 1.4826 times the median over the *window* places before, taken anew every eighth of a window. The
    first half window, before which there is too little, has the noise of the first whole window.
    """
    count = len(size)
    half = (window + 1) // 2
    if not count:
        return np.empty(0)
    first = _NORMAL * _median(size[np.newaxis, :window])
    if count <= half:
        return np.repeat(first, count)
    padded = np.concatenate([np.full(window - half, np.nan), size])
    stride = max(window // _STRIDES, 1)
    medians = _NORMAL * _median(sliding_window_view(padded, window)[: count - half : stride])
    return np.concatenate([np.repeat(first, half), np.repeat(medians, stride)])[:count]


def _median(rows: Float64) -> Float64:
    """Return the median of each row without its NaN; infinite where there is none."""
    ordered = np.sort(rows, axis=1)  # NaN go to the end
    counts = (~np.isnan(ordered)).sum(axis=1)
    at = np.arange(len(rows))
    lower, upper = np.maximum(counts - 1, 0) // 2, np.minimum(counts // 2, rows.shape[1] - 1)
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, (ordered[at, lower] + ordered[at, upper]) / 2, np.inf)
