"""One pass over a plane, tile by tile, from elements to pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, Kind
from core.metrics.extremes import OUTSIDE, FloatBlocks, IntegerBlocks
from core.metrics.plane import Region

_TILE = 256 * 1024
"""Elements reduced at once; they fit the second-level cache."""

_FLOAT32_MAX = float(np.finfo(np.float32).max)

Tile = Callable[[Region], tuple[NDArray[Any], int]]
"""Gives the elements of a region, and how many at its end only fill up the last row of a folded tensor."""


@dataclass(frozen=True)
class Picture:
    """One reduced image.

    ``values`` (rows × columns, float32) holds the finite value of largest magnitude of each block with
    its sign, NaN where none is finite; beyond float32 it holds float32's largest. ``classes`` has a bit
    for each special value that occurs in the block.
    """

    values: NDArray[np.float32]
    classes: NDArray[np.uint8]
    region: Region
    block: tuple[int, int]
    """Rows and columns of elements a pixel stands for; fewer at the far edges."""
    minimum: float
    """Smallest finite value of the region, NaN if there is none."""
    maximum: float
    finite: int
    nan: int
    plus_inf: int
    minus_inf: int


class Reduction:
    """Reduces *area*, read through *tile*, to at most *max_pixels* (rows, columns)."""

    def __init__(self, tile: Tile, dtype: DType, area: Region, max_pixels: tuple[int, int]) -> None:
        self._tile, self._area = tile, area
        self._blocks = FloatBlocks(dtype) if dtype.kind is Kind.FLOAT else IntegerBlocks(dtype)
        height, width = area.bottom - area.top, area.right - area.left
        self._step = _step(height, max_pixels[0]), _step(width, max_pixels[1])
        self._shape = -(-height // self._step[0]), -(-width // self._step[1])
        self._elements = height * width
        self._special = [0, 0, 0]

    def run(self) -> Picture:
        """Return the picture."""
        high, low = self._blocks.empty(self._shape)
        classes = np.zeros(self._shape, np.uint8)
        inside = np.zeros(self._shape, bool)
        for first, last, left, part in self._parts():
            bits, fill = self._read(part)
            if not bits.size:
                continue
            found = self._blocks.reduce(bits, min(self._step[0], len(bits)), self._step[1])
            self._count(found.counts, bits, fill)
            columns = found.high.shape[1]
            if len(bits) == 1:
                columns = -(-(bits.shape[1] - fill) // self._step[1])
            here = slice(first, last), slice(left, left + columns)
            self._blocks.merge(high[here], low[here], found.high[:, :columns], found.low[:, :columns])
            classes[here] |= found.classes[:, :columns]
            inside[here] = True
        values = np.where(inside, self._blocks.decode(high, low), np.nan)
        classes[~inside] |= OUTSIDE
        minimum, maximum = self._range(high[inside], low[inside])
        return Picture(
            np.clip(values, -_FLOAT32_MAX, _FLOAT32_MAX).astype(np.float32),
            classes,
            self._area,
            self._step,
            minimum,
            maximum,
            self._elements - sum(self._special),
            *self._special,
        )

    def _read(self, part: Region) -> tuple[NDArray[Any], int]:
        bits, fill = self._tile(part)
        # Views of other types need neighbouring elements; a tile is small.
        return (bits if bits.strides[-1] == bits.dtype.itemsize else np.ascontiguousarray(bits)), fill

    def _parts(self) -> Iterator[tuple[int, int, int, Region]]:
        """Yield the tiles: rows of pixels from and to, first column of pixels, elements.

        A tile is several rows of pixels where they are small, else a part of one. The last row stands
        alone: it may be shorter, and in a folded tensor be filled up.
        """
        (rows, columns), (tall, wide), area = self._shape, self._step, self._area
        together = _TILE // max(tall * (area.right - area.left), 1)
        first = 0
        while first < rows:
            last = min(first + together, rows - 1) if together > 1 and first < rows - 1 else first + 1
            top, bottom = area.top + first * tall, min(area.top + last * tall, area.bottom)
            if last > first + 1:
                yield first, last, 0, Region(top, bottom, area.left, area.right)
            else:
                height = max(1, min(bottom - top, _TILE // min(wide, _TILE)))
                pixels = max(1, _TILE // (height * wide))
                for start in range(top, bottom, height):
                    for pixel in range(0, columns, pixels):
                        left = area.left + pixel * wide
                        right = min(left + pixels * wide, area.right)
                        yield first, last, pixel, Region(start, min(start + height, bottom), left, right)
            first = last

    def _count(self, counts: tuple[int, int, int], bits: NDArray[Any], fill: int) -> None:
        if fill:
            self._elements -= fill
            filled = self._blocks.reduce(bits[-1:, -fill:], 1, fill).counts
            counts = tuple(all_ - more for all_, more in zip(counts, filled))  # type: ignore[assignment]
        self._special = [total + more for total, more in zip(self._special, counts)]

    def _range(self, high: NDArray[Any], low: NDArray[Any]) -> tuple[float, float]:
        """Return the smallest and the largest finite value."""
        if self._elements == sum(self._special):
            return nan, nan
        minimum, maximum = self._blocks.extremes(high, low)
        if minimum is None or maximum is None:
            # All of one sign: the value nearest to zero does not show in the maxima.
            nearest = self._nearest_to_zero()
            minimum = nearest if minimum is None else minimum
            maximum = nearest if maximum is None else maximum
        return minimum, maximum

    def _nearest_to_zero(self) -> float:
        sizes = []
        for *_, part in self._parts():
            bits, fill = self._read(part)
            if fill and len(bits) == 1:
                bits = bits[:, : bits.shape[1] - fill]
            sizes.append(self._blocks.nearest(bits))
        return self._blocks.nearest_value(sizes)


def _step(extent: int, pixels: int) -> int:
    return max(1, -(-extent // max(pixels, 1)))
