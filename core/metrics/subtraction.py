"""Differences that involve integers of 64 bits, which float64 alone does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

_EXACT = np.float64(2.0**53)
_LOW_BITS = 0x7FF


def has_wide_integers(target: NDArray[Any], golden: NDArray[Any]) -> bool:
    """Return whether real *target* − *golden* needs :func:`subtract_wide`."""
    kinds = target.dtype.kind, golden.dtype.kind
    return "c" not in kinds and any(
        side.dtype.kind in "iu" and side.dtype.itemsize == 8 for side in (target, golden)
    )


def subtract_wide(target: NDArray[Any], golden: NDArray[Any]) -> Float64:
    """Return *target* − *golden* as float64, rounded once, where a side is of 64-bit integers.

    Neighbours beyond 2**53 never look equal. Between an integer and a float, what the first sum loses is
    added again: D. E. Knuth, "The Art of Computer Programming", vol. 2, 4.2.2, theorem B (two-sum).
    """
    if target.dtype.kind in "iub" and golden.dtype.kind in "iub":
        (high_t, low_t), (high_g, low_g) = _words(target), _words(golden)
        return np.asarray((high_t - high_g) * 2.0**32 + (low_t - low_g))
    with np.errstate(all="ignore"):
        (high_t, low_t), (high_g, low_g) = _parts(target), _parts(golden)
        total = high_t - high_g
        other = total - high_t
        lost = (high_t - (total - other)) - (high_g + other)
        rest = (low_t - low_g) + np.where(np.isfinite(lost), lost, 0.0)
        return np.asarray(total + rest, np.float64)


def _words(values: NDArray[Any]) -> tuple[Float64, Float64]:
    """Return the upper and the lower 32 bits as numbers: high · 2**32 + low."""
    full = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    high = full >> full.dtype.type(32)
    low = full & full.dtype.type(0xFFFFFFFF)
    return high.astype(np.float64), low.astype(np.float64)


def _parts(values: NDArray[Any]) -> tuple[Float64, Float64]:
    """Return two float64 that add up to each of *values*; the second is 0 where one holds the number."""
    rounded = values.astype(np.float64)
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return rounded, np.zeros_like(rounded)
    low = values & values.dtype.type(_LOW_BITS)
    low = np.where(np.abs(rounded) < _EXACT, values.dtype.type(0), low)
    return (values - low).astype(np.float64), low.astype(np.float64)
