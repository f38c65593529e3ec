"""By which colours numbers are drawn: the range, its scale, and the colours of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Colours

Pixels = NDArray[np.uint8]
STEPS = 256
"""Colours of a range."""
_DECADES = 6
"""Powers of ten that a logarithmic scale tells apart where zero is in the range."""
_SYMLOG_LINEAR = 1e-2
"""Share of the largest magnitude below which a symmetric logarithmic scale is linear, at most."""
_SMALL = 10
"""Percentile of the magnitudes below which it is linear: the smallest few are not told apart."""
_SAMPLED = 65536
"""Pixels that are looked at for it."""
_NARROW = 1e-3
"""Width of a range over its distance from zero below which float32 does not tell its colours apart."""
_FLOAT32_SAFE = 1e-30
"""Magnitude from which on float32 is exact, and one over it below which nothing overflows in it."""
_SAME_POWER = 1e-9
"""Width of a range in logarithms up to which a linear scale shows the same, and shows it better."""
_TINIEST = 5e-324
_LARGEST = float(np.finfo(np.float64).max)
_FAINTEST = 0.12
"""How far the smallest difference leaves the background, so that it can be seen."""


class Scale(StrEnum):
    """How values are spread over the colours."""

    LINEAR = "linear"
    LOG = "log"
    """By magnitude; differences keep their sign."""
    SYMLOG = "symlog"
    """Logarithmic away from zero on both sides, linear near it."""


class Extent(StrEnum):
    """Which values the colours span; all beyond take the colours of the ends."""

    ALL = "all"
    MOST = "most"
    """All but one in a thousand at either end."""
    BULK = "bulk"
    """All but one in a hundred at either end."""
    FIXED = "fixed"
    """What the user set or kept."""


class ColourMap(StrEnum):
    """Sequential colours that read alike to the colour-blind, and in print."""

    VIRIDIS = "viridis"
    CIVIDIS = "cividis"
    MAGMA = "magma"
    GREYS = "greys"


@dataclass(frozen=True, eq=False, slots=True)
class Shades:
    """A range of values and the colours of it."""

    table: Pixels
    """n × 3; as many as there are *names*, else :data:`STEPS`."""
    low: float
    high: float
    scale: Scale = Scale.LINEAR
    linear: float = 0.0
    """Magnitude below which a symmetric logarithmic scale is linear."""
    names: tuple[str, ...] = ()
    """What the whole numbers from *low* to *high* are called, where they are kinds and no amounts."""

    def steps(self, values: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
        """Return the place of each of *values* in the table; of NaN the first."""
        low, high = self._ends()
        last = len(self.table) - 1
        kind = np.dtype(np.float32 if self._plain and values.dtype.itemsize <= 4 else np.float64).type
        with np.errstate(all="ignore"):
            bent = np.asarray(self._bend(values.astype(kind, copy=False)) - kind(low))
            bent *= kind(last / (high - low) if high > low else 0)
            bent += kind(0.5)
            np.fmax(bent, kind(0), out=bent)
            np.fmin(bent, kind(last), out=bent)
        return bent.astype(np.uint8)

    @property
    def has_width(self) -> bool:
        """Whether the scale tells the ends apart."""
        low, high = self._ends()
        return high - low > (0 if self.scale is Scale.LINEAR else _SAME_POWER)

    def position(self, value: float) -> float:
        """Return where *value* lies between the ends, 0 to 1; beyond them outside of that."""
        low, high = self._ends()
        with np.errstate(all="ignore"):
            bent = float(self._bend(np.array([value], np.float64))[0])
        return (bent - low) / (high - low) if high > low else 0.5

    def value(self, position: float) -> float:
        """Return the value at *position*, 0 to 1; the inverse of :meth:`position`."""
        low, high = self._ends()
        with np.errstate(all="ignore"):
            found = float(self._unbent(np.float64(low + (high - low) * position)))
        return min(max(found, self.low), self.high)

    @property
    def _plain(self) -> bool:
        """Whether float32 holds the range, and tells its colours apart."""
        largest = max(abs(self.low), abs(self.high))
        least = {Scale.LINEAR: largest, Scale.LOG: self.low, Scale.SYMLOG: self.linear}[self.scale]
        narrow = self.high / 2 - self.low / 2 < _NARROW / 2 * largest
        return not narrow and least > _FLOAT32_SAFE and largest < min(least, 1.0) / _FLOAT32_SAFE

    @property
    def _shift(self) -> int:
        """The power of two by which a linear range is scaled, so that its width is a number too."""
        return 0 if self._plain else -math.frexp(max(abs(self.low), abs(self.high)))[1]

    def _ends(self) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            low, high = self._bend(np.array([self.low, self.high], np.float64))
        return float(low), float(high)

    def _bend(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return numbers of the same type between which the colours are spread evenly."""
        if self.scale is Scale.LINEAR:
            return np.asarray(np.ldexp(values, self._shift)) if self._shift else values
        kind = values.dtype.type
        bent = np.abs(values)
        if self.scale is Scale.LOG:
            np.fmax(bent, kind(max(self.low, _TINIEST)), out=bent)
            return np.asarray(np.log10(bent, out=bent))
        if self._plain:
            bent /= kind(self.linear)
            np.log1p(bent, out=bent)
        else:  # the quotient may be beyond any number
            bent = np.logaddexp(np.log(bent), math.log(self.linear)) - math.log(self.linear)
        return np.asarray(np.copysign(bent, values, out=bent))

    def _unbent(self, bent: np.float64) -> Any:
        if self.scale is Scale.LINEAR:
            return np.ldexp(bent, -self._shift)
        if self.scale is Scale.LOG:
            return np.power(10.0, bent)
        size = np.abs(bent)
        if size < 1:
            return np.copysign(np.expm1(size) * self.linear, bent)
        return np.copysign(np.exp(size + math.log(self.linear)) - self.linear, bent)


def rgb(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of *colour* (#rrggbb)."""
    made = QColor(colour)
    return made.red(), made.green(), made.blue()


@cache
def sequential(name: ColourMap = ColourMap.VIRIDIS) -> Pixels:
    """Return the 256 × 3 colours of a map for values."""
    if name is ColourMap.GREYS:
        return np.repeat(np.arange(STEPS, dtype=np.uint8)[:, None], 3, axis=1)
    from pyqtgraph import colormap  # the module takes a while, and the window starts without it

    table: Pixels = colormap.get(name.value).getLookupTable(nPts=STEPS)[:, :3].astype(np.uint8)
    return table


@cache
def diverging(colours: Colours) -> Pixels:
    """Return the 256 × 3 colours for differences: negative blue, zero as the card, positive red."""
    middle = (STEPS - 1) / 2
    low, centre, high = (
        np.array(rgb(colour), float) for colour in (colours.accent, colours.card, colours.introduces)
    )
    # a step away from zero already leaves the background, so that small differences can be seen
    strength = np.abs(np.arange(STEPS) - middle) / middle
    strength = np.where(strength > 1.5 / middle, _FAINTEST + (1 - _FAINTEST) * strength, strength)[:, None]
    ends = np.where((np.arange(STEPS) < middle)[:, None], low, high)
    return np.asarray(np.rint(centre + (ends - centre) * strength), np.uint8)


def categorical(*colours: str) -> Pixels:
    """Return a table of these *colours*."""
    return np.array([rgb(colour) for colour in colours], np.uint8)


def value_shades(
    table: Pixels, low: float, high: float, scale: Scale = Scale.LINEAR, small: float | None = None
) -> Shades:
    """Return the shades of values from *low* to *high*; a logarithmic scale goes by magnitude.

    *small* is what :func:`small_magnitude` finds in the values; only a symmetric logarithmic scale needs it.
    """
    if not high > low:
        around = max(0.5, abs(low) * 1e-9)
        low, high = max(low - around, -_LARGEST), min(low + around, _LARGEST)
    if scale is Scale.LOG:
        top = max(abs(low), abs(high))
        bottom = low if low > 0 else -high if high < 0 else top * 10.0**-_DECADES
        made = Shades(table, max(bottom, _TINIEST), top, scale)
    else:
        made = Shades(table, low, high, scale, _linear_below(max(abs(low), abs(high)), small))
    return made if made.has_width else Shades(table, low, high)


def difference_shades(
    table: Pixels,
    limit: float,
    scale: Scale = Scale.LINEAR,
    small: float | None = None,
    one_sided: bool = False,
) -> Shades:
    """Return shades that are symmetric about zero; both logarithmic scales keep the sign.

    *small* as of :func:`value_shades`. *one_sided* differences have no sign: they have the upper half of
    *table*.
    """
    low = 0.0 if one_sided else -limit
    table = np.repeat(table[STEPS // 2 :], 2, axis=0) if one_sided else table
    if scale is Scale.LINEAR:
        return Shades(table, low, limit)
    log = max(limit * 10.0**-_DECADES, _TINIEST)
    linear = log if scale is Scale.LOG else _linear_below(limit, small)
    return Shades(table, low, limit, Scale.SYMLOG, linear)


def small_magnitude(pictures: Iterable[Picture | None]) -> float | None:
    """Return a magnitude that only few values of *pictures* are below; ``None`` where all are 0."""
    found = []
    for shown in pictures:
        if shown is not None and shown.values.size:
            pixels = shown.values.reshape(-1)
            sizes = np.abs(pixels[:: -(-pixels.size // _SAMPLED)])
            found.append(sizes[np.isfinite(sizes) & (sizes > 0)])
    sizes = np.concatenate(found) if found else np.empty(0, np.float32)
    return float(np.percentile(sizes, _SMALL, method="lower")) if sizes.size else None


def _linear_below(largest: float, small: float | None) -> float:
    most = largest * _SYMLOG_LINEAR
    return max(most if small is None else min(small, most), _TINIEST)


def value_range(pictures: Iterable[Picture | None], extent: Extent = Extent.ALL) -> tuple[float, float]:
    """Return the range that shows *extent* of the finite values of *pictures*; never empty."""
    there = [shown for shown in pictures if shown is not None and shown.finite]
    if not there:
        return 0.0, 1.0
    low = high = 0.0
    for wanted in (extent, Extent.ALL):  # where most are one number, the others are all there is to show
        ends = [_ends(shown, wanted) for shown in there]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        if high > low:
            return low, high
    return (low - 0.5, low + 0.5) if abs(low) < 1e15 else (min(low, 0.0), max(low, 0.0))


def symmetric_limit(picture: Picture | None, extent: Extent = Extent.ALL) -> float:
    """Return the largest magnitude of *extent* of a difference; never 0."""
    if picture is None or not picture.finite:
        return 1.0
    for wanted in (extent, Extent.ALL):  # where hardly anything differs, what does is all there is to show
        found = max(map(abs, _ends(picture, wanted)))
        if found:
            return found
    return 1.0


def _ends(picture: Picture, extent: Extent) -> tuple[float, float]:
    """Return the lowest and the highest value of *extent*."""
    found = picture.percentiles
    if found is not None and extent is Extent.MOST:
        return found.low_999, found.high_999
    if found is not None and extent is Extent.BULK:
        return found.low_99, found.high_99
    return picture.minimum, picture.maximum
