"""Bins with exact edges: what arithmetic says of a value's bin, comparing it with the edges says too.

Linear bins are a power of two wide and lie on multiples of it, so scaling by it rounds nothing; and every bin
holds equally many numbers of a coarse format such as bf16, so that a smooth distribution shows no comb.
Logarithmic edges have eight significant bits, so that the upper bits of a float32 or float64 say on which
side of every edge it lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.distributions.records import Bins

MOST = 160
"""Bins at most, give or take one at either end."""
_WIDE_SHIFT = 45
"""Lower bits of a float64 that do not tell its bin: seven bits of the fraction stay."""
_FEW = 2048
"""Values that are sooner compared with the edges than a table is made."""
_LARGEST = float(np.finfo(np.float64).max)
_TOP = 1024 - 53
"""Neighbours of float64's largest are 2 to this apart."""
_SKIPPED = 1e-3
"""Share of the nonzero elements of a side, at most, that logarithmic bins leave to the bin around zero."""

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Extent:
    """What is known of the finite values of both sides before bins are made."""

    low: float
    high: float
    whole: bool = False
    """Whether all are whole numbers of an exact format."""
    finest: float = 0.0
    """Distance of neighbours at the largest magnitude in the coarser format; no bin is narrower."""


@dataclass(frozen=True)
class Binning:
    """Bins ``[edges[i], edges[i + 1])``; the last one is closed where its edge is float64's largest."""

    edges: NDArray[np.float64]
    bins: Bins
    exponent: int = 0
    """Of linear bins: their width is 2 to this."""
    base: float = 0.0
    """Of linear bins: number of the first, counted in widths from zero."""
    threshold: float = 0.0
    """Of logarithmic bins: where the one around zero ends."""
    narrow: bool = False
    """Whether float32 values may be given; else their float64."""

    @property
    def count(self) -> int:
        """How many bins there are; also the code of a special value."""
        return len(self.edges) - 1

    def codes(self, values: NDArray[Any], *, finite: bool) -> Codes:
        """Return the bin of each of *values* (float32 or float64), :attr:`count` for NaN and Inf.

        *finite*: there are none of these.
        """
        if self.bins is Bins.SYMLOG:
            return self._looked_up(values)
        with np.errstate(all="ignore"):
            scaled = self._scaled(values)
            if self.exponent > 0:
                # A tiny negative number must not become zero.
                np.copyto(scaled, -1.0, where=(scaled == 0) & (values < 0))
            scaled -= scaled.dtype.type(self.base)
            if finite:
                return scaled.astype(np.int32)
            np.copyto(scaled, self.count, where=~np.isfinite(values))
            return scaled.astype(np.int32)

    def _scaled(self, values: NDArray[Any]) -> NDArray[Any]:
        kind = values.dtype.type
        up = -self.exponent
        if values.dtype == np.float32 and -100 <= up <= 100:
            scaled = values * kind(ldexp(1.0, up))
        else:
            half = up // 2
            scaled = values.astype(np.float64)
            scaled *= ldexp(1.0, half)
            scaled *= ldexp(1.0, up - half)
        return np.asarray(np.floor(scaled, out=scaled))

    def _looked_up(self, values: NDArray[Any]) -> Codes:
        if len(values) < _FEW:
            with np.errstate(invalid="ignore"):  # signalling NaN
                return self._compared(values.astype(np.float64))
        if values.dtype == np.float32:
            keys = np.ascontiguousarray(values).view(np.uint32) >> np.uint32(16)
            return np.asarray(self._narrow_table.take(keys, mode="clip"))
        keys = np.ascontiguousarray(values).view(np.uint64) >> np.uint64(_WIDE_SHIFT)
        return np.asarray(self._wide_table.take(keys.astype(np.intp), mode="clip"))

    @cached_property
    def _narrow_table(self) -> Codes:
        keys = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
        with np.errstate(invalid="ignore"):  # signalling NaN
            return self._compared(keys.view(np.float32).astype(np.float64))

    @cached_property
    def _wide_table(self) -> Codes:
        keys = np.arange(1 << (64 - _WIDE_SHIFT), dtype=np.uint64) << np.uint64(_WIDE_SHIFT)
        return self._compared(keys.view(np.float64))

    def _compared(self, values: NDArray[np.float64]) -> Codes:
        codes = np.searchsorted(self.edges, values, side="right") - 1
        return np.where(np.isfinite(values), np.clip(codes, 0, self.count - 1), self.count).astype(np.int32)


def linear(extent: Extent, *, narrow: bool) -> Binning:
    """Return linear bins over *extent*, 2**k wide; whole numbers, if few, get one each."""
    low, high = extent.low, extent.high
    span = high / MOST - low / MOST
    if not span and not extent.whole:
        span = max(abs(low), abs(high)) * 2.0**-8 or 2.0**-8  # one value: a bar that has a width
    exponent = _power_above(max(span, extent.finest))
    if high == _LARGEST and not extent.whole:
        exponent = max(exponent, _TOP + 1)  # there is no edge beyond it
    if extent.whole:
        exponent = max(exponent, 0)
    first, last = (floor(_times(value, -exponent)) for value in (low, high))
    if low < 0 and not _times(low, -exponent):
        first = -1
    if high < 0 and not _times(high, -exponent):
        last = -1
    shift = 0.5 if extent.whole and exponent == 0 and max(abs(low), abs(high)) < 2.0**51 else 0.0
    edges = np.array([_times(float(number), exponent) - shift for number in range(first, last + 2)])
    edges = np.clip(edges, -_LARGEST, _LARGEST)
    return Binning(edges, Bins.LINEAR, exponent, float(first), narrow=narrow)


def logarithmic(low: float, high: float, magnitude: int, threshold: int, *, narrow: bool) -> Binning:
    """Return bins that are equally wide on a log axis, mirrored at zero, with one bin around zero.

    Parameters
    ----------
    low, high
        The smallest and the largest value.
    magnitude
        floor(log2) of the largest magnitude; 2 to the next power is where the bins end.
    threshold
        2 to this is where the bin around zero ends: no more than one in a thousand of the nonzero elements of
        a side are smaller, unless the bins would not reach (:func:`threshold_of`).
    narrow
        Whether values are float32.
    """
    octaves = max(magnitude + 1 - threshold, 1)
    sides = (low < 0) + (high > 0) or 1
    each = 1
    while each < 32 and sides * octaves * each * 2 + 1 <= MOST:
        each *= 2
    steps = np.array([round(128 * 2.0 ** (j / each)) / 128 for j in range(each)])
    sizes = [ldexp(step, threshold + octave) for octave in range(octaves) for step in steps]
    if magnitude >= (127 if narrow else 1023):
        sizes.append(_LARGEST if not narrow else ldexp(1.0, 128))
    else:
        sizes.append(ldexp(1.0, magnitude + 1))
    up = np.array(sizes)
    if narrow:
        mirrored = -up.copy()
        inside = np.abs(mirrored) <= float(np.finfo(np.float32).max)
        near = np.nextafter(mirrored[inside].astype(np.float32), np.float32(0)).astype(np.float64)
        mirrored[inside] = near
    else:
        mirrored = np.nextafter(-up, 0.0)
        if up[-1] == _LARGEST:
            mirrored[-1] = -_LARGEST
    mirrored = mirrored[::-1]
    parts = [mirrored if low < 0 else np.zeros(1), up if high > 0 or low >= 0 else np.full(1, 5e-324)]
    edges = np.concatenate(parts)
    return Binning(edges, Bins.SYMLOG, threshold=ldexp(1.0, threshold), narrow=narrow)


def threshold_of(exponents: list[tuple[int, NDArray[np.int64]]], narrow: bool, sides: int) -> tuple[int, int]:
    """Return floor(log2) of the largest magnitude, and the power of two where the bin around zero should end.

    No less than that of the smallest normal number.

    *exponents* are counts of nonzero magnitudes by floor(log2), from a first one on, for each side.
    """
    tops = [first + int(np.flatnonzero(counts)[-1]) for first, counts in exponents if counts.any()]
    if not tops:
        return 0, 0
    top = max(tops)
    ends = []
    for first, counts in exponents:
        if counts.any():
            below = np.concatenate([[0], np.cumsum(counts)])
            allowed = floor(int(counts.sum()) * _SKIPPED)
            ends.append(first + int(np.flatnonzero(below <= allowed)[-1]))
    lowest = -126 if narrow else -1022
    reach = (MOST - 1) // sides
    # Subnormal numbers have too few bits for edges between them: they all are around zero.
    top = max(top, lowest)
    return top, min(max(min(ends), top + 1 - reach, lowest), top)


def unit() -> Binning:
    """Return one bin for a pair without a finite element."""
    return Binning(np.array([0.0, 1.0]), Bins.LINEAR)


def _power_above(size: float) -> int:
    """Return the smallest k with 2**k >= *size*."""
    fraction, exponent = frexp(size)
    return exponent - 1 if fraction == 0.5 else exponent


def _times(value: float, exponent: int) -> float:
    """Return value · 2**exponent, ±Inf where it is too large."""
    half = exponent // 2
    scaled = value * ldexp(1.0, half) * ldexp(1.0, exponent - half) if abs(exponent) <= 2000 else 0.0
    return scaled
