"""Errors in units in the last place, as the official checker counts them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType
from core.emulation.standards.numbers import Variant, numbers_of

Float64 = NDArray[np.float64]

_LEAST_LOG = -22.0
_ALMOST_NOTHING = 2.0**-1000
_WIDTHS = ((15, 1), (7, 2), (3, 3))
"""Fraction bits up to a magnitude of the exponent, of the tapered eight-bit format HiF8."""


def ulp_errors(device: Float64, bench: Float64, dtype: DType, variant: Variant) -> Float64:
    """Return the error of each element in units in the last place of the bench.

    ``|device - bench| * 2^(m - e)`` with m fraction bits and ``e = max(floor(log2 |bench|), e_min)``
    (msprobe api_accuracy_checker, compare/algorithm.py, ``get_ulp_err``). The code takes e = 0 for a bench
    of 0, which hides errors up to 2^-m beside a zero; by the guide's words it is e_min. The code's errors
    of eight-bit formats keep their sign, and two zeros are -978 apart, which passes.

    Parameters
    ----------
    device, bench
        float64, one shape.

    Returns
    -------
    float64, NaN where the bench is NaN or infinite.
    """
    if dtype.itemsize == 1:
        if variant is Variant.CODE:
            return _tapered(device, bench, -np.inf)
        return np.abs(_tapered(device, bench, _LEAST_LOG))
    numbers = numbers_of(dtype, variant)
    _, exponent = np.frexp(bench)
    exponent = np.maximum(exponent - 1, numbers.ulp_least_exponent)
    at_zero = 0 if variant is Variant.CODE else numbers.ulp_least_exponent
    exponent = np.where(bench == 0.0, at_zero, exponent)
    found: Float64 = np.abs(np.ldexp(device - bench, numbers.ulp_fraction_bits - exponent))
    return np.where(np.isfinite(bench), found, np.nan)


def _tapered(device: Float64, bench: Float64, least: float) -> Float64:
    """Return signed errors whose unit narrows as the exponent of the bench leaves 0.

    Beyond 2^±15 there are no fraction bits, and the difference of the logarithms counts, the device's not
    below *least* (``calc_ulp_err_fp8`` of the same file; it is applied to e4m3 and e5m2 alike).
    """
    logarithm = np.maximum(np.log2(np.abs(bench) + _ALMOST_NOTHING), _LEAST_LOG)
    exponent = np.floor(logarithm)
    width = np.zeros_like(bench)
    for largest, bits in _WIDTHS:
        width[np.abs(exponent) <= largest] = bits
    linear = (device - bench) * np.exp2(width - exponent)
    sign_bench = np.where(bench >= 0, 1.0, -1.0)
    sign_device = np.where(device >= 0, 1.0, -1.0)
    other = np.maximum(np.log2(np.abs(device) + _ALMOST_NOTHING), least)
    logarithmic = other * sign_device - logarithm * sign_bench
    found: Float64 = np.where(width == 0, logarithmic, linear)
    return np.where(np.isfinite(bench), found, np.nan)
