"""Whether two weights are the same numbers, element by element, or but for rounding to a coarser format."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, Kind, coarser
from core.formats.tensors.handle import TensorHandle
from core.metrics.elementwise import CHUNK, compare_tensors
from core.records.columns import Float64

_CLASSES = 5
"""From each pair of equal classes (finite, NaN, two infinities) to the next in the table of both sides."""
_GRIDS = ("bfloat16", "float16")
"""Formats that numbers may have been rounded to before they were saved in a wider one."""


class Elements(NamedTuple):
    """How the elements of two tensors of one shape agree."""

    equal: bool
    rounded: bool
    """Not equal, but rounding or truncating one side to the coarser format gives the other exactly."""
    error: float
    """Relative L2 error of what is finite on both sides; NaN where it is not defined."""
    special: int = 0
    """Elements that are NaN or infinite on one side, and something else on the other."""


def elements_agree(target: TensorHandle, golden: TensorHandle) -> Elements:
    """Compare all elements, NaN equal to NaN; other shapes are other weights."""
    if target.shape != golden.shape:
        return Elements(False, False, np.nan)
    metrics = compare_tensors(target, golden)
    if metrics.count == metrics.equal_count:
        return Elements(True, False, 0.0)
    special = sum(metrics.class_counts) - sum(metrics.class_counts[::_CLASSES])
    kinds = {target.dtype.kind, golden.dtype.kind}
    rounded = not special and kinds == {Kind.FLOAT} and _only_rounded(target, golden)
    return Elements(False, rounded, float(metrics.relative_l2), special)


def _only_rounded(target: TensorHandle, golden: TensorHandle) -> bool:
    ours, theirs = target.dtype, golden.dtype
    if ours.name != theirs.name:
        if coarser(ours, theirs) is ours:
            return _is_rounding(golden, target, ours, theirs)
        return _is_rounding(target, golden, theirs, ours)
    grids = [DTYPES[name] for name in _GRIDS if DTYPES[name].precision < ours.precision]
    return any(
        _is_rounding(fine, coarse, grid, ours)
        for grid in grids
        for fine, coarse in ((golden, target), (target, golden))
    )


def _is_rounding(fine: TensorHandle, coarse: TensorHandle, grid: DType, own: DType) -> bool:
    """Return whether *coarse* is what rounding, or truncating, every element of *fine* to *grid* gives.

    *own* is the format of *fine*: where its numbers lie further apart than those of *grid* (the smallest of
    float16 beside bfloat16), both may be roundings of a third.
    """
    nearest = cut = True
    for start in range(0, fine.size, CHUNK):
        stop = min(start + CHUNK, fine.size)
        values = fine.flat(start, stop).astype(np.float64)
        found = coarse.flat(start, stop).astype(np.float64)
        finite = np.isfinite(values) & np.isfinite(found)
        values, found = values[finite], found[finite]
        if nearest:
            near = _rounds_to(values, found, grid)
            nearest = bool(near.all() or (near | _rounds_to(found, values, own)).all())
        if cut:
            unit = _unit(values, grid)
            cut = bool((np.trunc(values / unit) * unit == found).all())
        if not (nearest or cut):
            return False
    return True


def _rounds_to(values: Float64, found: Float64, grid: DType) -> NDArray[np.bool_]:
    """Return where *found* is the number of *grid* next to *values*; of two as near, either."""
    unit = _unit(values, grid)
    scaled = values / unit
    near: NDArray[np.bool_] = (np.ceil(scaled - 0.5) * unit == found) | (
        np.floor(scaled + 0.5) * unit == found
    )
    return near


def _unit(values: Float64, grid: DType) -> Float64:
    """Return how far the numbers of *grid* lie apart around each of *values*: powers of two."""
    exponent = np.frexp(values)[1] - grid.precision
    unit: Float64 = np.maximum(np.ldexp(1.0, exponent), grid.smallest_subnormal)
    return unit
