"""Whether two weights are the same numbers, element by element, or but for rounding to a coarser format."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.dtypes import DTYPES, DType, Kind, coarser
from core.formats.tensors.handle import TensorHandle
from core.metrics.elementwise import CHUNK, compare_tensors
from core.records.columns import Float64

_GRIDS = ("bfloat16", "float16")
"""Formats that numbers may have been rounded to before they were saved in a wider one."""


class Elements(NamedTuple):
    """How the elements of two tensors of one shape agree."""

    equal: bool
    rounded: bool
    """Not equal, but what rounding to the coarser format makes of the same numbers."""
    error: float
    """Relative L2 error; NaN where it is not defined."""


def elements_agree(target: TensorHandle, golden: TensorHandle) -> Elements:
    """Compare all elements, NaN equal to NaN; other shapes are other weights."""
    if target.shape != golden.shape:
        return Elements(False, False, np.nan)
    metrics = compare_tensors(target, golden)
    if metrics.count == metrics.equal_count:
        return Elements(True, False, 0.0)
    kinds = {target.dtype.kind, golden.dtype.kind}
    rounded = kinds == {Kind.FLOAT} and any(
        _only_rounded(target, golden, grid) for grid in _coarse_formats(target.dtype, golden.dtype)
    )
    return Elements(False, rounded, float(metrics.relative_l2))


def _coarse_formats(target: DType, golden: DType) -> list[DType]:
    if target.name != golden.name:
        return [coarser(target, golden)]
    return [DTYPES[name] for name in _GRIDS if DTYPES[name].precision < target.precision]


def _only_rounded(target: TensorHandle, golden: TensorHandle, grid: DType) -> bool:
    """Return whether one side alone was rounded to *grid*, and no element is further off than that."""
    on_grid = [True, True]
    for start in range(0, target.size, CHUNK):
        stop = min(start + CHUNK, target.size)
        ours = target.flat(start, stop).astype(np.float64)
        theirs = golden.flat(start, stop).astype(np.float64)
        on_grid = [before and _lies_on(values, grid) for before, values in zip(on_grid, (ours, theirs))]
        with np.errstate(invalid="ignore"):
            apart = np.abs(ours - theirs)
            allowed = np.maximum(2 * grid.unit_roundoff * np.abs(theirs), grid.smallest_subnormal)
            fine = (apart <= allowed) | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        if not any(on_grid) or not fine.all():
            return False
    return on_grid[0] != on_grid[1]


def _lies_on(values: Float64, grid: DType) -> bool:
    """Return whether all *values* have no more significant bits than *grid* has."""
    finite = values[np.isfinite(values)]
    mantissa = np.ldexp(np.frexp(finite)[0], grid.precision)
    return bool((mantissa == np.rint(mantissa)).all())
