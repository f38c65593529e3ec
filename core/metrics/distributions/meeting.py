"""The second pass: which bins meet, how far the two sides are apart, and where along each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, coarser
from core.metrics.distributions.bins import Binning
from core.metrics.distributions.choosing import in_float32
from core.metrics.distributions.magnitudes import has_patterns, pattern_numbers, words_of
from core.metrics.distributions.profiles import Profiles
from core.metrics.distributions.records import AxisProfile, Int64, UlpHistogram
from core.metrics.distributions.scratch import Scratch
from core.metrics.distributions.ulp_counts import UlpCounter
from core.metrics.elements.blocks import Area, Box, Reader
from core.metrics.elements.differences import real_values, signed_differences, special_classes, ulp_sizes
from core.metrics.halves import float32_of

_SAFE = 1e30
"""Differences up to this can be summed in float32 over a block."""


class BinnedSide:
    """Gives the numbers of a side, and *factor* times the bins of these."""

    def __init__(self, reader: Reader, bins: Binning, factor: int = 1) -> None:
        self._factor = factor
        self.reader, self._bins = reader, bins
        self.handle = reader.handle
        self._scratch = Scratch()
        self._table: NDArray[np.int32] | None = None
        if has_patterns(self.handle):
            numbers = np.asarray(real_values(pattern_numbers(self.handle)))
            self._table = bins.codes(numbers, finite=False) * np.int32(factor)

    def codes(self, bits: NDArray[Any]) -> NDArray[np.int32]:
        """Return the bins of stored *bits*, good until the next call; special values are in one more."""
        if self._table is not None:
            made = self._scratch.array("codes", np.int32, len(bits))
            return self._table.take(words_of(bits), mode="wrap", out=made)
        numbers = self.handle.numbers(bits)
        narrow = self._bins.narrow and numbers.dtype == np.float32
        values = numbers if narrow else real_values(numbers)
        with np.errstate(all="ignore"):
            finite = bool(np.isfinite(values.sum()))
        return self._bins.codes(values, finite=finite) * np.int32(self._factor)

    def floats(self, bits: NDArray[Any]) -> NDArray[np.float32]:
        """Return *bits* as float32; of a side that :func:`in_float32` is true of."""
        return float32_of(self.handle.numbers(bits)).astype(np.float32, copy=False)


class Meeting:
    """The second pass over both sides."""

    def __init__(self, target: Reader, golden: Reader, bins: Binning, area: Area) -> None:
        self._target, self._golden = BinnedSide(target, bins, bins.count + 1), BinnedSide(golden, bins)
        self._bins = bins
        self._joint = np.zeros((bins.count + 1) ** 2, np.int64)
        self._profiles = Profiles(area)
        self._scratch = Scratch()
        self._narrow = in_float32([target.handle, golden.handle])
        handles = target.handle, golden.handle
        dtype = coarser(handles[0].dtype, handles[1].dtype)
        self._dtype: DType | None = dtype if dtype.precision else None
        one_format = handles[0].stored is handles[1].stored is dtype
        self._ulps = UlpCounter(dtype, same=one_format) if dtype.precision else None
        self._same = handles[0].stored is handles[1].stored and all(handle.plain for handle in handles)

    def add(self, box: Box) -> None:
        """Count a block."""
        bits_t, bits_g = self._target.reader.bits(box), self._golden.reader.bits(box)
        if not len(bits_t):
            return
        equal = self._same and np.array_equal(_bytes_of(bits_t), _bytes_of(bits_g))
        codes = self._golden.codes(bits_g)
        joint = self._target.codes(bits_t)
        joint += codes
        self._joint += self._scratch.counts(joint, len(self._joint))
        if equal:
            self._add_equal(box, bits_t, codes)
        elif not (self._narrow and self._add_narrow(box, bits_t, bits_g)):
            self._add(box, bits_t, bits_g)

    def _add_equal(self, box: Box, bits: NDArray[Any], codes: NDArray[np.int32]) -> None:
        special = codes == self._bins.count
        count = int(np.count_nonzero(special))
        if self._ulps is not None:
            self._ulps.add_equal(len(bits) - count)
        if count and self._profiles.wanted:
            self._profiles.add_special(box, special, special)

    def _add_narrow(self, box: Box, bits_t: NDArray[Any], bits_g: NDArray[Any]) -> bool:
        """Count a block in float32, unless its numbers are too large or too small for that."""
        t, g = self._target.floats(bits_t), self._golden.floats(bits_g)
        with np.errstate(all="ignore"):
            difference, sizes = (self._scratch.array(name, np.float32, len(t)) for name in ("d", "sizes"))
            np.subtract(t, g, out=difference)
            np.abs(difference, out=sizes)
            largest = float(sizes.max())
            left_out = 0
            special = None
            if not largest <= _SAFE:
                special = ~np.isfinite(t), ~np.isfinite(g)
                either = special[0] | special[1]
                left_out = int(np.count_nonzero(either))
                finite = ~either
                t, g = self._scratch.only("t", t, finite, 0), self._scratch.only("g", g, finite, 0)
                np.copyto(sizes, 0, where=either)
                np.subtract(t, g, out=difference)
                if not float(sizes.max()) <= _SAFE:
                    return False
            codes = None
            if self._ulps is not None:
                codes = self._ulps.add_narrow(difference, t, g)
                if codes is None:
                    return False
                self._ulps.add_equal(-left_out)
        if self._profiles.wanted:
            self._profiles.add(box, sizes)
            if codes is not None:
                self._profiles.add_ulp_codes(box, codes)
            if special is not None and left_out:
                self._profiles.add_special(box, *special)
        return True

    def _add(self, box: Box, bits_t: NDArray[Any], bits_g: NDArray[Any]) -> None:
        """Count a block in float64, whatever its numbers are."""
        t, g = self._target.handle.numbers(bits_t), self._golden.handle.numbers(bits_g)
        special = special_classes(t) != 0, special_classes(g) != 0
        finite = ~(special[0] | special[1])
        with np.errstate(all="ignore"):
            sizes = np.where(finite, np.abs(signed_differences(t, g)), 0.0)
            errors = None
            if self._ulps is not None and self._dtype is not None:
                errors = np.where(finite, ulp_sizes(t, g, self._dtype), 0.0)
                self._ulps.add(errors[finite], sizes[finite] == 0)
            if self._profiles.wanted:
                self._profiles.add(box, sizes)
                if errors is not None:
                    self._profiles.add_ulps(box, errors)
                if not finite.all():
                    self._profiles.add_special(box, *special)

    @property
    def joint(self) -> Int64:
        """How often each bin of the target met each of the golden; the last ones are of special values."""
        return self._joint.reshape(self._bins.count + 1, -1)

    def finish(self) -> tuple[UlpHistogram | None, tuple[AxisProfile, ...]]:
        """Return the errors in ULP, and the profiles."""
        special = int(self.joint.sum() - self.joint[:-1, :-1].sum())
        ulps = self._ulps.finish(special) if self._ulps is not None else None
        with np.errstate(over="ignore"):
            profiles = self._profiles.finish(self._ulps.decoded if self._ulps is not None else None)
        return ulps, profiles


def _bytes_of(bits: NDArray[Any]) -> NDArray[Any]:
    return bits.view(f"u{bits.itemsize}") if bits.itemsize <= 8 else bits.view(np.uint64)
