"""Special functions that numpy lacks, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.emulation.terms.computing import Array

_SQRT_HALF = math.sqrt(0.5)


def _each(function: Callable[[float], float], x: Array) -> Array:
    flat = np.ascontiguousarray(x, np.float64).reshape(-1)
    made = np.fromiter(map(function, flat.tolist()), np.float64, flat.size)
    return made.reshape(x.shape)


def erf(x: Array) -> Array:
    """Return the error function, correct to the last places of float64 (the C library's)."""
    return _each(math.erf, x)


def erfc(x: Array) -> Array:
    """Return 1 − erf(x) without cancellation."""
    return _each(math.erfc, x)


def normal_cdf(x: Array) -> Array:
    """Return the standard normal distribution function."""
    return 0.5 * _each(math.erfc, -x * _SQRT_HALF)


def normal_pdf(x: Array) -> Array:
    """Return the standard normal density."""
    return np.exp(-0.5 * np.square(x)) / math.sqrt(2.0 * math.pi)


def sigmoid(x: Array) -> Array:
    """Return 1/(1 + e**−x), without overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def softplus(x: Array) -> Array:
    """Return log(1 + e**x), without overflow."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))
