"""Errors in ULP, counted in bins of 1/128 of an octave, straight from the bits of differences.

A unit in the last place is a power of two, so dividing by it only subtracts exponents: the bits of |t − g|
less the exponent of the unit, read as an integer, order as the errors do, and their upper bits are the bin.
"""

from __future__ import annotations

from math import ceil, ldexp, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType
from core.metrics.distributions.records import Float64, Int64, UlpHistogram
from core.metrics.distributions.scratch import Scratch

_LEAST = -24
"""Errors up to 2 to this are in the first bin."""
_FINE = 7
"""Bits of the fraction that tell a bin."""
_COARSE = 11
"""Precision of float16: two such numbers less than 2**10 units apart differ by few bits."""
_LARGEST = float(np.finfo(np.float64).max)
_BIAS = 253 << 23
"""Added to the bits of float32 errors, so that they are never negative: there are 253 sizes of units."""
PERCENTS = (50.0, 90.0, 99.0, 99.9)


class UlpCounter:
    """Errors in units of *dtype*, of finite pairs; *same*: both sides are of this format."""

    def __init__(self, dtype: DType, *, same: bool) -> None:
        self._dtype = dtype
        self._counts = np.zeros(1, np.int64)
        """Of equal pairs, then of the bins; as long as need be."""
        _, exponent = np.frexp(dtype.smallest_normal)
        self._normal = int(exponent) - 1
        self._least_unit = self._normal - dtype.precision + 1
        """Exponent of the unit of the smallest numbers."""
        # Numbers of one coarse format that are less than 2**(precision - 1) units apart lie so close that
        # rounding their difference to float32 moves it to no end of a bin.
        apart = ((127 + dtype.precision - 1 + self._least_unit) << 23) + _BIAS
        self._exact_below = apart if same and dtype.precision <= _COARSE else 0
        self._normals = np.zeros(0, np.float32)
        self._scratch = Scratch()

    def add_narrow(
        self, difference: NDArray[np.float32], target: NDArray[np.float32], golden: NDArray[np.float32]
    ) -> NDArray[np.uint32] | None:
        """Count float32 pairs; *difference* is target − golden, finite.

        Returns integers that order as the errors do, for :meth:`decoded`, good until the next call; ``None``,
        with nothing counted, where a difference is subnormal, which has no exponent of its own.
        """
        count, scratch = len(difference), self._scratch
        bits, below = scratch.array("bits", np.uint32, count), scratch.array("below", np.uint32, count)
        units, unequal = scratch.array("units", np.uint32, count), scratch.array("unequal", np.bool_, count)
        np.bitwise_and(difference.view(np.uint32), np.uint32(0x7FFFFFFF), out=bits)
        np.subtract(bits, np.uint32(1), out=below)
        if below.min(initial=0xFFFFFFFF) < 0x7FFFFF:
            return None
        sizes = units.view(np.float32)
        np.abs(golden, out=sizes)
        np.maximum(sizes, self._least(count), out=sizes)
        units &= np.uint32(0x7F800000)
        units -= _word(((127 + self._normal) << 23) + _BIAS)
        np.not_equal(bits, 0, out=unequal)
        below -= units
        bits -= units
        bits *= unequal
        if bits.max(initial=0) >= self._exact_below:
            # An end of a bin belongs to it, unless rounding the difference to float32 has moved it there.
            below += self._rounded_down(difference, target, golden)
        below >>= np.uint32(23 - _FINE)
        below -= _word(((_LEAST + 127 + self._least_unit) << _FINE) + (_BIAS >> (23 - _FINE)) - 1)
        below *= unequal
        self._take(below)
        return bits

    def _least(self, count: int) -> NDArray[np.float32]:
        """Return *count* times the smallest normal number: with two arrays numpy is quicker."""
        if len(self._normals) < count:
            self._normals = np.full(count, self._dtype.smallest_normal, np.float32)
        return self._normals[:count]

    def decoded(self, codes: NDArray[np.uint32]) -> Float64:
        """Return the errors that :meth:`add_narrow` gave as integers, 0 for 0."""
        wide = codes.astype(np.int64) - _BIAS
        fraction = 1.0 + (wide & 0x7FFFFF) * 2.0**-23
        errors = np.ldexp(fraction, ((wide >> 23) - 127 - self._least_unit).astype(np.int32))
        return np.where(codes == 0, 0.0, errors)

    def _rounded_down(
        self, difference: NDArray[np.float32], target: NDArray[np.float32], golden: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Return where |target − golden| in float64 is larger than |difference|, its float32.

        The error of the subtraction is exact (Knuth's two-sum, TAOCP 2, 4.2.2, theorem B); float64 keeps what
        is more than half a unit in its last place.
        """
        count = len(difference)
        back, error = (self._scratch.array(name, np.float32, count) for name in ("back", "error"))
        up, other = (self._scratch.array(name, np.bool_, count) for name in ("up", "other"))
        np.subtract(difference, target, out=back)
        np.subtract(difference, back, out=error)
        np.subtract(target, error, out=error)
        back += golden
        error -= back
        np.greater(error, 0, out=up)
        up ^= np.less(difference, 0, out=other)
        np.bitwise_and(difference.view(np.uint32), np.uint32(0x7F800000), out=back.view(np.uint32))
        back *= np.float32(2.0**-53)
        np.abs(error, out=error)
        up &= np.greater(error, back, out=other)
        return up

    def add(self, errors: Float64, equal: NDArray[np.bool_]) -> None:
        """Count *errors* (not negative, no NaN) of finite pairs; *equal* says which have no difference."""
        bins = (np.ascontiguousarray(errors).view(np.int64) - 1) >> (52 - _FINE)
        bins -= (_LEAST + 1023) << _FINE
        bins = np.maximum(bins, 0) + 1
        bins[equal] = 0
        self._take(bins)

    def add_equal(self, count: int) -> None:
        """Count *count* pairs without a difference; a negative number takes some back."""
        self._counts[0] += count

    def _take(self, bins: NDArray[Any]) -> None:
        counts = self._scratch.counts(bins)
        if len(counts) > len(self._counts):
            self._counts = np.append(self._counts, np.zeros(len(counts) - len(self._counts), np.int64))
        self._counts[: len(counts)] += counts

    def finish(self, special: int) -> UlpHistogram:
        """Return the histogram; *special* pairs were left out."""
        octave = 1 << _FINE
        equal, fine = int(self._counts[0]), self._counts[1:]
        first = (-1 - _LEAST) * octave  # bins of errors up to a half
        size = -(-max(len(fine), first + octave) // octave) * octave
        fine = np.append(fine, np.zeros(size - len(fine), np.int64))
        rest = fine[first:].reshape(-1, octave).sum(axis=1)
        used = max(int(np.flatnonzero(rest).max(initial=0)) + 1, 1)
        counts = np.concatenate([[fine[:first].sum()], rest[:used]]).astype(np.int64)
        with np.errstate(over="ignore"):
            edges = np.concatenate([[0.0], np.minimum(2.0 ** np.arange(-1.0, used), _LARGEST)])
        finite = equal + int(fine.sum())
        up_to = equal + np.cumsum(fine)
        quantiles = {percent: self._quantile(percent, equal, finite, up_to) for percent in PERCENTS}
        within = (equal + int(counts[:2].sum())) / finite if finite else nan
        return UlpHistogram(edges, counts, equal, special, self._dtype.name, quantiles, within)

    @staticmethod
    def _quantile(percent: float, equal: int, finite: int, up_to: Int64) -> float:
        rank = ceil(finite * percent / 100)
        if not finite:
            return nan
        if rank <= equal:
            return 0.0
        octave, part = divmod(int(np.searchsorted(up_to, rank)), 1 << _FINE)
        half = ldexp(0.5 + (part + 1) / (2 << _FINE), octave + _LEAST)
        return min(half, _LARGEST / 2) * 2


def _word(number: int) -> np.uint32:
    """Return *number* modulo 2**32: unsigned sums may go round on their way."""
    return np.uint32(number & 0xFFFFFFFF)
