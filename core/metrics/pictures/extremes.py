"""Largest magnitudes of blocks, straight from bit patterns.

With the sign bit cleared, the bits of an IEEE number order as its magnitude does. So the largest positive
value of a block is the largest of its bits read as signed integers, and the most negative one is the
largest of them read as unsigned: two integer maxima, no conversion. Inf and NaN lie above all finite
numbers, so they show in the maxima, and only then are they sorted out one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, widen
from core.metrics.pictures.differences import FLOAT32_MAX

NAN, PLUS_INF, MINUS_INF, OUTSIDE = 1, 2, 4, 8
"""Bits of a picture's class mask. OUTSIDE: beyond the end of a folded tensor."""

_INFINITY = {
    "float64": 0x7FF0000000000000,
    "float32": 0x7F800000,
    "float16": 0x7C00,
    "bfloat16": 0x7F80,
    "float8_e5m2": 0x7C,
    "float8_e4m3fn": 0x7F,  # has no infinity: this is its NaN
}
_NAN_ONLY = "float8_e4m3fn"


def special_bits(bits: NDArray[Any], dtype: DType, mark: int) -> NDArray[np.bool_]:
    """Return which *bits* of *dtype* are the special value *mark*: NAN, PLUS_INF or MINUS_INF."""
    word = np.dtype(f"<u{dtype.itemsize}")
    infinity, sign = word.type(_INFINITY[dtype.name]), word.type(1 << 8 * dtype.itemsize - 1)
    unsigned = bits.view(word)
    if mark == NAN:
        size = unsigned & ~sign
        return np.asarray(size >= infinity if dtype.name == _NAN_ONLY else size > infinity)
    if dtype.name == _NAN_ONLY:
        return np.zeros(bits.shape, bool)
    return np.asarray(unsigned == (infinity if mark == PLUS_INF else sign | infinity))


@dataclass(frozen=True)
class BlockMaxima:
    """Per block: bits of the largest positive and of the most negative value, classes; and total counts.

    ``high`` is negative where a block has no positive value, ``low`` below the sign bit where it has no
    negative one.
    """

    high: NDArray[Any]
    low: NDArray[Any]
    classes: NDArray[np.uint8]
    counts: tuple[int, int, int]
    """NaN, +Inf, −Inf."""

    def first(self, columns: int) -> BlockMaxima:
        """Return those of the first *columns* of blocks; the counts stay."""
        kept = slice(None), slice(columns)
        return replace(self, high=self.high[kept], low=self.low[kept], classes=self.classes[kept])


class FloatBlocks:
    """Reduces tiles of one floating point format."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype
        size = dtype.itemsize
        self.signed, self.unsigned = np.dtype(f"<i{size}"), np.dtype(f"<u{size}")
        self.sign = self.unsigned.type(1 << (8 * size - 1))
        self.infinity = self.unsigned.type(_INFINITY[dtype.name])
        self.lowest = np.iinfo(self.signed).min
        self._nan_only = dtype.name == _NAN_ONLY
        self._positive = self._negative = False
        """Whether such values were watched."""
        self._nearest = np.iinfo(self.unsigned).max

    def reduce(self, tile: NDArray[Any], tall: int, wide: int) -> BlockMaxima:
        """Return the maxima of *tile*, rows × columns of stored bits, over blocks of *tall* × *wide*."""
        signed, unsigned = tile.view(self.signed), tile.view(self.unsigned)
        high, low = _over(signed, tall, wide, np.maximum), _over(unsigned, tall, wide, np.maximum)
        if (high >= self.infinity.astype(self.signed)).any() or (low >= (self.sign | self.infinity)).any():
            return self._sorted_out(signed, unsigned, tall, wide)
        return BlockMaxima(high, low, np.zeros(high.shape, np.uint8), (0, 0, 0))

    def _sorted_out(self, signed: NDArray[Any], unsigned: NDArray[Any], tall: int, wide: int) -> BlockMaxima:
        size = unsigned & ~self.sign
        nan = size >= self.infinity if self._nan_only else size > self.infinity
        infinite = (size == self.infinity) & ~nan
        plus, minus = infinite & (signed >= 0), infinite & (signed < 0)
        marks = nan * np.uint8(NAN) + plus * np.uint8(PLUS_INF) + minus * np.uint8(MINUS_INF)
        special = nan | infinite
        return BlockMaxima(
            _over(np.where(special, self.lowest, signed), tall, wide, np.maximum),
            _over(np.where(special, self.unsigned.type(0), unsigned), tall, wide, np.maximum),
            _over(marks, tall, wide, np.bitwise_or),
            (int(np.count_nonzero(nan)), int(np.count_nonzero(plus)), int(np.count_nonzero(minus))),
        )

    def beyond(self, tile: NDArray[Any], maxima: BlockMaxima | None, limit: float) -> int:
        """Return how many finite values of *tile* reach *limit* in magnitude; *maxima* may be known."""
        least = np.asarray(limit, self.dtype.storage).view(self.unsigned)[()]
        if maxima is not None:
            above = (maxima.high >= least.astype(self.signed)).any()
            if not above and not (maxima.low >= (self.sign | least)).any():
                return 0
        size = tile.view(self.unsigned) & ~self.sign
        return int(np.count_nonzero((size >= least) & (size < self.infinity)))

    def empty(self, shape: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return ``high`` and ``low`` of blocks that have seen nothing."""
        return np.full(shape, self.lowest, self.signed), np.zeros(shape, self.unsigned)

    def merge(self, high: NDArray[Any], low: NDArray[Any], more: NDArray[Any], less: NDArray[Any]) -> None:
        """Take the maxima of another part of the same blocks into *high* and *low*."""
        np.maximum(high, more, out=high)
        np.maximum(low, less, out=low)

    def watch(self, tile: NDArray[Any], maxima: BlockMaxima) -> None:
        """Note the value of *tile* nearest to zero, as long as all have one sign: maxima do not show it."""
        if self._positive and self._negative:
            return
        self._positive |= bool((maxima.high >= 0).any())
        self._negative |= bool((maxima.low >= self.sign).any())
        if self._positive and self._negative:
            return
        bits = tile.view(self.unsigned)
        if any(maxima.counts):
            bits = np.where(bits & ~self.sign < self.infinity, bits, self._nearest)
        self._nearest = min(self._nearest, bits.min(initial=self._nearest))

    def extremes(self, high: NDArray[Any], low: NDArray[Any]) -> tuple[float, float]:
        """Return the smallest and largest value of all that was watched; there must be one."""
        lowest = low.max() if self._negative else self._nearest
        highest = high.max().view(self.unsigned) if self._positive else self._nearest
        return float(self.value(np.asarray(lowest))), float(self.value(np.asarray(highest)))

    def decode(self, high: NDArray[Any], low: NDArray[Any]) -> NDArray[Any]:
        """Return the value of largest magnitude of each block, else NaN; see :func:`_narrowed`."""
        negative, positive = low >= self.sign, high >= 0
        take_low = negative & (~positive | ((low & ~self.sign) > high.view(self.unsigned)))
        chosen = np.where(take_low, low, high.view(self.unsigned))
        stored = chosen.view(self.dtype.storage) if self.dtype.native else chosen
        made = np.array(widen(stored, self.dtype))
        made[~(negative | positive)] = np.nan
        return _narrowed(made) if made.dtype == np.float64 else made.astype(np.float32, copy=False)

    def value(self, bits: NDArray[Any]) -> NDArray[np.float64]:
        """Return unsigned *bits* as numbers."""
        stored = bits if not self.dtype.native else bits.view(self.dtype.storage)
        return np.asarray(widen(stored, self.dtype), np.float64)


class IntegerBlocks:
    """The same for integers and booleans, by maximum and minimum; they have no special values."""

    def __init__(self, dtype: DType) -> None:
        self.storage = np.dtype(np.uint8) if dtype.storage == np.bool_ else dtype.storage
        bits = 8 * self.storage.itemsize
        signed = self.storage.kind == "i"
        self.least = -(1 << bits - 1) if signed else 0
        self.most = (1 << bits - 1) - 1 if signed else (1 << bits) - 1

    def reduce(self, tile: NDArray[Any], tall: int, wide: int) -> BlockMaxima:
        """Return maxima as ``high`` and minima as ``low``."""
        numbers = tile.view(np.uint8) if tile.dtype == np.bool_ else tile
        high = _over(numbers, tall, wide, np.maximum)
        low = _over(numbers, tall, wide, np.minimum)
        return BlockMaxima(high, low, np.zeros(high.shape, np.uint8), (0, 0, 0))

    def empty(self, shape: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return ``high`` and ``low`` of blocks that have seen nothing."""
        return np.full(shape, self.least, self.storage), np.full(shape, self.most, self.storage)

    def merge(self, high: NDArray[Any], low: NDArray[Any], more: NDArray[Any], less: NDArray[Any]) -> None:
        """Take the extremes of another part of the same blocks into *high* and *low*."""
        np.maximum(high, more, out=high)
        np.minimum(low, less, out=low)

    def watch(self, tile: NDArray[Any], maxima: BlockMaxima) -> None:
        """Do nothing: maxima and minima tell all."""

    def extremes(self, high: NDArray[Any], low: NDArray[Any]) -> tuple[float, float]:
        """Return the smallest and largest value of all."""
        return float(low.min()), float(high.max())

    def beyond(self, tile: NDArray[Any], maxima: BlockMaxima | None, limit: float) -> int:
        """Return 0: float32 holds the magnitude of every integer."""
        return 0

    def decode(self, high: NDArray[Any], low: NDArray[Any]) -> NDArray[Any]:
        """Return the value of largest magnitude of each block; see :func:`_narrowed`."""
        up, down = high.astype(np.float64), low.astype(np.float64)
        return _narrowed(np.where(-down > up, down, up))


_NEAR = 2.0**-12
"""Distance between the ends of values, over the larger, below which float32 does not tell 256 apart well."""


def _narrowed(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return *values* in float32, unless some are too large or small for it or all are near each other."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if not sizes.size:
        return values.astype(np.float32)
    largest = sizes.max()
    half = np.nanmax(values) / 2 - np.nanmin(values) / 2  # their distance may be beyond any number
    near = 0 < half < _NEAR / 2 * largest
    fits = largest <= FLOAT32_MAX and sizes.min() >= np.finfo(np.float32).tiny
    return values if near or not fits else values.astype(np.float32)


_NARROW = 32
"""Blocks up to this many columns are reduced column by column, wider ones one by one."""


def _over(tile: NDArray[Any], tall: int, wide: int, ufunc: np.ufunc) -> NDArray[Any]:
    """Reduce over blocks of *tall* × *wide*; those at the far edges may be smaller."""
    rows, columns = tile.shape
    made = tile
    if tall > 1:
        full = rows // tall
        made = ufunc.reduce(tile[: full * tall].reshape(full, tall, columns), axis=1)
        if full * tall < rows:
            made = np.concatenate([made, ufunc.reduce(tile[full * tall :], axis=0)[None]])
    if wide == 1:
        return made
    if wide > _NARROW:
        return np.asarray(ufunc.reduceat(made, np.arange(0, columns, wide), axis=1))
    reduced: NDArray[Any] = made[:, ::wide].copy()
    for offset in range(1, min(wide, columns)):
        part = made[:, offset::wide]
        ufunc(reduced[:, : part.shape[1]], part, out=reduced[:, : part.shape[1]])
    return reduced
