"""Heights of a plot: linear or logarithmic, with round numbers beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gui import numbers

_AIR = 0.06
"""Part of the height that is left free above and below."""
_SMALLEST, _FINEST = 1e-290, 1e-13
"""Steps that are told apart, by themselves and as part of the numbers they lie between."""
_CLIPPED = 1.0
"""Per cent of the drawn points at either end that a clipped scale leaves outside."""


@dataclass(frozen=True)
class Tick:
    """A labelled height."""

    height: float
    words: str


@dataclass(frozen=True)
class ValueScale:
    """``low`` and ``high`` are heights: values, or their log10."""

    low: float
    high: float
    logarithmic: bool = False
    share: bool = False
    """Values are written in per cent."""

    def heights(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights of *values*; NaN where a logarithm has none."""
        if not self.logarithmic:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            made: NDArray[np.float64] = np.log10(values)
        made[~np.isfinite(made)] = np.nan
        return made

    def height(self, value: float) -> float:
        """Return the height of one value."""
        return float(self.heights(np.array([value], np.float64))[0])

    def ticks(self, most: int) -> list[Tick]:
        """Return at most about *most* round heights with what is written beside them."""
        if self.logarithmic:
            return self._decades(most)
        factor = 100.0 if self.share else 1.0
        steps = round_numbers(self.low * factor, self.high * factor, most)
        digits = decimals(steps)
        return [Tick(value / factor, written(value, digits, self.share)) for value in steps]

    def _decades(self, most: int) -> list[Tick]:
        first, last = math.ceil(self.low), math.floor(self.high)
        if last - first >= 1:
            step = max(1, math.ceil((last - first + 1) / max(most, 1)))
            return [Tick(float(power), _power(power)) for power in range(first, last + 1, step)]
        found = round_numbers(10.0**self.low, 10.0**self.high, most)
        digits = decimals(found)
        return [Tick(math.log10(value), written(value, digits)) for value in found if value > 0]


def _power(exponent: int) -> str:
    if -3 <= exponent <= 4:
        return numbers.grouped(10**exponent) if exponent >= 0 else f"{10.0**exponent:g}"
    return f"1e{numbers.MINUS if exponent < 0 else '+'}{abs(exponent)}"


def value_scale(
    extents: Sequence[tuple[float, float]], *, logarithmic: bool = False, share: bool = False
) -> ValueScale:
    """Return the scale that shows all of *extents*, pairs of smallest and largest values; NaN counts not."""
    known = [value for pair in extents for value in pair if math.isfinite(value)]
    if logarithmic:
        known = [math.log10(value) for value in known if value > 0]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = high - low
    if not math.isfinite(room):
        return ValueScale(low / 4, high / 4, logarithmic, share)
    if room <= 0:
        room = abs(low) * 0.1 or 1.0
        low, high = low - room / 2, high + room / 2
    return ValueScale(low - room * _AIR, high + room * _AIR, logarithmic, share)


def around_zero(extents: Sequence[tuple[float, float]], *, share: bool) -> ValueScale:
    """Return a scale that shows all of *extents* and 0."""
    return value_scale([*extents, (0.0, 0.0)], share=share)


def clipped_extent(lines: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Return between which values all but the outermost drawn points of *lines* lie."""
    every = np.concatenate([line[np.isfinite(line)] for line in lines]) if lines else np.empty(0)
    if not len(every):
        return math.nan, math.nan
    low, high = np.percentile(every, [_CLIPPED, 100 - _CLIPPED])
    return float(low), float(high)


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return round numbers from *low* to *high*, at most about *most* of them."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    wanted = (high - low) / max(most, 1)
    if not _SMALLEST < wanted < math.inf or wanted < max(abs(low), abs(high)) * _FINEST:
        return []
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(power * times for times in (1, 2, 5, 10, 20) if power * times >= wanted * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)] if last - first < 1000 else []


def decimals(steps: Sequence[float]) -> int:
    """Return how many decimals tell *steps*, evenly spaced numbers, apart; -1 where that are too many."""
    if len(steps) < 2:
        return -1
    needed = max(-math.floor(math.log10(steps[1] - steps[0]) + 1e-9), 0)
    return needed if needed <= 6 and max(abs(steps[0]), abs(steps[-1])) < 1e9 else -1


def written(value: float, digits: int, share: bool = False) -> str:
    """Return *value* with *digits* decimals (-1: as many as needed), and its unit where it is a *share*."""
    if digits < 0:
        words = numbers.compact(value)
    elif digits == 0:
        words = numbers.grouped(round(value))
    else:
        words = f"{value:.{digits}f}".replace("-", numbers.MINUS)
    return f"{words}{numbers.THIN_SPACE}%" if share else words
