"""From statistics of layers to colours: a scale without clipping, and a level for all that is no number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum, auto
from typing import NamedTuple

import numpy as np

from core.records.columns import Float64, UInt8
from gui import numbers

FIRST, LAST = 16, 255
"""Levels of the lowest and the highest value; those of :class:`Special` lie below."""
_RATIO = 10.0
"""Of the largest to the smallest value, from which a scale is logarithmic."""
_DECADES = 12
"""That a logarithmic scale shows at most; what is smaller has the colour of the lowest."""
_SIGNED_DECADES = 8
"""On either side of zero where there are both signs; the rest around zero is linear."""
_LIMIT_AT = 0.3
"""Where the limit of a difference lies, from no difference (0) to the largest (1)."""


class TrendSide(StrEnum):
    """What a heat map shows."""

    TARGET = "target"
    GOLDEN = "golden"
    DIFFERENCE = "difference"


class Special(IntEnum):
    """Levels of what is no finite number."""

    ABSENT = 0
    TARGET_ONLY = 1
    GOLDEN_ONLY = 2
    CLIPPED = 3
    MINUS_INF = 4
    PLUS_INF = 5
    NAN = 6


class Form(Enum):
    """How values become heights."""

    LINEAR = auto()
    LOGARITHMIC = auto()
    SIGNED = auto()
    """Logarithmic in both directions, linear around zero."""
    DIFFERENCE = auto()
    """Linear up to the limit, logarithmic beyond it, the same to both sides."""


class ScaleTick(NamedTuple):
    """A number beside the colours."""

    position: float
    """From 0 to 1."""
    words: str
    limit: bool = False


@dataclass(frozen=True)
class ColourScale:
    """Values from *low* to *high* as positions from 0 to 1."""

    form: Form
    low: float
    high: float
    threshold: float = 1.0
    """Where a signed scale turns linear; of a difference, the limit."""

    def positions(self, values: Float64) -> Float64:
        """Return where *values* lie; what is beyond the ends lies at them, NaN stays NaN."""
        with np.errstate(all="ignore"):
            made = self._positions(values)
        return np.clip(made, 0.0, 1.0)

    def _positions(self, values: Float64) -> Float64:
        if self.form is Form.DIFFERENCE:
            size = np.abs(values) / self.threshold
            top = max(math.log(self.high / self.threshold), 1e-9)
            beyond = _LIMIT_AT + (1 - _LIMIT_AT) * np.log(np.maximum(size, 1.0)) / top
            return 0.5 + np.sign(values) * np.where(size <= 1, _LIMIT_AT * size, np.minimum(beyond, 1)) / 2
        low, high = self._heights(np.array((self.low, self.high)))
        made: Float64 = (self._heights(values) - low) / (high - low)
        return made

    def _heights(self, values: Float64) -> Float64:
        if self.form is Form.LOGARITHMIC:
            return np.log10(np.maximum(values, self.low))
        if self.form is Form.SIGNED:
            return np.sign(values) * np.log10(1 + np.abs(values) / self.threshold)
        # halves, as the distance of the ends may be beyond float64
        return values / 2

    def levels(self, values: Float64) -> UInt8:
        """Return the level of each of *values*; of NaN :attr:`Special.ABSENT`."""
        places = self.positions(values)
        known = ~np.isnan(places)
        made = np.full(values.shape, Special.ABSENT, np.uint8)
        made[known] = FIRST + np.rint(places[known] * (LAST - FIRST)).astype(np.uint8)
        return made

    def ticks(self) -> list[ScaleTick]:
        """Return the numbers that tell the scale, ascending."""
        if self.form is Form.DIFFERENCE:
            sizes = [(self.high, False), (self.threshold, True)]
            pairs = [(-size, limit) for size, limit in sizes] + [(0.0, False)]
            pairs += [(size, limit) for size, limit in reversed(sizes)]
            return [
                ScaleTick(self._position(value), difference_words(value), limit) for value, limit in pairs
            ]
        values = [self.low, self.high]
        if self.form is Form.SIGNED and self.low < 0 < self.high:
            values.append(0.0)
        elif self.form is Form.LOGARITHMIC:
            values.append(math.sqrt(self.low) * math.sqrt(self.high))
        else:
            values.append(self.low / 2 + self.high / 2)
        return [ScaleTick(self._position(value), numbers.compact(value, 3)) for value in sorted(values)]

    def _position(self, value: float) -> float:
        return float(self.positions(np.array([value]))[0])


def scale_of_values(values: list[Float64]) -> ColourScale:
    """Return the scale that shows all finite numbers of *values*, arrays of any shape."""
    low, high, least = math.inf, -math.inf, math.inf
    for array in values:
        finite = np.isfinite(array)
        low = min(low, float(np.min(array, initial=math.inf, where=finite)))
        high = max(high, float(np.max(array, initial=-math.inf, where=finite)))
        finite &= array != 0
        least = min(least, float(np.min(np.abs(array), initial=math.inf, where=finite)))
    if low > high:
        return ColourScale(Form.LINEAR, 0.0, 1.0)
    if low / 2 >= high / 2:  # one number, or two that no scale tells apart
        room = abs(low) / 2 or 0.5
        return ColourScale(Form.LINEAR, low - room, high + room)
    largest = max(abs(low), abs(high))
    if low >= 0 and largest > least * _RATIO:
        return ColourScale(Form.LOGARITHMIC, max(least, largest * 10.0**-_DECADES), high)
    if low < 0 and largest > least * _RATIO:
        return ColourScale(Form.SIGNED, low, high, max(least, largest * 10.0**-_SIGNED_DECADES))
    return ColourScale(Form.LINEAR, low, high)


def scale_of_difference(relative: Float64, limit: float) -> ColourScale:
    """Return the scale for relative differences that shows all finite ones and the *limit*."""
    finite = np.abs(relative[np.isfinite(relative)])
    high = max(float(finite.max(initial=0.0)), limit * _RATIO)
    return ColourScale(Form.DIFFERENCE, -high, high, limit)


def difference_words(value: float) -> str:
    """Return a relative difference as it is read: in per cent with its sign, or as a multiple."""
    if math.isnan(value) or math.isinf(value):
        return numbers.scientific(value)
    sign = "+" if value > 0 else numbers.MINUS if value < 0 else ""
    size = abs(value)
    if size >= 100:
        return f"{sign}{numbers.times(size)}"
    return f"{sign}{numbers.compact(size * 100, 3)}{numbers.THIN_SPACE}%"
