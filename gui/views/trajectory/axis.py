"""The axes of the trajectory: whole decades with names for the lanes of 0 and NaN/Inf; numbers of calls."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg

from gui import numbers
from gui.numbers import MINUS

_TEXT = 21
"""Pixels that a label needs, with some air."""
_STEPS = (1, 2, 3, 4, 5, 10, 20, 50, 100)
"""Decades between two labels, counted from 1."""


class DecadeAxis(pg.AxisItem):
    """Ticks at whole powers of ten; the lanes get a word each."""

    def __init__(self) -> None:
        super().__init__("left")
        self.lanes: dict[float, str] = {}
        self._span = (0.0, 1.0)

    def set_lanes(self, lanes: dict[float, str], low: float, high: float) -> None:
        """Name the lanes, and say between which heights decades are labelled."""
        self.lanes = lanes
        self._span = (low, high)
        self.picture = None
        self.update()

    def rename(self, height: float, word: str) -> None:
        """Call the lane at *height* by another word."""
        self.lanes[height] = word
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        first, last = math.ceil(self._span[0]), math.floor(self._span[1])
        decade = size / max(high - low, 1e-9)
        step = max(1, math.ceil(_TEXT / decade))
        step = next((each for each in _STEPS if each >= step), step)
        decades = [float(value) for value in range(last, first - 1, -1) if not value % step]
        lanes: list[float] = []
        for lane in self.lanes:  # the first ones matter most
            if all(abs(lane - other) * decade >= _TEXT * 0.7 for other in lanes):
                lanes.append(lane)
        apart = [
            value for value in decades if all(abs(value - lane) * decade >= _TEXT * 0.8 for lane in lanes)
        ]
        return [(1.0, apart + lanes)]

    def guides(self) -> list[float]:
        """Return all heights that a label may stand at."""
        first, last = math.ceil(self._span[0]), math.floor(self._span[1])
        return [*map(float, range(first, last + 1)), *self.lanes]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        return [
            self.lanes.get(value) or (f"1e{MINUS if value < 0 else '+'}{abs(round(value))}" if value else "1")
            for value in values
        ]


class CallAxis(pg.AxisItem):
    """Ticks at whole numbers of calls."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickSpacing(self, low: float, high: float, size: float) -> list[Any]:
        spacing, offset = super().tickSpacing(low, high, size)[0]
        return [(max(round(spacing), 1), offset)]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        return [numbers.grouped(round(value)) if value >= 0 else "" for value in values]
