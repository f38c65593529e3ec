"""Rounding float64 numbers to a coarser format."""

from __future__ import annotations

import numpy as np

from core.dtypes import DType, Kind, coarser, dtype_named
from core.emulation.arithmetic.rounding import Conversion, convert, has_infinity
from core.emulation.terms.computing import Array


def _named(name: str) -> DType:
    found = dtype_named(name)
    if found is None:
        raise KeyError(name)
    return found


FLOAT32 = _named("float32")
FLOAT64 = _named("float64")
INT64 = _named("int64")
BOOL = _named("bool")


def is_float(dtype: DType | None) -> bool:
    """Whether *dtype* has a precision: real or complex floating point."""
    return dtype is not None and dtype.kind in (Kind.FLOAT, Kind.COMPLEX)


def computing_format(dtype: DType) -> DType:
    """Return the format in which a kernel for *dtype* accumulates: float32 at least."""
    return FLOAT64 if dtype.precision > FLOAT32.precision else FLOAT32


def coarsest(dtypes: list[DType]) -> DType | None:
    """Return the float format with the fewest significand bits; ``None`` if none is a float."""
    found: DType | None = None
    for dtype in dtypes:
        if is_float(dtype):
            found = dtype if found is None else coarser(found, dtype)
    return found


def round_to(values: Array, dtype: DType) -> Array:
    """Round float64 *values* to the nearest of *dtype*, ties to even, as float64.

    Beyond the format's range the result is infinite, also for formats without infinity.
    """
    if not dtype.precision:
        return values
    rounded = convert(np.asarray(values, np.float64), Conversion(dtype))
    if has_infinity(dtype):
        return rounded
    return np.where(np.isnan(rounded) & ~np.isnan(values), np.copysign(np.inf, values), rounded)
