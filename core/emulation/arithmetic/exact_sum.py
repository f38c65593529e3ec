"""Sums of float64 numbers without error: rounded to odd, so that the rounding that follows is the only one.

A sum rounded to odd keeps its 53 bits exact but for the last, which is 1 whenever anything was cut off.
Rounding it to 51 bits or fewer, in any direction, gives what rounding the exact sum gives (Boldo and
Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE
Transactions on Computers 57(4), 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def two_sum(first: Array, second: Array) -> tuple[Array, Array]:
    """Return the float64 sum and its rounding error, both exact together (Knuth 1969)."""
    total = first + second
    part = total - first
    return total, (first - (total - part)) + (second - part)


def add_to_odd(first: Array, second: Array) -> Array:
    """Add two float64 arrays and round to odd; what is not finite is IEEE 754's."""
    return _to_odd(*two_sum(first, second))


def sum_to_odd(terms: Array) -> Array:
    """Add float64 *terms* along the first axis, exactly, and round to odd.

    All terms must be finite, and their sum far from overflow. The terms are distilled (Kahan; Ogita, Rump
    and Oishi 2005): passes of error-free additions until none changes anything; then the first holds the
    nearest float64 number and the sign of the next is the sign of all that is left.
    """
    terms = terms.copy()
    count = len(terms)
    for _ in range(2 * count + 2):
        before = terms.copy()
        for index in range(1, count):
            terms[index], terms[index - 1] = two_sum(terms[index], terms[index - 1])
        if np.array_equal(before, terms):
            break
    rest = np.zeros_like(terms[-1])
    for index in range(count - 1):  # the largest part that is not zero stands last
        rest = np.where(terms[index] != 0, terms[index], rest)
    return _to_odd(terms[-1], rest)


def _to_odd(total: Array, rest: Array) -> Array:
    """Round total + rest to odd, |rest| being at most half a unit in the last place of *total*."""
    inexact = np.isfinite(total) & (rest != 0) & ~np.isnan(rest)
    if not inexact.any():
        return total
    toward_zero = inexact & (np.signbit(rest) != np.signbit(total))
    # One less in the bits is the neighbour toward zero.
    bits = np.ascontiguousarray(total).view(np.uint64) - toward_zero.astype(np.uint64)
    odd: Array = (bits | inexact.astype(np.uint64)).view(np.float64)
    return odd
