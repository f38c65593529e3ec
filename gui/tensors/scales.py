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
"""Share of the largest magnitude below which a symmetric logarithmic scale is linear."""
_NARROW = 1e-3
"""Width of a range over its distance from zero below which float32 does not tell its colours apart."""
_FLOAT32_MAX = float(np.finfo(np.float32).max)
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

    def steps(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return the place of each of *values* in the table; of NaN the first."""
        low, high = self._bent(self.low), self._bent(self.high)
        last = len(self.table) - 1
        with np.errstate(all="ignore"):
            bent = np.asarray(self._bend(values) - self._exact(low))
            bent *= bent.dtype.type(last / (high - low))
            bent += bent.dtype.type(0.5)
            np.fmax(bent, bent.dtype.type(0), out=bent)
            np.fmin(bent, bent.dtype.type(last), out=bent)
        return bent.astype(np.uint8)

    def position(self, value: float) -> float:
        """Return where *value* lies between the ends, 0 to 1; beyond them outside of that."""
        low, high = self._bent(self.low), self._bent(self.high)
        return (self._bent(value) - low) / (high - low)

    def value(self, position: float) -> float:
        """Return the value at *position*, the inverse of :meth:`position`."""
        low, high = self._bent(self.low), self._bent(self.high)
        bent = low + (high - low) * position
        if self.scale is Scale.LINEAR:
            return bent
        if self.scale is Scale.LOG:
            return 10.0**bent
        return math.copysign(math.expm1(abs(bent)) * self.linear, bent)

    def _bent(self, value: float) -> float:
        if self.scale is Scale.LINEAR:
            return value
        if self.scale is Scale.LOG:
            return math.log10(max(abs(value), self.low))
        return math.copysign(math.log1p(abs(value) / self.linear), value)

    def _exact(self, value: float) -> np.float32 | np.float64:
        """Return *value* in float32, or in float64 where the range is narrow for where it lies."""
        narrow = self.high - self.low < _NARROW * max(abs(self.low), abs(self.high))
        extreme = max(abs(self.low), abs(self.high)) > _FLOAT32_MAX or 0 < self.linear < 1e-30
        return np.float64(value) if narrow or extreme else np.float32(value)

    def _bend(self, values: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        if self.scale is Scale.LINEAR:
            return values
        bent = np.abs(values, dtype=np.float32).astype(type(self._exact(0.0)), copy=False)
        kind = bent.dtype.type
        if self.scale is Scale.LOG:
            np.fmax(bent, kind(max(self.low, 1e-45)), out=bent)
            return np.asarray(np.log10(bent, out=bent))
        np.divide(bent, kind(self.linear), out=bent)
        np.log1p(bent, out=bent)
        return np.asarray(np.copysign(bent, values, out=bent))


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


def value_shades(table: Pixels, low: float, high: float, scale: Scale = Scale.LINEAR) -> Shades:
    """Return the shades of values from *low* to *high*; a logarithmic scale goes by magnitude."""
    if not high > low:
        low, high = low - 0.5, low + 0.5
    if scale is Scale.LOG:
        top = max(abs(low), abs(high))
        bottom = low if low > 0 else -high if high < 0 else top * 10.0**-_DECADES
        return Shades(table, max(bottom, 1e-45), top, scale) if top > bottom else Shades(table, low, high)
    return Shades(table, low, high, scale, max(abs(low), abs(high)) * _SYMLOG_LINEAR)


def difference_shades(table: Pixels, limit: float, scale: Scale = Scale.LINEAR) -> Shades:
    """Return shades that are symmetric about zero; both logarithmic scales keep the sign."""
    if scale is Scale.LINEAR:
        return Shades(table, -limit, limit)
    linear = limit * (10.0**-_DECADES if scale is Scale.LOG else _SYMLOG_LINEAR)
    return Shades(table, -limit, limit, Scale.SYMLOG, linear)


def value_range(pictures: Iterable[Picture | None], extent: Extent = Extent.ALL) -> tuple[float, float]:
    """Return the range that shows *extent* of the finite values of *pictures*; never empty."""
    ends = [_ends(shown, extent) for shown in pictures if shown is not None and shown.finite]
    if not ends:
        return 0.0, 1.0
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
