"""Tier 1 for integers and booleans: equality and the largest difference without any rounding.

Differences of 64-bit integers need 65 bits. They are taken as unsigned 64-bit magnitudes, which is exact
within one signedness; int64 against uint64 falls back to Python's integers for the few that would wrap.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.metrics.accumulator import Accumulator
from core.metrics.tensor_metrics import TensorMetrics


class Integers:
    """One pair of integer tensors; the sums are those of floating point, of numbers that hold exactly."""

    def __init__(self, target: TensorHandle, golden: TensorHandle) -> None:
        self._target, self._golden = target, golden
        self._worst = 0
        self._worst_at = -1
        self._first = -1
        self._equal = 0

    def run(self, chunk: int) -> TensorMetrics:
        """Return the metrics; *chunk* elements are held at a time."""
        sums = Accumulator(np.dtype(np.float64), chunk)
        identical = self._target.stored is self._golden.stored
        for start in range(0, self._target.size, chunk):
            stop = min(start + chunk, self._target.size)
            t, g = _widest(self._target.flat(start, stop)), _widest(self._golden.flat(start, stop))
            different = np.flatnonzero(_unequal(t, g))
            self._equal += len(t) - len(different)
            if different.size:
                self._take(t[different], g[different], different, start)
            sums.add(t, g, start)
        identical = identical and self._first < 0
        metrics = sums.metrics(identical_bytes=identical)
        worst = float(self._worst)
        # float64 cannot tell 2**60 from 2**60 + 1; what was found exactly stands.
        return replace(
            metrics,
            cosine=metrics.cosine if worst else 1.0,
            max_abs=worst,
            max_abs_exact=self._worst,
            max_abs_index=self._worst_at,
            equal_count=self._equal,
            first_different_index=self._first,
            euclidean=max(metrics.euclidean, worst),
        )

    def _take(self, t: NDArray[Any], g: NDArray[Any], places: NDArray[Any], start: int) -> None:
        if self._first < 0:
            self._first = start + int(places[0])
        worst, at = _largest_difference(t, g)
        if worst > self._worst:
            self._worst, self._worst_at = worst, start + int(places[at])


def _widest(values: NDArray[Any]) -> NDArray[Any]:
    """Return *values* as int64, or as uint64 where int64 cannot hold them."""
    return values if values.dtype == np.uint64 else values.astype(np.int64)


def _unequal(t: NDArray[Any], g: NDArray[Any]) -> NDArray[np.bool_]:
    if t.dtype == g.dtype:
        return np.asarray(t != g)
    signed = t if t.dtype == np.int64 else g
    # The same 64 bits mean the same number only where the signed one is not negative.
    return np.asarray((t.view(np.uint64) != g.view(np.uint64)) | (signed < 0))


def _largest_difference(t: NDArray[Any], g: NDArray[Any]) -> tuple[int, int]:
    """Return the largest |t - g| and its place."""
    if t.dtype == g.dtype:
        low, high = np.minimum(t, g), np.maximum(t, g)
        sizes = high.view(np.uint64) - low.view(np.uint64)  # exact modulo 2**64, and below it
        at = int(sizes.argmax())
        return int(sizes[at]), at
    at = max(range(len(t)), key=lambda place: abs(int(t[place]) - int(g[place])))
    return abs(int(t[at]) - int(g[at])), at
