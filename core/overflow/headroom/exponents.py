"""Magnitudes counted straight from bit patterns.

The upper 15 bits below the sign are a *key*: exponent and some bits of the fraction. Counting keys is one
pass. All limits of rounding lie at the first or in the last key of an exponent, where the fraction's bits in
the key are all zeros or all ones; only elements with such a key, one in 64 of float32, are looked at bit by
bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, widen
from core.records.columns import Float64, Int64
from core.records.headroom import BINS, FIRST_EXPONENT, LAST_EXPONENT

CHUNK = 1 << 18
"""Elements to count at a time: their temporaries stay in the second-level cache."""
_KEY_BITS = 15


@dataclass(frozen=True, slots=True)
class Limits:
    """Where rounding to nearest, ties to even, turns a magnitude into something else."""

    format: str
    maximum: float
    vanishing: float
    """Up to here the result is zero: half the smallest subnormal number, a tie that goes to zero."""
    normal: float
    """From here the result is a normal number: half a unit below the smallest one, a tie that goes up."""
    overflow: float
    """From here the result is infinite: half a unit above the largest number, a tie that goes up."""
    late: float
    """Significand in [1, 2) from which a number below ``normal``'s power of two rounds up to it."""


def limits_of(target: DType) -> Limits:
    """Return the limits of the format *target*.

    Raises
    ------
    ValueError
        If the largest significand of the format is not all ones (E4M3) or it is no float: other rules hold.
    """
    half_unit = target.smallest_subnormal / 2
    fraction, exponent = np.frexp(target.maximum)
    if not target.precision or float(fraction) != 1.0 - 2.0**-target.precision:
        raise ValueError(f"no rounding limits for {target.name}")
    # float64 has no room for what lies half a unit above its largest number.
    bit = float(np.ldexp(1.0, int(exponent) - 1))
    overflow = bit * (2.0 - 2.0**-target.precision) if target.precision < 53 else np.inf
    return Limits(
        target.name,
        target.maximum,
        half_unit,
        target.smallest_normal - half_unit,
        float(overflow),
        2.0 - 2.0 ** (1 - target.precision),
    )


@dataclass(frozen=True)
class Magnitudes:
    """What the elements of one tensor are."""

    count: int
    zeros: int
    nan: int
    infinite: int
    positive_infinite: bool
    negative_infinite: bool
    peak: float
    """Largest finite magnitude, NaN when nothing is finite."""
    rms: float
    """log2 of the root mean square of the finite elements, good to 0.05; -inf when all are zero."""
    overflow: int
    vanishing: int
    subnormal: int
    exponents: Int64
    """Finite nonzero elements by floor(log2(magnitude)), see :data:`FIRST_EXPONENT`."""
    powers: Int64
    """Of these, the powers of two."""
    late: Int64
    """Of these, those whose significand is at least ``Limits.late``."""


class MagnitudeCounter:
    """Counts the elements of one tensor, block by block."""

    def __init__(self, stored: DType, limits: Limits) -> None:
        self._format = _format_of(stored.name, limits)
        self._keys = np.zeros(len(self._format.low), np.int64)
        self._details = _Details.empty(self._format.fields)
        self._peak = 0
        self._count = 0
        self._signs = [False, False]

    def add(self, bits: NDArray[Any]) -> None:
        """Count a one-dimensional block of stored *bits*, little- or big-endian."""
        form = self._format
        if not len(bits):
            return
        plain = bits if bits.dtype.isnative else bits.astype(bits.dtype.newbyteorder("="))
        words = np.ascontiguousarray(plain).view(form.unsigned)
        self._count += len(words)
        upper = words.view(np.uint16)[form.words - 1 :: form.words] if form.rest else words
        keys = upper & upper.dtype.type(len(form.low) - 1)
        self._keys += np.bincount(keys, minlength=len(self._keys))
        high, low = int(words.view(form.signed).max()), int(words.max())
        largest = max(high, low & form.magnitude if low > form.magnitude else 0)
        if largest >= form.infinity:
            if form.has_infinity:
                self._signs[0] |= bool((words == form.infinity).any())
                self._signs[1] |= bool((words == form.infinity | form.magnitude + 1).any())
            sizes = words & form.unsigned.type(form.magnitude)
            largest = int(sizes[sizes < form.infinity].max(initial=0))
        self._peak = max(self._peak, largest)
        if form.rest:
            ones = keys.dtype.type(form.fraction_keys - 1)
            edge = ((keys + keys.dtype.type(1)) & ones) <= 1
            self._details.add(words[edge] & form.unsigned.type(form.magnitude), form)

    def result(self) -> Magnitudes:
        """Return what was counted."""
        form, details = self._format, self._details
        found = np.flatnonzero(self._keys)
        counts = self._keys[found]
        inside = found < form.finite_keys
        beyond = int(counts[~inside].sum())
        infinite = details.infinite if form.rest else int(counts[form.infinity_keys[found]].sum())
        found, counts = found[inside], counts[inside]
        zeros = details.zeros if form.rest else int(self._keys[0])
        exponents = form.by_exponent(found, counts)
        exponents[0] -= zeros
        peak = float(form.value(self._peak)) if self._count > beyond else float("nan")
        rms = _log_rms(form.middle[found], counts, peak)
        if form.rest:
            whole = ~form.split[found]
            found, counts = found[whole], counts[whole]

        def of(keys: NDArray[np.bool_]) -> int:
            return int(counts[keys[found]].sum())

        def bins_of(keys: NDArray[np.bool_]) -> Int64:
            return form.by_exponent(found, counts * keys[found])

        return Magnitudes(
            count=self._count,
            zeros=zeros,
            nan=beyond - infinite,
            infinite=infinite,
            positive_infinite=self._signs[0],
            negative_infinite=self._signs[1],
            peak=peak,
            rms=rms,
            overflow=details.overflow + of(form.overflow),
            vanishing=details.vanishing + of(form.vanishing),
            subnormal=details.subnormal + of(form.subnormal),
            exponents=exponents,
            powers=form.by_field(details.powers) + bins_of(form.power),
            late=form.by_field(details.late) + bins_of(form.late),
        )


def _log_rms(values: Float64, counts: Int64, peak: float) -> float:
    """Return log2 of the root mean square of *values*, each there *counts* times."""
    if not len(values):
        return float("nan")
    if peak == 0:
        return float("-inf")
    squares = float((values / peak) ** 2 @ counts)
    return float(np.log2(peak) + 0.5 * np.log2(squares / counts.sum())) if squares else float("nan")


class _Format:
    """The keys of one stored format, and what they mean for some limits."""

    def __init__(self, stored: DType, limits: Limits) -> None:
        size = stored.itemsize
        self._stored = stored
        self.unsigned, self.signed = np.dtype(f"u{size}"), np.dtype(f"i{size}")
        self.words = size // 2
        bits = 8 * size - 1
        self.magnitude = (1 << bits) - 1
        self.rest = max(bits - _KEY_BITS, 0)
        """Bits of a magnitude below its key."""
        self.fraction = stored.precision - 1
        """Bits of the stored fraction."""
        count = 1 << (bits - self.rest)
        self.low = self.value(np.arange(count, dtype=np.uint64) << np.uint64(self.rest))
        """The smallest magnitude of each key."""
        self.finite_keys = int(np.count_nonzero(np.isfinite(self.low)))
        self.infinity = self.finite_keys << self.rest
        """Bits of the first magnitude that is not finite."""
        self.infinity_keys = np.isinf(self.low)
        self.has_infinity = bool(self.infinity_keys.any())
        self.fields = 1 << (bits - self.fraction)
        """Values of the exponent's field."""
        self._first_normal = int(np.log2(stored.smallest_normal))
        self.fraction_keys = 1 << (self.fraction - self.rest)
        keys = np.arange(count)
        low = self.low[: self.finite_keys]
        self.split = ((keys + 1) & (self.fraction_keys - 1)) <= 1 if self.rest else np.zeros(count, np.bool_)
        """Keys whose elements are looked at one by one."""
        step = np.diff(low, append=stored.maximum) if self.rest else np.zeros_like(low)
        self.middle = low + step / 2
        if self.rest:
            self.middle[0] = 0.0
        significand, exponent = np.frexp(low)
        self._bins = np.clip(exponent - 1, FIRST_EXPONENT, LAST_EXPONENT) - FIRST_EXPONENT
        self._bins[low == 0] = 0
        self.overflow = low >= limits.overflow
        self.vanishing = (low > 0) & (low <= limits.vanishing)
        self.subnormal = (low > limits.vanishing) & (low < limits.normal)
        self.power = (significand == 0.5) & (low > 0)
        self.late = 2 * significand >= limits.late
        if self.rest:
            self.overflow_bits = self._bits(limits.overflow)
            self.vanishing_bits = self._bits(limits.vanishing)
            self.normal_bits = self._bits(limits.normal)
            self.late_fraction = ceil((limits.late - 1.0) * 2.0**self.fraction)

    def value(self, magnitude: Any) -> Float64:
        """Return the numbers with these bits."""
        bits = np.asarray(magnitude).astype(self.unsigned)
        stored = bits.view(self._stored.storage.newbyteorder("=")) if self._stored.native else bits
        with np.errstate(invalid="ignore"):  # signalling NaN
            return np.asarray(widen(stored, self._stored), np.float64)

    def by_exponent(self, keys: NDArray[np.intp], counts: Int64) -> Int64:
        """Return *counts* of finite *keys*, by exponent."""
        return np.bincount(self._bins[keys], counts, BINS).astype(np.int64)

    def by_field(self, counts: Int64) -> Int64:
        """Return *counts* of the exponent's fields, by exponent; subnormal numbers are in the first bin."""
        exponent = np.arange(len(counts)) - 1 + self._first_normal
        bins = np.clip(exponent, FIRST_EXPONENT, LAST_EXPONENT) - FIRST_EXPONENT
        return np.bincount(bins, counts, BINS).astype(np.int64)

    def fields_of(self, magnitudes: NDArray[Any]) -> Int64:
        """Return how many of *magnitudes*, bits of finite ones, have each exponent field."""
        fields = (magnitudes >> self.unsigned.type(self.fraction)).astype(np.intp)
        return np.bincount(fields, minlength=self.fields)

    def _bits(self, limit: float) -> int:
        """Return the bits of *limit*, those of infinity where it lies beyond the format."""
        with np.errstate(over="ignore"):
            stored = np.array(limit, np.float64).astype(self._stored.storage.newbyteorder("="))
        return int(stored.view(self.unsigned))


_formats: dict[tuple[str, Limits], _Format] = {}


def _format_of(name: str, limits: Limits) -> _Format:
    """Return the table for a stored format, made once."""
    key = name, limits
    if key not in _formats:
        _formats[key] = _Format(DTYPES[name], limits)
    return _formats[key]


@dataclass
class _Details:
    """Counts of the elements that were looked at one by one."""

    zeros: int
    infinite: int
    overflow: int
    vanishing: int
    subnormal: int
    powers: Int64
    """By the exponent's field, as ``late``."""
    late: Int64

    @classmethod
    def empty(cls, fields: int) -> _Details:
        return cls(0, 0, 0, 0, 0, np.zeros(fields, np.int64), np.zeros(fields, np.int64))

    def add(self, found: NDArray[Any], form: _Format) -> None:
        """Count the magnitudes *found*."""
        nonzero = found[found != 0]
        self.zeros += len(found) - len(nonzero)
        self.infinite += int(np.count_nonzero(nonzero == form.infinity))
        finite = nonzero if nonzero.max(initial=0) < form.infinity else nonzero[nonzero < form.infinity]
        if not len(finite):
            return
        self.overflow += int(np.count_nonzero(finite >= form.overflow_bits))
        vanishing = int(np.count_nonzero(finite <= form.vanishing_bits))
        self.vanishing += vanishing
        self.subnormal += int(np.count_nonzero(finite < form.normal_bits)) - vanishing
        fraction = finite & form.unsigned.type((1 << form.fraction) - 1)
        self.powers += form.fields_of(finite[fraction == 0])
        self.late += form.fields_of(finite[fraction >= form.late_fraction])
