"""First pass over one side: its range, its special values, and its exponents straight from the bits."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind
from core.formats.tensors.handle import TensorHandle
from core.metrics.distributions.records import Int64, SpecialCounts
from core.metrics.distributions.scratch import Scratch
from core.metrics.elements.differences import real_values, special_classes

_FIRST = -1074
"""floor(log2) of the smallest float64."""
_BINS = 1024 - _FIRST


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """What the first pass tells of a side; *low* is above *high* where nothing is finite."""

    low: float
    high: float
    zeros: int
    special: SpecialCounts
    exponents: Int64
    """Finite nonzero elements by floor(log2(|x|)), from :attr:`first` on; empty if there are none."""
    first: int


class MagnitudeCounter:
    """Takes blocks of stored bits of one tensor, one-dimensional, in native byte order."""

    def __init__(self, handle: TensorHandle) -> None:
        self._handle = handle
        self._low, self._high = inf, -inf
        self._zeros = 0
        self._special = np.zeros(4, np.int64)
        self._exponents = np.zeros(_BINS, np.int64)
        stored = handle.stored
        self.patterns = has_patterns(handle)
        self._keyed = not self.patterns and stored.name == "float32"
        keys = 1 << 8 * stored.itemsize if self.patterns else 1 << 16
        self._keys = np.zeros(keys, np.int64)
        self._scratch = Scratch()

    def add(self, bits: NDArray[Any]) -> None:
        """Count a block."""
        if not len(bits):
            return
        if self.patterns:
            self._keys += self._scratch.counts(words_of(bits), len(self._keys))
            return
        numbers = self._handle.numbers(bits)
        values = numbers if self._keyed else real_values(numbers)
        low, high = float(values.min()), float(values.max())
        left_out = 0
        if not (-inf < low and high < inf):
            classes = special_classes(numbers)
            finite = classes == 0
            self._special += np.bincount(classes, minlength=4)
            left_out = len(values) - int(np.count_nonzero(finite))
            known = self._scratch.only("known", values, finite, nan)
            low, high = float(np.fmin.reduce(known)), float(np.fmax.reduce(known))
            low, high = (low, high) if left_out < len(values) else (inf, -inf)
            values = self._scratch.only("known", values, finite, 0)
        self._low, self._high = min(self._low, low), max(self._high, high)
        zeros = len(values) - int(np.count_nonzero(values))
        self._zeros += zeros - left_out
        if self._keyed:
            words = np.ascontiguousarray(values).view(np.uint32)
            counts = self._scratch.counts(words >> np.uint32(16), 1 << 16)
            if counts[0] + counts[1 << 15] > zeros:  # subnormal numbers whose upper bits are those of zero
                self._add_exponents(values[(values != 0) & (np.abs(values) < 2.0**-133)])
            counts[[0, 1 << 15]] = 0
            self._keys += counts
        else:
            self._add_exponents(values_for_exponent(numbers, values))

    def _add_exponents(self, values: NDArray[Any], counts: Int64 | None = None) -> None:
        """Count finite *values*, zeros left out; *counts* of each, where they stand for several."""
        exponents = np.frexp(values.astype(np.float64, copy=False))[1] - (1 + _FIRST)
        if counts is None:
            found = np.bincount(exponents, minlength=_BINS)
            found[-(1 + _FIRST)] -= len(values) - np.count_nonzero(values)  # frexp of 0 is that of 0.5
        else:
            found = np.zeros(_BINS, np.int64)
            np.add.at(found, exponents[values != 0], counts[values != 0])
        self._exponents += found

    def finish(self) -> Magnitudes:
        """Return what was counted."""
        if self.patterns:
            values = real_values(pattern_numbers(self._handle))
            classes = special_classes(values)
            there = self._keys > 0
            for kind in range(1, 4):
                self._special[kind] = self._keys[classes == kind].sum()
            there &= classes == 0
            self._zeros = int(self._keys[values == 0].sum())
            self._low = float(values[there].min(initial=inf))
            self._high = float(values[there].max(initial=-inf))
            self._add_exponents(values[there], self._keys[there])
        elif self._keyed:
            there = self._keys > 0
            keys = np.flatnonzero(there).astype(np.uint32) << np.uint32(16)
            self._add_exponents(keys.view(np.float32), self._keys[there])
        used = np.flatnonzero(self._exponents)
        first, last = (int(used[0]), int(used[-1]) + 1) if used.size else (0, 0)
        return Magnitudes(
            self._low,
            self._high,
            self._zeros,
            SpecialCounts(*(int(count) for count in self._special[1:])),
            self._exponents[first:last],
            _FIRST + first,
        )


def has_patterns(handle: TensorHandle) -> bool:
    """Return whether the elements of *handle* have so few bits that there is a table of all of them."""
    return handle.stored.itemsize <= 2 and handle.stored.kind is not Kind.COMPLEX


def pattern_numbers(handle: TensorHandle) -> NDArray[Any]:
    """Return the number of each of the 256 or 65 536 bit patterns of *handle*'s elements."""
    size = handle.stored.itemsize
    words = np.arange(1 << 8 * size, dtype=np.uint64).astype(f"u{size}")
    bits = (
        words != 0 if handle.stored.kind is Kind.BOOL else words.view(handle.stored.storage.newbyteorder("="))
    )
    return handle.numbers(bits)


def words_of(bits: NDArray[Any]) -> NDArray[Any]:
    """Return *bits* of up to 16 bits as unsigned numbers, for use as indices of :func:`pattern_numbers`."""
    return bits.view(f"u{bits.itemsize}")


def values_for_exponent(numbers: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers with the exponents of *numbers*; *values* are these, rounded to float64."""
    if numbers.dtype.kind not in "iu" or numbers.itemsize < 8:
        return values
    sizes = np.abs(numbers).view(np.uint64)
    large = sizes >> np.uint64(53) != 0
    # Rounding may carry into the next power of two; what is cut off cannot.
    return np.asarray(np.where(large, sizes & ~np.uint64(0x7FF), sizes), np.float64)
