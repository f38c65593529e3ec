"""The vector unit on half and float: IEEE 754 but for saturation and a few documented exceptions.

Sources: CANN, Ascend C API documents, boundary values of the memory vector interfaces (Atlas A2/A3) and of
the register vector interfaces (Ascend 950); accuracy standard of the register vector interfaces (which
operations keep subnormals); ``SetCtrlSpr`` (what saturates). Elementary functions are computed in float64
and rounded once; chips state an error of a unit or so in the last place for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.dtypes import DType
from core.emulation.arithmetic.rounding import Array, Conversion, Overflow, convert


@dataclass(frozen=True, slots=True)
class Quirks:
    """Where a vector unit leaves IEEE 754.

    Attributes
    ----------
    saturating : tuple of str
        Formats whose results saturate in saturation mode. float never does on Atlas A2/A3 and Ascend 950.
    not_equal_of_nan : bool
        What ``NE`` says of NaN; IEEE 754 says true.
    cast_keeps_minus_zero : bool
        Whether a cast from float to float keeps the sign of zero.
    flushing : frozenset of str
        Operations that take subnormal operands as zero and return zero in place of subnormal results.
    """

    saturating: tuple[str, ...] = ("float16", "bfloat16")
    not_equal_of_nan: bool = True
    cast_keeps_minus_zero: bool = True
    flushing: frozenset[str] = frozenset()


IEEE_754 = Quirks()
ATLAS_A2 = Quirks(not_equal_of_nan=False, cast_keeps_minus_zero=False)
ASCEND_950 = Quirks(flushing=frozenset({"Exp", "Ln", "Sqrt", "Div"}))
"""As the hardware algorithms do it; the ``*_FTZ_FALSE`` ones keep subnormals: :data:`IEEE_754`."""


def _relu(x: Array) -> Array:
    return np.where(np.isnan(x), x, np.where(x > 0, x, 0.0))


def _rsqrt(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "Exp": np.exp,
    "Ln": np.log,
    "Abs": np.abs,
    "Reciprocal": np.reciprocal,
    "Sqrt": np.sqrt,
    "Rsqrt": _rsqrt,
    "Relu": _relu,
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Cast": np.positive,
}

_COMPARISONS: dict[str, Callable[..., Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}

VECTOR_OPERATIONS = (*_FUNCTIONS, *_COMPARISONS)


def run_vector(
    operation: str,
    dtype: DType,
    inputs: Sequence[Array],
    overflow: Overflow = Overflow.INF_NAN,
    quirks: Quirks = IEEE_754,
) -> Array:
    """Return what one vector instruction makes of its operands.

    Parameters
    ----------
    operation : str
        One of :data:`VECTOR_OPERATIONS`; ``Cast`` is that from a format to itself.
    dtype : DType
        float16, bfloat16 or float32, of operands and result.
    inputs : arrays that broadcast
        Operands; numbers that *dtype* has.
    overflow : Overflow
        The mode of the chip; it counts only for formats that saturate.
    quirks : Quirks

    Returns
    -------
    Array
        float32; comparisons give 1.0 and 0.0.

    Raises
    ------
    KeyError
        If there is no such operation.
    """
    operands = [np.asarray(operand, np.float32).astype(np.float64) for operand in inputs]
    flush = operation in quirks.flushing
    with np.errstate(all="ignore"):
        if operation in _COMPARISONS:
            return _compare(operation, operands, quirks)
        if flush:
            kept = Conversion(dtype, flush_subnormals=True)
            operands = [convert(operand, kept) for operand in operands]
        exact = _FUNCTIONS[operation](*operands)
    if operation == "Cast" and dtype.name == "float32" and not quirks.cast_keeps_minus_zero:
        exact = exact + 0.0
    mode = overflow if dtype.name in quirks.saturating else Overflow.INF_NAN
    result = convert(exact, Conversion(dtype, overflow=mode, flush_subnormals=flush))
    return result.astype(np.float32)


def _compare(operation: str, operands: Sequence[Array], quirks: Quirks) -> Array:
    found = _COMPARISONS[operation](*operands)
    if operation == "NE" and not quirks.not_equal_of_nan:
        found = found & ~np.isnan(operands[0]) & ~np.isnan(operands[1])
    return found.astype(np.float32)
