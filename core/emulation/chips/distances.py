"""How far two outputs are from each other, in units in the last place."""

from __future__ import annotations

from math import inf

import numpy as np

from core.dtypes import DType
from core.emulation.terms.computing import Array
from core.records.emulation import ULP_EDGES, Distance


def spacing(size: Array, dtype: DType) -> Array:
    """Return one ULP of *dtype* at magnitudes *size*: 2**(e − p + 1), that of the smallest normal below it.

    The largest power of two not above the magnitude is 2**e, p counts significand bits with the hidden one
    (Goldberg 1991). Infinite and NaN magnitudes give NaN.
    """
    wide = np.abs(np.asarray(size, np.float64))
    # The exponent bits alone are the power of two; of a number below the format's range the lowest counts.
    power = (wide.view(np.uint64) & _EXPONENT_BITS).view(np.float64)
    made = np.maximum(power, dtype.smallest_normal)
    made *= 2.0 ** (1 - dtype.precision)
    return np.where(np.isfinite(wide), made, np.nan)


_EXPONENT_BITS = np.uint64(0x7FF0000000000000)


def ulps_between(first: Array, second: Array, dtype: DType) -> tuple[Array, Array]:
    """Return |first − second| in ULP of *dtype* at *second*, and where only one is NaN or infinite.

    Where both are the same special value the distance is 0, at ``special`` elements infinite.
    """
    with np.errstate(all="ignore"):
        if np.isfinite(first).all() and np.isfinite(second).all():
            ulps = np.abs(first - second) / spacing(np.abs(second), dtype)
            return ulps, np.broadcast_to(np.asarray(False), ulps.shape)
        alike = (first == second) | (np.isnan(first) & np.isnan(second))
        finite = np.isfinite(first) & np.isfinite(second)
        off = np.abs(np.where(finite, first, 0.0) - np.where(finite, second, 0.0))
        ulps = off / spacing(np.where(finite, np.abs(second), 1.0), dtype)
    special = ~finite & ~alike
    return np.where(special, inf, np.where(alike, 0.0, ulps)), special


_CHUNK = 1 << 15
"""Elements looked at together: the temporaries of so many stay in cache."""


def distance_between(first: Array, second: Array, dtype: DType) -> Distance:
    """Return the distance of two float or complex arrays of one shape, in ULP of *dtype*."""
    return measure_distance(first, second, dtype, with_histogram=False)[0]


def measure_distance(
    first: Array, second: Array, dtype: DType, *, with_histogram: bool = True
) -> tuple[Distance, tuple[int, ...]]:
    """Return the distance, and elements by distance.

    The bins end at ``ULP_EDGES``; the last count is of elements that are special on one side. Without
    *with_histogram* there is none.
    """
    bins = np.zeros(len(ULP_EDGES), np.int64)
    if not first.size:
        return Distance(0.0, 0.0, 0.0, 1.0), (*bins.tolist(), 0)
    left, right = np.broadcast_to(first, second.shape).reshape(-1), second.reshape(-1)
    largest = total = away = norm = 0.0
    equal = odd = 0
    with np.errstate(all="ignore"):
        for start in range(0, left.size, _CHUNK):
            mine, other = left[start : start + _CHUNK], right[start : start + _CHUNK]
            ulps, special = ulps_between(mine, other, dtype)
            if special.any():
                odd += int(np.count_nonzero(special))
                ulps = ulps[~special]
            plain = np.isfinite(mine) & np.isfinite(other)
            if not plain.all():
                mine, other = mine[plain], other[plain]
            largest = max(largest, float(np.max(ulps, initial=0.0)))
            total += float(np.sum(ulps))
            equal += int(np.count_nonzero(ulps == 0))
            away += float(np.sum(np.square(np.abs(mine - other))))
            norm += float(np.sum(np.square(np.abs(other))))
            if with_histogram:
                places = np.searchsorted(_EDGES, ulps, side="left")
                bins += np.bincount(places, minlength=len(bins))
    seen = left.size - odd
    found = Distance(
        max_ulp=largest,
        mean_ulp=total / seen if seen else 0.0,
        relative_l2=float(np.sqrt(away / norm)) if norm else (inf if away else 0.0),
        equal=equal / left.size,
        special=odd,
    )
    return found, (*bins.tolist(), odd)


_EDGES = np.array(ULP_EDGES)
