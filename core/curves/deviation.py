"""How far a target lies from its golden: the one place where differences of curves are formed."""

from __future__ import annotations

import numpy as np

from core.records.columns import Float64
from core.records.curves import Paired

_BLOCK = 25
"""Neighbouring places whose median is what is usual around."""
_LEAST_SHARE = 0.1
"""Part of what is usual that a difference is divided by at least; all of it where a series crosses 0, as the
difference would be divided by nothing there. An assumption.
"""
_CROSSES = 0.01
"""Part of the values that have the other sign in a series that crosses 0."""
_MOST_DECIMALS = 6
_SAMPLES = 2000
_HALF = 0.5005
"""Half a unit, and a little for what binary numbers make of decimals."""
_LEAST_SAMPLES = 20
"""Different values without which round ones may be chance."""


def relative_deviation(target: Float64, golden: Float64, scale: Float64 | None = None) -> Float64:
    """Return (target − golden) / max(|golden|, scale), elementwise in float64.

    0 where both are equal, also both infinite or both 0; infinite where golden and *scale* are 0; NaN where
    either is NaN, or one is infinite and the other something else.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        difference = target - golden
        size = np.abs(golden)
        made = difference / (size if scale is None else np.maximum(size, scale))
    made[target == golden] = 0.0
    made[np.isinf(golden) & (target != golden)] = np.nan
    return made


def deviation_of(paired: Paired) -> Float64:
    """Return the relative deviation of *paired*."""
    return relative_deviation(paired.target, paired.golden, paired.scale)


def usual_scale(golden: Float64) -> Float64:
    """Return what differences are divided by at least: part of the median size of *golden* around a place.

    It is a tenth, and all of it where *golden* crosses 0; 0 where nothing around is finite.
    """
    count = len(golden)
    if not count:
        return np.empty(0)
    blocks = -(-count // _BLOCK)
    padded = np.full(blocks * _BLOCK, np.nan)
    padded[:count] = np.where(np.isfinite(golden), np.abs(golden), np.nan)
    rows = np.sort(padded.reshape(blocks, _BLOCK), axis=1)  # NaN go to the end
    known = (~np.isnan(rows)).sum(axis=1)
    medians = np.where(known > 0, rows[np.arange(blocks), np.maximum(known - 1, 0) // 2], 0.0)
    signs = (int((golden > 0).sum()), int((golden < 0).sum()))
    share = 1.0 if min(signs) > _CROSSES * sum(signs) else _LEAST_SHARE
    return share * np.repeat(medians, _BLOCK)[:count]


def rounding_of(values: Float64) -> float:
    """Return half a unit of the last decimal that *values* were printed with; 0 where none shows."""
    finite = values[np.isfinite(values)][:_SAMPLES]
    if len(np.unique(finite)) < _LEAST_SAMPLES:
        return 0.0
    for decimals in range(1, _MOST_DECIMALS + 1):
        scaled = finite * 10.0**decimals
        if np.abs(scaled).max() < 2.0**50 and (np.abs(scaled - np.round(scaled)) < 1e-6).all():
            return _HALF * 10.0**-decimals
    return 0.0
