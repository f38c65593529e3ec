"""Statistics of a rectangle on both sides and of their difference, in float64, in one pass.

Means and deviations of blocks are merged as they come: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating
formulae and a pairwise algorithm for computing sample variances", 1979, formula (2.1).
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import coarser
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.elements.blocks import Area, Reader, Ticker
from core.metrics.elements.differences import (
    largest_magnitude,
    magnitudes,
    real_values,
    signed_differences,
    special_classes,
    ulp_sizes,
    wide,
)
from core.metrics.elements.records import RegionStatistics, SideStatistics
from core.metrics.handle_pair import HandlePair
from core.metrics.pictures.plane import Plane, Region
from core.metrics.scaling import power_to_square
from core.progress import Work

_Scales = tuple[float, float, float]
"""Powers of two that the target, the golden and their difference are multiplied by where they are squared."""


def statistics_of(
    pair: HandlePair, plane: Plane | None = None, rectangle: Region | None = None
) -> Work[RegionStatistics]:
    """Measure *rectangle* of *plane* of both sides; a golden of another shape is measured whole.

    A difference of finite numbers that float64 does not hold counts as its largest, as in pictures.
    """
    handles = [handle for handle in (pair.target, pair.golden) if handle is not None]
    areas = [
        Area(handle.shape, plane, rectangle) if handle.shape == pair.shape else Area(handle.shape)
        for handle in handles
    ]
    found, difference = yield from _pass(pair, handles, areas, [1.0, 1.0], (1.0, 1.0, 1.0))
    scales = [power_to_square(max(-side.low, side.high)) if side.count else 1.0 for side in found]
    of_both = difference.scales() if difference is not None else (1.0, 1.0, 1.0)
    if any(scale != 1.0 for scale in (*scales, *of_both)):
        # Only formats of 64 bits get here. Scaling by a power of two changes no digit.
        found, difference = yield from _pass(pair, handles, areas, scales, of_both)
    sides = [sums.statistics(area) for sums, area in zip(found, areas)]
    shape = areas[0].shape if areas else ()
    target = sides[0] if pair.target is not None else None
    golden = sides[-1] if pair.golden is not None else None
    known: dict[str, Any] = difference.numbers() if difference is not None else {}
    return RegionStatistics(target, golden, shape, **known)


def _pass(
    pair: HandlePair, handles: list[TensorHandle], areas: list[Area], scales: list[float], of_both: _Scales
) -> Work[tuple[list[_Side], _Difference | None]]:
    readers = [Reader(handle, area) for handle, area in zip(handles, areas)]
    found = [_Side(scale) for _, scale in zip(handles, scales)]
    total = sum(area.size for area in areas)
    ticker = Ticker(total, Message("progress.region"))
    done = 0
    if pair.both is not None:
        difference = _Difference(*pair.both, of_both)
        for box in areas[0].boxes():
            t, g = (reader.numbers(box) for reader in readers)
            with np.errstate(all="ignore"):
                for side, numbers in zip(found, (t, g)):
                    side.add(numbers, box.start)
                difference.add(t, g)
            done += 2 * (box.stop - box.start)
            yield from ticker.progress(done)
        return found, difference
    for area, reader, side in zip(areas, readers, found):
        for box in area.boxes():
            with np.errstate(all="ignore"):
                side.add(reader.numbers(box), box.start)
            done += box.stop - box.start
            yield from ticker.progress(done)
    return found, None


class _Side:
    """Running numbers of one side; values are multiplied by *scale* where they are squared."""

    def __init__(self, scale: float) -> None:
        self._scale = scale
        self.count = 0
        """Finite elements."""
        self._special = np.zeros(4, np.int64)
        self._zeros = 0
        self.low, self.high = inf, -inf
        self._largest, self._at = -1.0, -1
        self._mean = self._deviation = self._squares = 0.0

    def add(self, numbers: NDArray[Any], start: int) -> None:
        """Take in the elements from position *start* on."""
        values = real_values(numbers)
        places = None
        if not np.isfinite(values.sum()):
            classes = special_classes(numbers)
            counts = np.bincount(classes, minlength=4)
            self._special[1:] += counts[1:]
            places = np.flatnonzero(classes == 0)
            values = values[places]
        if not len(values):
            return
        self._zeros += len(values) - int(np.count_nonzero(values))
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        sizes = np.abs(values)
        at = int(sizes.argmax())
        if sizes[at] > self._largest:
            self._largest = float(sizes[at])
            self._at = start + (at if places is None else int(places[at]))
        if self._scale != 1.0:
            values = values * self._scale
        count, mean = len(values), float(values.mean())
        self._squares += float(values @ values)
        centred = values - mean
        both = self.count + count
        step = mean - self._mean
        self._deviation += float(centred @ centred) + step * step * self.count * count / both
        self._mean += step * count / both
        self.count = both

    def statistics(self, area: Area) -> SideStatistics:
        """Return what was found in *area*."""
        nans, plus, minus = (int(count) for count in self._special[1:])
        total = self.count + nans + plus + minus
        if not self.count:
            return SideStatistics(total, nans, plus, minus, 0, nan, nan, nan, nan, nan, None)
        return SideStatistics(
            total,
            nans,
            plus,
            minus,
            self._zeros,
            self.low,
            self.high,
            self._mean / self._scale,
            sqrt(self._deviation / self.count) / self._scale,
            sqrt(self._squares) / self._scale,
            area.place(self._at),
        )


class _Difference:
    """Running numbers of target − golden."""

    def __init__(self, target: TensorHandle, golden: TensorHandle, scales: _Scales) -> None:
        self._dtype = coarser(target.dtype, golden.dtype)
        self._scales = scales
        self._largest_t = self._largest_g = 0.0
        self._count = self._differing = self._special = 0
        self._sum = self._squares = self._largest = 0.0
        self._tt = self._gg = self._tg = 0.0
        self._ulps = 0.0

    def add(self, t: NDArray[Any], g: NDArray[Any]) -> None:
        """Take in a block of both sides."""
        sizes = magnitudes(signed_differences(t, g))
        if not float(sizes.sum()) < inf:
            classes_t, classes_g = special_classes(t), special_classes(g)
            special = int(np.count_nonzero(classes_t != classes_g))
            self._differing += special
            self._special += special
            finite = (classes_t == 0) & (classes_g == 0)
            t, g, sizes = t[finite], g[finite], sizes[finite]
        if not len(t):
            return
        self._count += len(t)
        differing = int(np.count_nonzero(sizes))
        self._differing += differing
        if max(t.real.dtype.itemsize, g.real.dtype.itemsize) >= 8:  # narrower numbers can always be squared
            self._largest_t = max(self._largest_t, largest_magnitude(t))
            self._largest_g = max(self._largest_g, largest_magnitude(g))
        wide_t, wide_g = (
            wide(side) if scale == 1.0 else wide(side) * scale for side, scale in zip((t, g), self._scales)
        )
        self._tt += float(np.vdot(wide_t, wide_t).real)
        self._gg += float(np.vdot(wide_g, wide_g).real)
        self._tg += float(np.vdot(wide_t, wide_g).real)
        if differing:
            self._largest = max(self._largest, float(sizes.max()))
            scaled = sizes if self._scales[2] == 1.0 else sizes * self._scales[2]
            self._sum += float(scaled.sum())
            self._squares += float(scaled @ scaled)
            if self._dtype.precision:
                self._ulps = max(self._ulps, float(ulp_sizes(t, g, self._dtype).max()))

    def scales(self) -> _Scales:
        """Return what numbers that are finite on both sides, and their difference, can be squared with."""
        sizes = self._largest_t, self._largest_g, self._largest
        target, golden, difference = (power_to_square(size) for size in sizes)
        return target, golden, difference

    def numbers(self) -> dict[str, Any]:
        """Return the fields of :class:`RegionStatistics` that tell of the difference."""
        ulps = self._ulps if self._count else nan
        known: dict[str, Any] = {
            "differing": self._differing,
            "special": self._special,
            "max_ulp": ulps if self._dtype.precision else None,
        }
        names = ("max_abs", "mean_abs", "rmse", "relative_l2", "cosine")
        if not self._count:
            return {**known, **dict.fromkeys(names, nan)}
        largest = self._largest
        # Squares of tiny differences may underflow to 0; their root is never below the largest of them.
        scale_g, scale_d = self._scales[1:]
        norm = max(sqrt(self._squares), largest * scale_d)
        norm_t, norm_g = sqrt(self._tt), sqrt(self._gg)
        if not largest:
            relative, cosine = 0.0, 1.0
        else:
            relative = norm / norm_g * scale_g / scale_d if norm_g else inf
            cosine = max(-1.0, min(1.0, self._tg / norm_t / norm_g)) if norm_t and norm_g else nan
        mean, root = self._sum / self._count / scale_d, norm / sqrt(self._count) / scale_d
        numbers = largest, mean, root, relative, cosine
        return {**known, **dict(zip(names, numbers))}
