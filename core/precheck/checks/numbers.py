"""How numbers stand in the compared things of a check."""

from __future__ import annotations

import math

_MOST_DIGITS = 6
"""Digits of a share, at most, that tell it from its limit."""


def spelt(value: float) -> str:
    """Return *value* with up to seven digits: what a float32 has."""
    return f"{value:.7g}"


def percent(value: float, limit: float | None = None) -> str:
    """Return the share *value* with two digits: ``1.3 %``; ``—`` for NaN.

    With the *limit* that it is held against it gets as many more as tell the two apart: ``1.04 %``.
    """
    if math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞ %" if value > 0 else "-∞ %"
    for digits in range(2, _MOST_DIGITS + 1):
        told = _digits(100 * value, digits)
        if limit is None or value == limit or told != _digits(100 * limit, digits):
            break
    return f"{told} %"


def _digits(value: float, digits: int) -> str:
    """Return *value* with so many digits, whole numbers in full: ``124`` and not ``1.2e+02``."""
    return f"{value:.0f}" if 10 ** (digits - 1) <= abs(value) < 1e6 else f"{value:.{digits}g}"
