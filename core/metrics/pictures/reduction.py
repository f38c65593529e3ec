"""One pass over a plane, tile by tile, from elements to pixels."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, Kind
from core.metrics.pictures.chunked_sheet import Grain
from core.metrics.pictures.extremes import OUTSIDE, FloatBlocks, IntegerBlocks
from core.metrics.pictures.percentiles import Percentiles
from core.metrics.pictures.plane import Region

_TILE = 256 * 1024
"""Elements reduced at once; they fit the second-level cache."""

_BREATH, _PARTIAL = 0.02, 0.15
"""Seconds of work between two yields, and at least between two pictures among them."""

Tile = Callable[[Region], tuple[NDArray[Any], int]]
"""Gives the elements of a region, and how many at its end only fill up the last row of a folded tensor."""


@dataclass(frozen=True)
class Picture:
    """One reduced image.

    ``values`` (rows × columns) holds the finite value of largest magnitude of each block with its sign, NaN
    where none is finite: in float32, or in float64 where float32 would not tell what there is to see.
    ``classes`` has a bit for each special value that occurs in the block.

    A picture that is not done yet has NaN and OUTSIDE where nothing has been read; its numbers are those
    of what has been read.
    """

    values: NDArray[Any]
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
    beyond: int = 0
    """Finite elements drawn as float32's largest, as they are at least that: relative to a golden of 0."""
    percentiles: Percentiles | None = None
    """Between which values most of the region lies; ``None`` where nothing is finite or nobody asked."""

    @property
    def nbytes(self) -> int:
        """Bytes of the pixels."""
        return self.values.nbytes + self.classes.nbytes


Drawing = Generator[Picture | None, None, Picture]
"""Draws bit by bit: yields ``None`` every few milliseconds and now and then what is done, returns it all."""


class Reduction:
    """Reduces *area*, read through *tile*, to at most *max_pixels* (rows, columns).

    Finite elements of magnitude *limit* and more are counted as beyond what can be drawn.

    Tiles have at most the rows of *grain*, and panels of about its columns are read one after the other:
    so few chunks are unpacked at once, and none again and again.
    """

    def __init__(
        self,
        tile: Tile,
        dtype: DType,
        area: Region,
        max_pixels: tuple[int, int],
        limit: float | None = None,
        grain: Grain | None = None,
    ) -> None:
        self._tile, self._area, self._limit = tile, area, limit
        self._blocks = FloatBlocks(dtype) if dtype.kind is Kind.FLOAT else IntegerBlocks(dtype)
        height, width = area.bottom - area.top, area.right - area.left
        self._grain = grain or Grain(max(height, 1), max(width, 1))
        self._step = _step(height, max_pixels[0]), _step(width, max_pixels[1])
        shape = -(-height // self._step[0]), -(-width // self._step[1])
        self._shape = shape
        self._high, self._low = self._blocks.empty(shape)
        self._classes = np.zeros(shape, np.uint8)
        self._inside = np.zeros(shape, bool)
        self._seen = self._beyond = 0
        self._special = [0, 0, 0]

    def work(self) -> Drawing:
        """Draw; the work between two yields takes some 20 ms."""
        breath = partial = time.perf_counter()
        for first, last, left, part in self._parts():
            bits, fill = self._read(part)
            found = self._blocks.reduce(bits, min(self._step[0], len(bits)), self._step[1])
            self._count(found.counts, self._over(bits, found), bits, fill)
            if len(bits) == 1:
                bits = bits[:, : bits.shape[1] - fill]
                found = found.first(-(-bits.shape[1] // self._step[1]))
            self._blocks.watch(bits, found)
            here = slice(first, last), slice(left, left + found.high.shape[1])
            self._blocks.merge(self._high[here], self._low[here], found.high, found.low)
            self._classes[here] |= found.classes
            self._inside[here] = True
            now = time.perf_counter()
            if now - partial >= _PARTIAL:
                yield self._picture()
                breath = partial = time.perf_counter()
            elif now - breath >= _BREATH:
                yield None
                breath = time.perf_counter()
        return self._picture()

    def _picture(self) -> Picture:
        minimum, maximum = self._bounds()
        values, classes = self._blocks.decode(self._high, self._low), self._classes.copy()
        if not self._inside.all():
            outside = ~self._inside
            values[outside] = np.nan
            classes[outside] = OUTSIDE
        return Picture(
            values,
            classes,
            self._area,
            self._step,
            minimum,
            maximum,
            self._seen - sum(self._special),
            nan=self._special[0],
            plus_inf=self._special[1],
            minus_inf=self._special[2],
            beyond=self._beyond,
        )

    def _read(self, part: Region) -> tuple[NDArray[Any], int]:
        bits, fill = self._tile(part)
        # Views of other types need neighbouring elements; a tile is small.
        return (bits if bits.strides[-1] == bits.dtype.itemsize else np.ascontiguousarray(bits)), fill

    def _parts(self) -> Iterator[tuple[int, int, int, Region]]:
        """Yield the tiles: rows of pixels from and to, first column of pixels, elements."""
        tiles = (tile for panel in self._panels() for tile in self._tiles(*panel))
        yield from self._grain.sorted(tiles, lambda tile: tile[3])

    def _panels(self) -> Iterator[tuple[int, int, int]]:
        """Yield first column of pixels, first column and end of each panel: whole pixels or part of one."""
        area, wide, widest = self._area, self._step[1], self._grain.columns
        together = max(widest // wide, 1)
        for pixel in range(0, self._shape[1], together):
            left = area.left + pixel * wide
            right = min(left + together * wide, area.right)
            for begin in range(left, right, widest if wide > widest else right - left):
                yield pixel, begin, min(begin + widest, right) if wide > widest else right

    def _tiles(self, pixel: int, left: int, right: int) -> Iterator[tuple[int, int, int, Region]]:
        """Yield the tiles of one panel.

        A tile is several rows of pixels where they are small, else a part of one or of a pixel. The last
        row stands alone: it may be shorter, and in a folded tensor be filled up.
        """
        rows, tall, area = self._shape[0], self._step[0], self._area
        together = min(_TILE // (tall * (right - left)), max(self._grain.rows // tall, 1))
        first = 0
        while first < rows:
            last = min(first + together, rows - 1) if together > 1 and first < rows - 1 else first + 1
            top, bottom = area.top + first * tall, min(area.top + last * tall, area.bottom)
            if last > first + 1:
                yield first, last, pixel, Region(top, bottom, left, right)
            else:
                for inside, part in self._portions(Region(top, bottom, left, right)):
                    yield first, last, pixel + inside, part
            first = last

    def _portions(self, panel: Region) -> Iterator[tuple[int, Region]]:
        """Yield the tiles of one row of pixels, with the column of pixels in the panel."""
        (top, bottom, _, _), wide = panel, self._step[1]
        height = max(1, min(bottom - top, _TILE // min(wide, _TILE), self._grain.rows))
        pixels = max(1, _TILE // (height * wide))
        for start in range(top, bottom, height):
            end = min(start + height, bottom)
            for pixel in range(0, -(-(panel.right - panel.left) // wide), pixels):
                left = panel.left + pixel * wide
                right = min(left + pixels * wide, panel.right)
                for begin in range(left, right, max(wide * pixels if wide <= _TILE else _TILE, 1)):
                    stop = right if wide <= _TILE else min(begin + _TILE, right)
                    yield pixel, Region(start, end, begin, stop)

    def _over(self, bits: NDArray[Any], found: Any) -> int:
        return self._blocks.beyond(bits, found, self._limit) if self._limit is not None else 0

    def _count(self, counts: tuple[int, int, int], beyond: int, bits: NDArray[Any], fill: int) -> None:
        self._seen += bits.size - fill
        if fill:
            filling = bits[-1:, -fill:]
            filled = self._blocks.reduce(filling, 1, fill).counts
            counts = tuple(all_ - more for all_, more in zip(counts, filled))  # type: ignore[assignment]
            beyond -= self._over(filling, None)
        self._special = [total + more for total, more in zip(self._special, counts)]
        self._beyond += beyond

    def _bounds(self) -> tuple[float, float]:
        """Return the smallest and the largest finite value."""
        if self._seen == sum(self._special):
            return nan, nan
        return self._blocks.extremes(self._high[self._inside], self._low[self._inside])


def _step(extent: int, pixels: int) -> int:
    return max(1, -(-extent // max(pixels, 1)))
