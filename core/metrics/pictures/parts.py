"""Magnitude, phase, real and imaginary part of complex numbers, special values kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.pictures.kinds import Part


def part_of(values: NDArray[Any], part: Part) -> NDArray[Any]:
    """Return *part* of *values* if these are complex, else *values*.

    A magnitude is infinite only where a part is: else it is at most the largest number of its format. The
    phase of a special value is its magnitude: Inf or NaN.
    """
    if values.dtype.kind != "c":
        return values
    if part is Part.REAL:
        return values.real
    if part is Part.IMAGINARY:
        return values.imag
    with np.errstate(all="ignore"):
        size: NDArray[Any] = np.atleast_1d(np.abs(values))
        special = ~np.isfinite(size)
        if special.any():
            size[special & np.isfinite(values)] = np.finfo(size.dtype).max
        if part is Part.MAGNITUDE:
            return size.reshape(values.shape)
        phase: NDArray[Any] = np.where(np.isfinite(size), np.angle(values), size)
        return phase.reshape(values.shape)
