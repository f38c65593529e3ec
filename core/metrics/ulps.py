"""Errors in units in the last place (ULP)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType


def ulp_of(values: NDArray[Any], dtype: DType) -> NDArray[np.float64]:
    """Return one unit in the last place of *dtype* at the magnitude of each of *values*.

    ``2**(floor(log2(max(|x|, smallest normal))) - precision + 1)``, so that subnormals have the unit of the
    smallest normal number (J.-M. Muller, "On the definition of ulp(x)", 2005: Kahan's definition where *x*
    is a number of the format). NaN for special values; *dtype* must be a floating point format.
    """
    size = np.abs(np.asarray(values)).astype(np.float64)
    exponents = np.frexp(np.maximum(size, dtype.smallest_normal))[1] - 1
    units = np.ldexp(1.0, exponents - dtype.precision + 1)
    return np.asarray(np.where(np.isfinite(size), units, np.nan), np.float64)


def ulp_errors(target: NDArray[Any], golden: NDArray[Any], dtype: DType) -> NDArray[np.float64]:
    """Return target − golden in units of *dtype* at the golden's magnitude, with its sign.

    NaN where either is special. *target* and *golden* are numbers of any real format and one shape; of
    complex numbers the magnitude of the difference is taken, without a sign.
    """
    with np.errstate(all="ignore"):
        if target.dtype.kind == "c" or golden.dtype.kind == "c":
            difference = np.abs(target.astype(np.complex128) - golden.astype(np.complex128))
        else:
            difference = target.astype(np.float64) - golden.astype(np.float64)
        errors: NDArray[np.float64] = difference / ulp_of(golden, dtype)
        return np.where(np.isfinite(errors), errors, np.nan)
