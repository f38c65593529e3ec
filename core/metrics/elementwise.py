"""Tier 1: all numbers of a pair in one pass over mapped bytes, in memory that does not grow with the tensors.

Chunks of 32 Ki elements stay in the second-level cache. Each is widened to float64, where products of
float32 values are exact and sums cannot overflow, and is reduced at once. A chunk of equal bytes needs
only the norm; NaN and Inf are noticed by the norm itself, and only then does a slower path sort the elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind
from core.formats.tensors.handle import TensorHandle
from core.metrics.accumulator import Accumulator, Scales
from core.metrics.exact import Integers
from core.metrics.grid import GridWatch
from core.metrics.halves import float32_of
from core.metrics.scaling import SMALL, power_to_square
from core.metrics.shapes import comparable
from core.metrics.tensor_metrics import TensorMetrics

CHUNK = 32 * 1024
"""Elements at a time."""


def compare_tensors(target: TensorHandle, golden: TensorHandle) -> TensorMetrics:
    """Return the metrics of *target* against *golden*, as numbers, whatever their dtypes.

    Shapes that differ only by dimensions of size 1 are compared flat; others, and empty tensors, give
    metrics that are not defined (``count`` -1 or 0).
    """
    if not comparable(target.shape, golden.shape):
        return TensorMetrics()
    if target.size == 0:
        return TensorMetrics(count=0, equal_count=0)
    kinds = {target.stored.kind, golden.stored.kind}
    with np.errstate(all="ignore"):
        if kinds <= {Kind.INTEGER, Kind.BOOL}:
            return Integers(target, golden).run(CHUNK)
        kind = np.dtype(np.complex128 if Kind.COMPLEX in kinds else np.float64)
        metrics = _compare(target, golden, Accumulator(kind, CHUNK))
        scales = _scales(metrics)
        if scales != Scales():
            # Only formats of 64 bits get here. Scaling by a power of two changes no digit.
            metrics = _compare(target, golden, Accumulator(kind, CHUNK, scales))
    return metrics


def _scales(metrics: TensorMetrics) -> Scales:
    """Return what brings the norms of a pair into the range of float64, from its largest numbers."""
    largest = metrics.target_max_abs, metrics.golden_max_abs, metrics.max_abs
    values = 1.0
    if max(largest[:2]) < SMALL:
        values = power_to_square(max(largest[:2]))
    return Scales(values, *(power_to_square(number * values) for number in largest))


def _compare(target: TensorHandle, golden: TensorHandle, sums: Accumulator) -> TensorMetrics:
    same_layout = target.plain and golden.plain and target.stored is golden.stored
    identical = same_layout
    grids = GridWatch.of(target), GridWatch.of(golden)
    for start in range(0, target.size, CHUNK):
        stop = min(start + CHUNK, target.size)
        bits_t, bits_g = target.flat_bits(start, stop), golden.flat_bits(start, stop)
        for grid, bits in zip(grids, (bits_t, bits_g)):
            if grid is not None and grid.alive:
                grid.watch(bits)
        values_g = float32_of(golden.numbers(bits_g))
        if same_layout and bits_t.dtype == bits_g.dtype and _same_bytes(bits_t, bits_g):
            sums.add_equal(values_g, start)
            continue
        identical = False
        sums.add(float32_of(target.numbers(bits_t)), values_g, start)
    return sums.metrics(identical_bytes=identical, target_grid=_grid(grids[0]), golden_grid=_grid(grids[1]))


def _grid(watch: GridWatch | None) -> str:
    return watch.name if watch is not None else ""


def _same_bytes(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Compare bit patterns, in words as wide as the length allows."""
    wide = np.dtype(np.uint64) if first.nbytes % 8 == 0 else np.dtype(np.uint8)
    return bool(np.array_equal(first.view(wide), second.view(wide)))
