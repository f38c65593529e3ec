"""Operands whose sums show how they were added.

Products of two float16 numbers come back in float16, 11 bits of them. So a huge product and its opposite
stand at two places of a row, with small ones around: what is left when the huge ones have cancelled is what
the adder has kept of the small ones, few bits, and exact in every format. Where the two places lie tells the
blocks and their order, how small the small ones are tells the guard bits, and what becomes of half a unit
tells the rounding. The idea is that of FTTN (Li et al.: Discovering the numeric behaviour of matrix
accelerators, 2024) and of FPRev (Xu et al.: Revealing the order of floating-point summation, 2024).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.dtypes import DTYPES
from core.emulation.arithmetic.rounding import Array, Conversion, convert

Pair = tuple[Array, Array]
"""Operands (M, K) and (K, N) of a matrix product, float32."""

_HUGE = 2.0**15, 2.0**14
"""Factors of the huge products, 2**29: with 24 bits their lowest counts 2**6. Every format has them."""
_HALF = 5
"""Exponent of half of that lowest bit."""
LEVELS = range(-1, 19)
"""By how many bits the small products lie below it: all guard bits that a profile can have, and more."""
_SMALL = 12
"""Small products of a row, at most: of 1 to 9 units each, their sum has 7 bits."""


def cancelling(generator: np.random.Generator, rows: int, length: int, columns: int) -> Pair:
    """Return rows with a huge product, its opposite, and small ones, all of few bits."""
    huge = _huge_places(generator, length)
    right = np.where(huge[:, np.newaxis], _HUGE[1], generator.integers(1, 4, (length, columns)))
    left = np.zeros((rows, length))
    for row in range(rows):
        _cancel(generator, left[row], np.flatnonzero(huge))
        free = np.flatnonzero(~huge)
        places = generator.choice(free, min(_SMALL, len(free)), replace=False)
        unit = 2.0 ** (_HALF - LEVELS[row % len(LEVELS)])
        left[row, places] = (
            unit * generator.integers(1, 4, len(places)) * generator.choice([-1, 1], len(places))
        )
    return left.astype(np.float32), right.astype(np.float32)


def beside_ties(generator: np.random.Generator, rows: int, length: int, columns: int, bits: int) -> Pair:
    """Return rows in which a small product lies beside half a unit of the huge one.

    It is 1 + 2**-t halves, with *t* up to *bits* in one factor, or a half and apart from it 2**-t.
    """
    huge = _huge_places(generator, length)
    right = np.where(huge[:, np.newaxis], _HUGE[1], generator.choice([1, 2], (length, columns)))
    left = np.zeros((rows, length))
    free = np.flatnonzero(~huge)
    for row in range(rows):
        _cancel(generator, left[row], np.flatnonzero(huge))
        first, second = generator.choice(free, 2, replace=False)
        sign = generator.choice([-1, 1])
        if row % 2:
            left[row, first] = sign * 2.0**_HALF * (1 + 2.0 ** -(1 + row // 2 % bits))
        else:
            left[row, first] = sign * 2.0**_HALF
            left[row, second] = generator.choice([-1, 1]) * 2.0 ** (_HALF - 1 - row // 2 % 17)
    return left.astype(np.float32), right.astype(np.float32)


def _huge_places(generator: np.random.Generator, length: int) -> Array:
    """Choose half the places of K for huge factors; the others are for small ones."""
    huge = np.zeros(length, np.bool_)
    huge[generator.choice(length, length // 2, replace=False)] = True
    return huge


def _cancel(generator: np.random.Generator, row: Array, places: Array) -> None:
    """Put a huge factor and its opposite into *row*, near each other or far apart."""
    first = int(generator.integers(len(places) - 1))
    last = first + 1 if generator.random() < 0.5 else int(generator.integers(first + 1, len(places)))
    sign = generator.choice([-1, 1])
    row[places[first]], row[places[last]] = sign * _HUGE[0], -sign * _HUGE[0]


def plain(
    generator: np.random.Generator, rows: int, length: int, columns: int, dtype: str, positive: bool = False
) -> Pair:
    """Return N(0, 1) or, *positive*, U(½, 1) numbers of *dtype*."""
    shapes = (rows, length), (length, columns)
    draw = generator.random if positive else generator.standard_normal
    left, right = (
        convert((draw(shape) / (1 + positive) + positive / 2).astype(np.float32), Conversion(DTYPES[dtype]))
        for shape in shapes
    )
    return left, right


def one_product(values: Sequence[float] | Array, length: int, columns: int) -> Pair:
    """Return rows with one number each, to be multiplied by powers of two: sums of one product.

    K is longer than 1 because libraries take another path there.
    """
    left = np.zeros((len(values), length), np.float32)
    for row, value in enumerate(values):
        left[row, row % length] = value
    powers = 2.0 ** (np.add.outer(np.arange(length), np.arange(columns)) % 4 - 2)
    return left, powers.astype(np.float32)


def around_rounding(generator: np.random.Generator, count: int) -> Array:
    """Return float32 numbers within float16's normal range, many on and beside ties of 8 to 13 bits."""
    kept = generator.integers(10, 14, count)
    whole = generator.integers(1 << (kept - 1), 1 << kept)
    part = generator.choice([0.0, 0.25, 0.5, 0.5, 0.5 + 2.0**-9, 0.5 - 2.0**-9, 0.75], count)
    values = (whole + part) * 2.0 ** (generator.integers(-8, 8, count) - kept)
    return np.asarray(values * generator.choice([-1, 1], count), np.float32)


def beyond_half() -> Array:
    """Return float32 numbers outside the normal range of float16, on both sides."""
    large = [65504.0, 65519.0, 65520.0, 65536.0, 70000.0, 1e5, 3e6, 1e20]
    small = [2.0**-15, 1.5 * 2.0**-15, 2.0**-24, 1.25 * 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 2.0**-26, 1e-20]
    values = np.array(large + small, np.float32)
    return np.concatenate((values, -values))


def between(bits: int, count: int = 32) -> Pair:
    """Return pairs (count,) whose sums lie a quarter, a half or three quarters between numbers of *bits*."""
    whole = 2.0**bits + 2.0 * np.arange(count)  # neighbours are 2 apart
    part = np.resize([0.5, 1.0, 1.0, 1.5], count)  # halves beside even and odd numbers
    sign = np.where(np.arange(count) // 4 % 2, -1.0, 1.0)
    return (whole * sign).astype(np.float32), (part * sign).astype(np.float32)


def spread(generator: np.random.Generator, rows: int, length: int, dtype: str) -> Array:
    """Return numbers of many sizes and both signs, so that the order of their sum shows."""
    values = generator.standard_normal((rows, length)) * 2.0 ** generator.integers(-6, 7, (rows, length))
    return convert(values.astype(np.float32), Conversion(DTYPES[dtype]))
