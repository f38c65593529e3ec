"""Differences of two arrays of numbers, rounded once at most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType
from core.metrics.subtraction import has_wide_integers, subtract_wide

Numbers = NDArray[Any]
Float64 = NDArray[np.float64]

_FLOAT64_MAX = float(np.finfo(np.float64).max)


def wide(values: Numbers) -> Numbers:
    """Return *values* as float64, or as complex128."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64, copy=False)


def magnitudes(values: Numbers) -> Float64:
    """Return |values| as float64, at most its largest where both parts of a complex number are finite."""
    with np.errstate(all="ignore"):
        sizes = np.asarray(np.abs(wide(values)), np.float64)
    if values.dtype.kind == "c" and np.isinf(sizes).any():
        sizes = np.where(np.isfinite(values), np.minimum(sizes, _FLOAT64_MAX), sizes)
    return sizes


def largest_magnitude(values: Numbers) -> float:
    """Return the largest of :func:`magnitudes` of *values*, of which there are some, all finite."""
    if values.dtype.kind == "c":
        return float(magnitudes(values).max())
    return max(float(values.max()), -float(values.min()))


def real_values(values: Numbers) -> Float64:
    """Return *values* as float64; of complex numbers the magnitudes."""
    return magnitudes(values) if values.dtype.kind == "c" else np.asarray(wide(values), np.float64)


def signed_differences(target: Numbers, golden: Numbers) -> Numbers:
    """Return target − golden as float64 (complex128 of complex numbers), each rounded once.

    Integers of 64 bits, from floats too, are subtracted so that neighbours beyond 2**53 never look equal. The
    difference of finite numbers is finite, as in pictures: at most float64's largest, in each part of a
    complex one.
    """
    if has_wide_integers(target, golden):
        return subtract_wide(target, golden)
    with np.errstate(all="ignore"):
        difference = np.asarray(wide(target) - wide(golden))
    if any(side.real.dtype.itemsize > 4 for side in (target, golden)):
        _saturate(difference, target, golden)
    return difference


def _saturate(difference: Numbers, target: Numbers, golden: Numbers) -> None:
    """Make float64's largest of each infinite *difference* of finite numbers."""
    with np.errstate(all="ignore"):
        if np.isfinite(difference.sum()):  # many times faster than looking at each
            return
    beyond = np.isinf(difference)
    if beyond.any():
        beyond &= np.isfinite(target) & np.isfinite(golden)
        parts = difference[beyond].view(np.float64)
        difference[beyond] = np.clip(parts, -_FLOAT64_MAX, _FLOAT64_MAX).view(difference.dtype)


def special_classes(values: Numbers) -> NDArray[np.uint8]:
    """Return 0 for finite numbers, 1 NaN, 2 +Inf, 3 −Inf; an infinite complex number counts as +Inf."""
    if values.dtype.kind not in "fc":
        return np.zeros(values.shape, np.uint8)
    classes = np.isnan(values).astype(np.uint8)
    if values.dtype.kind == "c":
        np.copyto(classes, 2, where=np.isinf(values))
        return classes
    classes += (values == np.inf) * np.uint8(2)
    classes += (values == -np.inf) * np.uint8(3)
    return classes


def ulp_sizes(target: Numbers, golden: Numbers, dtype: DType) -> Float64:
    """Return |target − golden| in units of *dtype* at the golden's magnitude; NaN where either is special.

    As :func:`core.metrics.ulps.ulp_errors` without the sign, but for quotients beyond float64, which are its
    largest.
    """
    with np.errstate(all="ignore"):
        t, g = wide(target), wide(golden)
        units = _units(g, dtype)
        sizes: Float64 = np.abs(subtract_wide(target, golden) if has_wide_integers(target, golden) else t - g)
        sizes /= units
        if float(sizes.max(initial=0.0)) < np.inf:
            return sizes
        finite = np.isfinite(t) & np.isfinite(g)
        beyond = finite & np.isinf(sizes)
        # The difference of two halves never overflows.
        sizes[beyond] = np.abs(t[beyond] * 0.5 - g[beyond] * 0.5) / units[beyond] * 2.0
        return np.where(finite, np.minimum(sizes, _FLOAT64_MAX), np.nan)


def _units(golden: Numbers, dtype: DType) -> Float64:
    """Return :func:`core.metrics.ulps.ulp_of` of finite numbers: their bits without the fraction, scaled."""
    sizes = np.maximum(np.abs(golden), dtype.smallest_normal)
    words = sizes.view(np.uint64)
    words &= np.uint64(0x7FF0000000000000)
    sizes *= 2.0 ** (1 - dtype.precision)
    return np.asarray(sizes, np.float64)
