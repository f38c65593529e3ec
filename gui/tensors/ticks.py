"""Where the numbers along an axis of a picture stand, and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.messages import text
from core.metrics.pictures.plane import Plane, Shape
from gui import numbers
from gui.tensors.scales import Scale, Shades

APART_DOWN, APART_ACROSS = 30, 72
"""Pixels at least between two numbers."""
_LEAST_SPAN = 1e-290
"""Width of a range, and one over it, beyond which round numbers cannot be counted along it."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A number beside a picture."""

    at: float
    """Pixels from the start of the axis."""
    words: str
    zero: bool = False
    """Whether it is the zero of values."""


def index_ticks(near: float, extent: float, room: int, apart: int, each: int = 1) -> list[Tick]:
    """Return indices for an axis of *room* pixels that shows *extent* elements from *near* on.

    An element stands for *each* indices.
    """
    if room <= 0 or extent <= 0:
        return []
    step = max(int(_round_step(extent * apart / room)), 1)
    first = max(math.ceil((near - 0.5) / step) * step, 0)
    seen = [index for index in range(first, math.ceil(near + extent), step) if index + 0.5 <= near + extent]
    return [
        Tick((index + 0.5 - near) * room / extent, index_words(index * each)) for index in seen or [int(near)]
    ]


def index_words(index: int) -> str:
    """Return *index*, in thousands or millions where that is as exact."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if index >= 10 * unit and index % (unit // 10) == 0:
            return f"{index / unit:g}{letter}"
    return str(index)


def value_ticks(shades: Shades, room: float, apart: float) -> list[Tick]:
    """Return values along *room* pixels, from the low end of *shades* on; zero among them where it is."""
    low, high = shades.low, shades.high
    if shades.scale is Scale.LINEAR and _LEAST_SPAN < high - low < 1 / _LEAST_SPAN:
        step = _round_step((high - low) / max(room / apart, 1.0))
        values = [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]
        digits = max(4, math.ceil(math.log10(max(abs(low), abs(high)) / step)) + 1)
    else:
        parts = max(int(room / apart), 1)
        values = [shades.value(part / parts) for part in range(parts + 1)]
        if low < 0 < high:
            zero = shades.position(0.0) * room
            values = [value for value in values if abs(shades.position(value) * room - zero) >= apart / 2]
            values.append(0.0)
        digits = 2
    placed = [(shades.position(value) * room, value) for value in values]
    return [Tick(at, numbers.compact(value, digits), value == 0) for at, value in placed if math.isfinite(at)]


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20 … and their fractions that is not below *least*."""
    power = 10.0 ** math.floor(math.log10(least))
    for factor in (1, 2, 5):
        if factor * power >= least * (1 - 1e-9):
            return factor * power
    return 10 * power


@dataclass(frozen=True, slots=True)
class AxisNames:
    """Which axes of a tensor go down and across, in words."""

    down: str
    across: str
    indices_a_row: int = 1


def axis_names(plane: Plane, shape: Shape) -> AxisNames:
    """Return what is said of the axes of *plane*."""
    fold = plane.fold(shape)
    if fold:
        return AxisNames("", text("gui.heat.axis.across", axes="0"), fold)
    down, across = (" × ".join(map(str, axes)) for axes in (plane.rows, plane.columns))
    return AxisNames(
        text("gui.heat.axis.down", axes=down) if down else "",
        text("gui.heat.axis.across", axes=across) if across else "",
    )
