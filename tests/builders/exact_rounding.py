"""Rounding and block sums with fractions: slow, and right by being short."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from core.dtypes import DType
from core.emulation.arithmetic.rounding import Rounding


def floor_log2(value: Fraction) -> int:
    """Return the exponent of the leading bit of a positive number."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= value else exponent - 1


def rounded(value: Fraction, dtype: DType, rounding: Rounding) -> float:
    """Round to *dtype*, by the definition of IEEE 754-2019 section 4.3; beyond the range as section 7.4."""
    size = abs(value)
    if not size:
        return 0.0
    exponent = max(floor_log2(size), round(math.log2(dtype.smallest_normal)))
    quantum = Fraction(2) ** (exponent - dtype.precision + 1)
    steps, left = divmod(size, quantum)
    half = quantum / 2
    up = {
        Rounding.NEAREST_EVEN: left > half or (left == half and steps % 2 == 1),
        Rounding.NEAREST_AWAY: left >= half,
        Rounding.TOWARD_ZERO: False,
        Rounding.UP: left > 0 and value > 0,
        Rounding.DOWN: left > 0 and value < 0,
        Rounding.TO_ODD: left > 0 and steps % 2 == 0,
    }[rounding]
    size = (steps + up) * quantum
    if size > dtype.maximum:
        to_infinity = {
            Rounding.NEAREST_EVEN: True,
            Rounding.NEAREST_AWAY: True,
            Rounding.UP: value > 0,
            Rounding.DOWN: value < 0,
        }.get(rounding, False)
        size = math.inf if to_infinity else dtype.maximum
    return math.copysign(float(size), value)


def block_sum(
    start: float,
    a: Sequence[float],
    b: Sequence[float],
    accumulator: DType,
    rounding: Rounding,
    guard_bits: int | None,
) -> float:
    """Add one block of products to *start*, aligned to the largest exponent, and round; all are finite."""
    terms = [Fraction(start), *(Fraction(x) * Fraction(y) for x, y in zip(a, b))]
    if guard_bits is not None and any(terms):
        factors = [(Fraction(start), Fraction(1)), *((Fraction(x), Fraction(y)) for x, y in zip(a, b))]
        largest = max(floor_log2(abs(x)) + floor_log2(abs(y)) for x, y in factors if x and y)
        quantum = Fraction(2) ** (largest - 23 - guard_bits)
        terms = [math.trunc(term / quantum) * quantum for term in terms]
    total = sum(terms)
    if abs(total) >= 2 ** math.ceil(math.log2(accumulator.maximum)):
        return math.copysign(math.inf, total)
    return rounded(total, accumulator, rounding)
