"""The overflow status of a chip: which unit would raise which bit, and what training makes of it.

In saturation mode an overflow leaves no infinity in any dump; the status register is all that tells. Sources:
CANN, Ascend C API document of ``asc_get_status``, for the bits; torch_npu, ``npu_check_overflow`` and
``get_npu_overflow_flag``, for the check.
"""

from __future__ import annotations

from enum import Enum, IntFlag

import numpy as np

from core.dtypes import DTYPES, DType
from core.emulation.arithmetic.rounding import Array, Conversion, Overflow, Rounding, convert


class StatusBit(IntFlag):
    """The documented bits of the status register."""

    NONE = 0
    FLOAT_OVERFLOW = 1 << 5
    FLOAT_UNDERFLOW = 1 << 6
    """A result smaller than the smallest subnormal became 0."""
    NEGATIVE_TO_UNSIGNED = 1 << 7
    OUTPUT_OVERFLOW = 1 << 8
    """Converting float32 or int32 to float16 on the way from the matrix unit's accumulators."""
    OUTPUT_UNDERFLOW = 1 << 9
    CUBE_OVERFLOW = 1 << 10
    """The matrix unit's accumulators."""
    CUBE_UNDERFLOW = 1 << 11
    SCALAR_INPUT_SPECIAL = 1 << 13
    """An operand is NaN or infinite; so for the next three."""
    VECTOR_INPUT_SPECIAL = 1 << 14
    CUBE_INPUT_SPECIAL = 1 << 15
    MOVE_INPUT_SPECIAL = 1 << 61


OVERFLOW_BITS = StatusBit.FLOAT_OVERFLOW | StatusBit.OUTPUT_OVERFLOW | StatusBit.CUBE_OVERFLOW
"""The bits that say that a finite result did not fit."""


class ConvertingUnit(Enum):
    """Which unit converts, by the bits it raises: overflow, underflow, special operand."""

    VECTOR = (StatusBit.FLOAT_OVERFLOW, StatusBit.FLOAT_UNDERFLOW, StatusBit.VECTOR_INPUT_SPECIAL)
    """Also every other operation of the vector unit, whose exact result is converted."""
    OUTPUT = (StatusBit.OUTPUT_OVERFLOW, StatusBit.OUTPUT_UNDERFLOW, StatusBit.MOVE_INPUT_SPECIAL)
    """From the accumulators of the matrix unit to memory."""


def status_of_conversion(
    before: Array, after: Array, conversion: Conversion, unit: ConvertingUnit = ConvertingUnit.VECTOR
) -> StatusBit:
    """Return the bits that converting *before* into *after* raises.

    Parameters
    ----------
    before, after : float arrays of one shape
        Exact results, and what :func:`convert` made of them.
    conversion : Conversion
    unit : ConvertingUnit

    Returns
    -------
    StatusBit
        Overflow if a finite number rounded with unbounded exponent is beyond the largest finite value (IEEE
        754-2019 section 7.4), saturated or not; underflow if a number other than 0 became 0; special
        operand if one was not finite.
    """
    overflow, underflow, special = unit.value
    before, after = np.asarray(before), np.asarray(after)
    finite = np.isfinite(before)
    status = StatusBit.NONE
    if not finite.all():
        status |= special
    if (finite & _is_beyond(before, conversion)).any():
        status |= overflow
    if ((before != 0) & finite & (after == 0)).any():
        status |= underflow
    return status


def _is_beyond(values: Array, conversion: Conversion) -> Array:
    """Tell which *values* overflow when they are rounded as *conversion* does."""
    target, rounding = conversion.format, conversion.rounding
    if not target.precision or target.precision >= 53:
        return np.zeros(values.shape, np.bool_)
    if rounding in (Rounding.NEAREST_EVEN, Rounding.NEAREST_AWAY):
        rounded = convert(values.astype(np.float64), Conversion(target, rounding))
        return ~np.isfinite(rounded)
    # The next number that the format would have if its exponents went on.
    following = target.maximum + 2.0 ** (np.floor(np.log2(target.maximum)) + 1 - target.precision)
    beyond: Array = np.abs(values) >= following
    if rounding is Rounding.UP:
        beyond |= values > target.maximum
    elif rounding is Rounding.DOWN:
        beyond |= values < -target.maximum
    return beyond


def status_of_product(
    a: Array,
    b: Array,
    result: Array,
    accumulator: DType = DTYPES["float32"],
    overflow: Overflow = Overflow.INF_NAN,
) -> StatusBit:
    """Return the bits that a matrix product raises.

    Parameters
    ----------
    a, b, result : float arrays (..., M, K), (..., K, N) and (..., M, N)
    accumulator : DType
    overflow : Overflow
        Where accumulators saturate, the largest finite value counts as an overflow.

    Returns
    -------
    StatusBit
        Special operand if *a* or *b* is not finite anywhere; overflow if a result beyond the accumulator's
        range comes of a finite row and a finite column; underflow if the product in float64 is not 0, but
        smaller than the smallest subnormal, where the result is 0.
    """
    a, b, result = (np.asarray(matrix) for matrix in (a, b, result))
    rows = np.isfinite(a).all(axis=-1, keepdims=True)
    columns = np.isfinite(b).all(axis=-2, keepdims=True)
    status = StatusBit.NONE
    if not (rows.all() and columns.all()):
        status |= StatusBit.CUBE_INPUT_SPECIAL
    largest = accumulator.maximum if overflow is Overflow.SATURATE else np.inf
    beyond = ~(np.abs(result) < largest)
    if beyond.any() and (beyond & rows & columns).any():
        status |= StatusBit.CUBE_OVERFLOW
    if (result == 0).any() and _smallest(a) * _smallest(b) < accumulator.smallest_subnormal:
        with np.errstate(all="ignore"):
            exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
        if ((result == 0) & (exact != 0) & (np.abs(exact) < accumulator.smallest_subnormal)).any():
            status |= StatusBit.CUBE_UNDERFLOW
    return status


def _smallest(values: Array) -> float:
    """Return the smallest magnitude that is not 0; infinity if there is none."""
    return float(np.min(np.abs(values), where=values != 0, initial=np.inf))


def check_overflow(gradient: Array, mode: Overflow, status: StatusBit) -> bool:
    """Tell whether training on a chip in *mode* takes a step for overflown.

    With infinities it looks at the float32 sum of the gradient, so that a finite gradient can count as
    overflown; in saturation mode at the status alone, which every operation since it was last cleared may
    have raised, and not at the gradient at all. Of the status the overflow bits count.

    Parameters
    ----------
    gradient : float array
    mode : Overflow
    status : StatusBit
        What was raised since the status was cleared.
    """
    if mode is Overflow.SATURATE:
        return bool(status & OVERFLOW_BITS)
    with np.errstate(all="ignore"):
        total = np.asarray(gradient).astype(np.float32).sum(dtype=np.float32)
    return not bool(np.isfinite(total))
