"""Exact values of elements in words: as many digits as tell a number from its neighbours in its format."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.metrics.inspection.values import Value
from gui import numbers

_FORMATS: dict[str, type[np.floating[Any]]] = {
    "float64": np.float64,
    "complex128": np.float64,
    "float16": np.float16,
}
"""By which the digits are counted; all others are exact in float32."""


def value_words(value: Value | None, dtype: str = "") -> str:
    """Return *value*, of a tensor stored as *dtype*; a dash where there is none."""
    if value is None:
        return numbers.NOTHING
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return numbers.grouped(value)
    if isinstance(value, complex):
        real, imaginary = _real(value.real, dtype), _real(abs(value.imag), dtype)
        negative = math.copysign(1, value.imag) < 0 and not math.isnan(value.imag)
        return f"{real} {numbers.MINUS if negative else '+'} {imaginary}i"
    return _real(value, dtype)


def _real(value: float, dtype: str) -> str:
    if not math.isfinite(value):
        return numbers.scientific(value)
    with np.errstate(over="ignore"):
        number: np.floating[Any] = _FORMATS.get(dtype, np.float32)(value)
    if float(number) != value:  # wider than its format says
        number = np.float64(value)
    size = abs(value)
    if value == 0 or 1e-4 <= size < 1e7:
        written = np.format_float_positional(number, unique=True, trim="-")
    else:
        written = np.format_float_scientific(number, unique=True, trim="-", exp_digits=2)
    return written.replace("-", numbers.MINUS)
