"""One step of a matrix unit: add a block of products to the accumulators of a tile, in three ways.

A step is made for one tile: operands (stack, M, K) and (stack, K, N), accumulators (stack, M, N). Every
product of two numbers of 24 bits is exact in float64.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType
from core.emulation.arithmetic.exact_sum import add_to_odd, sum_to_odd
from core.emulation.arithmetic.rounding import Array, Conversion, Rounding, convert

_DOUBLE = 53
"""Bits of a float64 significand."""

_FAR = 2.0**300
"""The lowest bit of zero: no sum has one above it."""


class Closing:
    """How the sum of a step, exact or rounded to odd, becomes the next accumulator."""

    def __init__(self, accumulator: DType, rounding: Rounding) -> None:
        self.single = accumulator.precision == 24 and rounding is Rounding.NEAREST_EVEN
        self._conversion = Conversion(accumulator, rounding)
        self._nearest = Conversion(accumulator)
        self._limit = 2.0 ** np.ceil(np.log2(accumulator.maximum))

    def round(self, sums: Array) -> Array:
        """Round float64 *sums*; beyond the range the result is infinite, toward zero as well."""
        rounded = convert(sums, self._conversion)
        if self._conversion.rounding is Rounding.TOWARD_ZERO and not (
            sums.size and -self._limit < sums.min() and sums.max() < self._limit
        ):
            rounded = np.where(np.abs(sums) >= self._limit, sums * np.inf, rounded)
        return rounded

    def unlike(self, low: Array, high: Array) -> Array:
        """Tell where two float64 numbers are rounded to different ones, or one is NaN."""
        if self.single:
            return np.not_equal(low.astype(np.float32), high.astype(np.float32))
        return np.not_equal(convert(low, self._conversion), convert(high, self._conversion))

    def combine(self, first: Array, second: Array) -> Array:
        """Add the sums of two parts of K, to nearest."""
        total = add_to_odd(first.astype(np.float64), second.astype(np.float64))
        return convert(total, self._nearest).astype(first.dtype)


class BlockStep(Protocol):
    """Adds blocks of products to accumulators that are held in *holder*."""

    @property
    def holder(self) -> type[np.floating[Any]]:
        """The numpy type of the accumulators."""

    def begin(self, sums: Array) -> None:
        """Take note of the accumulators with which a part of K begins."""

    def add(self, sums: Array, block: slice) -> Array:
        """Return the accumulators after *block* of K; *sums* may be overwritten."""


class BlasStep:
    """The block is summed in float32 by BLAS, and its sum is added in a second rounding."""

    holder = np.float32

    def __init__(self, a: Array, b: Array, closing: Closing) -> None:
        self._a, self._b, self._closing = a, b, closing
        self._products = np.empty((a.shape[0], a.shape[1], b.shape[2]), np.float32)

    def begin(self, sums: Array) -> None:
        """Nothing to note."""

    def add(self, sums: Array, block: slice) -> Array:
        """Add the product of the block to *sums*."""
        np.matmul(self._a[:, :, block], self._b[:, block], out=self._products)
        if self._closing.single:
            return np.add(sums, self._products, out=sums)
        total = add_to_odd(sums.astype(np.float64), self._products.astype(np.float64))
        return self._closing.round(total).astype(np.float32)


class ExactStep:
    """The block and the accumulator are added without error and rounded once.

    BLAS adds in float64, which is exact for data of few bits. Elsewhere it is enough unless a number of the
    accumulator's format, or the middle between two, lies within its error bound. Those elements are looked at
    again: their sum is computed without error unless their own lowest bits show that float64 was exact.
    """

    holder = np.float64

    def __init__(self, a: Array, b: Array, closing: Closing) -> None:
        self._a, self._b, self._closing = a, b, closing
        shape = (a.shape[0], a.shape[1], b.shape[2])
        self._total, self._error, self._limit = np.empty(shape), np.empty(shape), np.empty(shape)
        self._low_a, self._low_b = lowest_bit(a), lowest_bit(b)
        self._low, self._bound = _FAR, 0.0

    def begin(self, sums: Array) -> None:
        """Note the lowest bit and the largest value of all accumulators."""
        self._low, self._bound = float(lowest_bit(sums).min()), float(np.abs(sums).max())

    def add(self, sums: Array, block: slice) -> Array:
        """Add the exact product of the block to *sums*."""
        a, b = self._a[:, :, block], self._b[:, block]
        total, error, limit = self._total, self._error, self._limit
        np.matmul(a, b, out=total)
        np.add(total, sums, out=total)
        terms = a.shape[-1]
        rows, columns = np.abs(a).max(axis=2), np.abs(b).max(axis=1)
        if self._exact(terms * float(rows.max()) * float(columns.max()), block):
            return self._closing.round(total)
        # The products' absolute sum is at most that of the largest: times n u for the sum in any order, and
        # u of the last addition.
        rows *= terms
        np.multiply(rows[:, :, np.newaxis], columns[:, np.newaxis, :], out=error)
        np.multiply(error, (terms + 1.0) * 2.0**-_DOUBLE, out=error)
        np.abs(total, out=limit)
        np.multiply(limit, 2.0 ** (1 - _DOUBLE), out=limit)
        np.add(error, limit, out=error)
        np.subtract(total, error, out=limit)
        np.add(total, error, out=error)
        doubtful = np.flatnonzero(self._closing.unlike(limit, error))
        if doubtful.size:
            self._settle(total.reshape(-1), sums.reshape(-1), block, doubtful, (rows, columns))
        return self._closing.round(total)

    def _exact(self, bound: float, block: slice) -> bool:
        """Whether all sums so far are short multiples of one power of two, however they are added.

        Rounding to fewer bits keeps them multiples; and to nearest it moves a sum no further than the
        accumulator was from it, so that a block adds at most twice its own sum.
        """
        low = float(self._low_a[:, :, block].min() * self._low_b[:, block].min())
        self._low, self._bound = min(self._low, low), self._bound + 2.0 * bound
        return self._bound <= 2.0**_DOUBLE * self._low

    def _settle(
        self,
        total: Array,
        sums: Array,
        block: slice,
        doubtful: NDArray[np.intp],
        largest: tuple[Array, Array],
    ) -> None:
        """Put the sum, rounded to odd, wherever float64 was not exact."""
        stack, row, column = np.unravel_index(doubtful, self._total.shape)
        before = sums[doubtful]
        low = (
            self._low_a[:, :, block].min(axis=2)[stack, row]
            * self._low_b[:, block].min(axis=1)[stack, column]
        )
        low = np.minimum(low, lowest_bit(before))
        bound = largest[0][stack, row] * largest[1][stack, column] + np.abs(before)
        inexact = ~(bound <= 2.0**_DOUBLE * low) & np.isfinite(total[doubtful])
        if inexact.any():
            stack, row, column, doubtful = (part[inexact] for part in (stack, row, column, doubtful))
            terms = self._a[stack, row, block].T * self._b[stack, block, column].T
            total[doubtful] = sum_to_odd(np.concatenate((terms, before[np.newaxis, inexact])))


class AlignedStep:
    """All addends are cut off at a place below the largest exponent, and added as integers.

    The exponent of a product is the sum of its factors' exponents, as before normalisation; a subnormal
    factor has that of its leading bit.
    """

    holder = np.float64

    def __init__(self, a: Array, b: Array, closing: Closing, fraction_bits: int) -> None:
        self._plain = bool(np.isfinite(a).all() and np.isfinite(b).all())
        self._a, self._b, self._closing = a, b, closing
        self._scale = 2.0**fraction_bits
        self._finite_a, self._finite_b = _finite(a), _finite(b)
        self._power_a, self._power_b = leading_bit(self._finite_a), leading_bit(self._finite_b)
        shape = (a.shape[0], a.shape[1], b.shape[2])
        self._power, self._unit, self._sum = np.empty(shape), np.empty(shape), np.empty(shape)

    def begin(self, sums: Array) -> None:
        """Nothing to note."""

    def add(self, sums: Array, block: slice) -> Array:
        """Add the aligned products of the block to *sums*."""
        power, unit, total = self._power, self._unit, self._sum
        finite = _finite(sums)
        places = range(block.start, block.stop)
        np.copyto(unit, leading_bit(finite))
        for k in places:
            np.multiply(self._power_a[:, :, k, np.newaxis], self._power_b[:, np.newaxis, k], out=power)
            np.maximum(unit, power, out=unit)
        np.copyto(unit, 1.0, where=unit == 0.0)  # nothing but zeros
        np.divide(self._scale, unit, out=unit)
        np.multiply(finite, unit, out=total)
        np.trunc(total, out=total)
        for k in places:
            np.multiply(self._finite_a[:, :, k, np.newaxis], self._finite_b[:, np.newaxis, k], out=power)
            np.multiply(power, unit, out=power)
            np.trunc(power, out=power)
            np.add(total, power, out=total)
        np.divide(total, unit, out=total)
        rounded = self._closing.round(total)
        if not (self._plain and finite is sums):
            plain = np.matmul(self._a[:, :, block], self._b[:, block]) + sums
            rounded = np.where(np.isfinite(plain), rounded, plain)
        return rounded


def _finite(values: Array) -> Array:
    """Return *values*, with 0 in place of infinities and NaN."""
    finite = np.isfinite(values)
    return values if finite.all() else np.where(finite, values, 0.0)


def leading_bit(values: Array) -> Array:
    """Return the power of two at the leading bit of normal float64 numbers; 0 of 0."""
    bits: Array = (np.ascontiguousarray(values).view(np.uint64) & np.uint64(0x7FF << 52)).view(np.float64)
    return bits


def lowest_bit(values: Array) -> Array:
    """Return the power of two at the lowest bit set of float64 numbers; a huge one for 0 and infinities."""
    fraction, exponent = np.frexp(values)
    whole = np.where(np.isfinite(fraction), np.abs(fraction) * 2.0**_DOUBLE, 0.0).astype(np.int64)
    low = np.ldexp((whole & -whole).astype(np.float64), exponent - _DOUBLE)
    return np.where(whole == 0, _FAR, low)
