"""Conversion of float32 and float64 numbers to the formats of a chip: each of them rounded exactly once.

Numbers of every format are held in numpy's float32 or float64. In the normal range the bits themselves are
rounded, as integers: adding to the fraction carries into the exponent as it should. What falls below a
format's normal range is rounded as a multiple of its smallest subnormal. Chunks keep temporaries in cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType

Array = NDArray[Any]

_CHUNK = 1 << 15


class Rounding(StrEnum):
    """To which neighbour a number goes that lies between two of a format.

    IEEE 754-2019 section 4.3 defines the first five; the vendor's vector conversions call them RINT, ROUND,
    TRUNC, CEIL and FLOOR, and the sixth ODD: an inexact result takes the neighbour with an odd last bit, so
    that a later rounding to fewer bits is not a second one (Boldo and Melquiond 2008).
    """

    NEAREST_EVEN = "nearest_even"
    NEAREST_AWAY = "nearest_away"
    TOWARD_ZERO = "toward_zero"
    UP = "up"
    DOWN = "down"
    TO_ODD = "to_odd"


class Overflow(StrEnum):
    """What becomes of results beyond the largest finite value, of infinities and of NaN.

    ``INF_NAN`` is IEEE 754. ``SATURATE`` turns them into the largest finite value with their sign, and NaN
    into 0: the only mode of Ascend 910A and 310P (CANN, ``aclrtFloatOverflowMode``).
    """

    INF_NAN = "inf_nan"
    SATURATE = "saturate"


@dataclass(frozen=True, slots=True)
class Conversion:
    """How numbers are converted to a format.

    ``nan_to_zero`` counts in ``SATURATE`` only. With ``flush_subnormals`` a result that is smaller than the
    smallest normal value is a zero with its sign.
    """

    format: DType
    rounding: Rounding = Rounding.NEAREST_EVEN
    overflow: Overflow = Overflow.INF_NAN
    nan_to_zero: bool = True
    flush_subnormals: bool = False


@dataclass(frozen=True, slots=True)
class _Layout:
    """The bits of the numpy format that holds the numbers."""

    integer: type[np.unsignedinteger[Any]]
    width: int
    precision: int
    smallest_normal: float

    def magnitude(self, value: float, holder: np.dtype[Any]) -> int:
        """Return the bits of a positive number; they order as the numbers do."""
        return int(np.array(value, holder).view(self.integer))


_LAYOUTS = {
    np.dtype(np.float32): _Layout(np.uint32, 32, 24, DTYPES["float32"].smallest_normal),
    np.dtype(np.float64): _Layout(np.uint64, 64, 53, DTYPES["float64"].smallest_normal),
}


def has_infinity(dtype: DType) -> bool:
    """Whether a float format can hold infinities; E4M3 of the OCP specification cannot."""
    return dtype.name != "float8_e4m3fn"


def convert(values: Array, conversion: Conversion) -> Array:
    """Round *values* to a format, once.

    Parameters
    ----------
    values : float32 or float64 array of any shape
    conversion : Conversion
        To a float format of the table or a computing format. float64 as the target changes nothing.

    Returns
    -------
    Array
        Of the shape and dtype of *values*, holding numbers of the format; it may be *values* itself where
        nothing can change. NaN stays NaN unless it is turned into 0. Without saturation a result beyond the
        range is what IEEE 754-2019 section 7.4 says for the rounding: infinity, or the largest finite value
        (which ``TO_ODD`` takes as well); a format without infinity has NaN in place of infinity.

    Raises
    ------
    TypeError
        If *values* are neither float32 nor float64.
    ValueError
        If the target is no float format.
    """
    values = np.asarray(values)
    layout = _LAYOUTS.get(values.dtype)
    if layout is None:
        raise TypeError(f"float32 or float64 numbers are needed, not {values.dtype}")
    target = conversion.format
    if not target.precision:
        raise ValueError(f"{target.name} is no float format")
    if _changes_nothing(layout, conversion):
        return values
    if values.dtype == np.float64 and _is_cast(conversion):
        with np.errstate(all="ignore"):
            narrow: Array = values.astype(np.float32).astype(np.float64)
        return narrow
    source = np.ascontiguousarray(values).reshape(-1)
    result = np.empty_like(source)
    step = _Chunk(layout, conversion, source.dtype)
    for start in range(0, source.size, _CHUNK):
        step.convert(source[start : start + _CHUNK], result[start : start + _CHUNK])
    return result.reshape(values.shape)


def _changes_nothing(layout: _Layout, conversion: Conversion) -> bool:
    """Whether all numbers the array can hold stay as they are."""
    target = conversion.format
    if target.precision > layout.precision or target.precision == 53:
        return True
    plain = conversion.overflow is Overflow.INF_NAN and not conversion.flush_subnormals
    return target.precision == layout.precision and plain


def _is_cast(conversion: Conversion) -> bool:
    """Whether the processor's own conversion from float64 to float32 does it."""
    plain = conversion.overflow is Overflow.INF_NAN and not conversion.flush_subnormals
    return conversion.format.precision == 24 and plain and conversion.rounding is Rounding.NEAREST_EVEN


class _Chunk:
    """The constants of one conversion and the buffers of its chunks."""

    def __init__(self, layout: _Layout, conversion: Conversion, holder: np.dtype[Any]) -> None:
        integer, target = layout.integer, conversion.format
        self.conversion = conversion
        self.integer = integer
        dropped = layout.precision - target.precision
        self.dropped = integer(dropped)
        self.below = integer((1 << dropped) - 1)
        self.kept = integer((1 << layout.width) - (1 << dropped))
        self.half = integer((1 << dropped) >> 1)
        self.magnitude = integer((1 << (layout.width - 1)) - 1)
        self.sign_shift = integer(layout.width - 1)
        self.one = integer(1)
        self.maximum = layout.magnitude(target.maximum, holder)
        self.normal = layout.magnitude(target.smallest_normal, holder)
        # With the exponents of the array's own format, subnormals are spaced as their bits are.
        self.narrow = target.smallest_normal > layout.smallest_normal
        self.size = np.empty(_CHUNK, integer)
        self.scratch = np.empty(_CHUNK, integer)

    def convert(self, source: Array, result: Array) -> None:
        """Convert one chunk into *result*."""
        bits, rounded = source.view(self.integer), result.view(self.integer)
        size = self.size[: bits.size]
        np.bitwise_and(bits, self.magnitude, out=size)
        beyond = int(size.max()) > self.maximum
        self._round(bits, rounded)
        if self.narrow or self.conversion.flush_subnormals:
            np.subtract(size, self.one, out=size)  # zero, which needs nothing, becomes the largest
            if int(size.min()) < self.normal - 1:
                self._below_normal(source, result, np.flatnonzero(size < self.integer(self.normal - 1)))
        if beyond:
            np.bitwise_and(bits, self.magnitude, out=size)
            self._beyond(source, result, np.flatnonzero(size > self.integer(self.maximum)))

    def _round(self, bits: Array, rounded: Array) -> None:
        """Round the fractions as integers; exponents may grow beyond the format's, NaN may be lost."""
        if not self.dropped:
            rounded[...] = bits
            return
        scratch = self.scratch[: bits.size]
        match self.conversion.rounding:
            case Rounding.NEAREST_EVEN:  # half of the last place less one unit, and the last bit
                np.right_shift(bits, self.dropped, out=scratch)
                np.bitwise_and(scratch, self.one, out=scratch)
                np.add(scratch, self.half - self.one, out=scratch)
                np.add(scratch, bits, out=scratch)
            case Rounding.NEAREST_AWAY:
                np.add(bits, self.half, out=scratch)
            case Rounding.TOWARD_ZERO:
                scratch = bits
            case Rounding.TO_ODD:  # whatever is dropped carries into the place of the last bit kept
                np.bitwise_and(bits, self.below, out=scratch)
                np.add(scratch, self.below, out=scratch)
                np.bitwise_or(scratch, bits, out=scratch)
            case _:  # add to the magnitudes of one sign
                np.right_shift(bits, self.sign_shift, out=scratch)
                if self.conversion.rounding is Rounding.UP:
                    np.bitwise_xor(scratch, self.one, out=scratch)
                np.multiply(scratch, self.below, out=scratch)
                np.add(scratch, bits, out=scratch)
        np.bitwise_and(scratch, self.kept, out=rounded)

    def _below_normal(self, source: Array, result: Array, where: NDArray[np.intp]) -> None:
        """Round numbers below the normal range as multiples of the smallest subnormal."""
        target = self.conversion.format
        exact = source[where].astype(np.float64)
        if self.narrow:
            steps = _to_integer(exact * (1.0 / target.smallest_subnormal), self.conversion.rounding)
            rounded = np.copysign(steps * target.smallest_subnormal, exact)
        else:
            rounded = result[where].astype(np.float64)
        if self.conversion.flush_subnormals:
            tiny = np.abs(rounded) < target.smallest_normal
            rounded = np.where(tiny, np.copysign(0.0, exact), rounded)
        result[where] = rounded

    def _beyond(self, source: Array, result: Array, where: NDArray[np.intp]) -> None:
        """Settle what is larger than the largest finite value: finite numbers, infinities and NaN."""
        conversion, target = self.conversion, self.conversion.format
        exact, rounded = source[where], result[where]
        missing = np.isnan(exact)
        over = ~(np.abs(rounded) <= target.maximum) | np.isinf(exact)
        limit = np.copysign(exact.dtype.type(target.maximum), exact)
        if conversion.overflow is Overflow.SATURATE:
            settled = np.where(over, limit, rounded)
            undefined = np.zeros_like(exact) if conversion.nan_to_zero else exact
        else:
            infinite = np.isinf(exact) | _overflows_to_infinity(exact, conversion.rounding)
            infinity = exact.dtype.type(np.inf if has_infinity(target) else np.nan)
            settled = np.where(over, np.where(infinite, np.copysign(infinity, exact), limit), rounded)
            undefined = exact
        result[where] = np.where(missing, undefined, settled)


def _overflows_to_infinity(values: Array, rounding: Rounding) -> Array:
    """Tell for which finite *values* beyond the range the rounding leads away from zero."""
    match rounding:
        case Rounding.NEAREST_EVEN | Rounding.NEAREST_AWAY:
            return np.ones(values.shape, np.bool_)
        case Rounding.UP:
            return values > 0
        case Rounding.DOWN:
            return values < 0
        case _:
            return np.zeros(values.shape, np.bool_)


def _to_integer(values: Array, rounding: Rounding) -> Array:
    """Round float64 *values* to integers."""
    match rounding:
        case Rounding.NEAREST_EVEN:
            return np.rint(values)
        case Rounding.UP:
            return np.ceil(values)
        case Rounding.DOWN:
            return np.floor(values)
    whole = np.trunc(values)
    left = values - whole
    if rounding is Rounding.NEAREST_AWAY:
        whole += np.copysign(np.abs(left) >= 0.5, values)
    elif rounding is Rounding.TO_ODD:
        whole += np.copysign((left != 0) & (np.fmod(whole, 2.0) == 0), values)
    return whole
