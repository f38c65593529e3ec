"""Where the numbers of an axis of bins stand. Imports no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.records.columns import Float64
from gui import numbers


@dataclass(frozen=True)
class Tick:
    """A number at a place; places count bins, with fraction."""

    place: float
    words: str


def place_of_value(edges: Float64, value: float) -> float:
    """Return where *value* is among bins with these *edges*; at an end if it is beyond."""
    return float(np.interp(value, edges, np.arange(len(edges))))


def value_of_place(edges: Float64, place: float) -> float:
    """Return the value at *place*, which counts bins."""
    return float(np.interp(place, np.arange(len(edges)), edges))


def even_ticks(edges: Float64, left: float, right: float, most: int) -> list[Tick]:
    """Return at most about *most* round values between the places *left* and *right* of even bins."""
    low, high = value_of_place(edges, left), value_of_place(edges, right)
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [Tick((left + right) / 2, numbers.compact(low, 4))]
    wanted = (high / 2 - low / 2) * 2 / max(most, 1)
    if not math.isfinite(wanted) or wanted <= 0:
        return []
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next((power * times for times in (1, 2, 5) if power * times >= wanted * 0.999), power * 10)
    first, last = math.ceil(low / step), math.floor(high / step)
    if last - first > 4 * most:
        return []
    return [
        Tick(place_of_value(edges, at * step), numbers.compact(at * step, 5) if at else "0")
        for at in range(first, last + 1)
    ]


def decade_ticks(edges: Float64, left: float, right: float, most: int) -> list[Tick]:
    """Return powers of ten of both signs, and 0, between two places of bins that grow away from 0."""
    largest = float(np.abs(edges).max())
    inner = np.abs(edges[edges != 0])
    if not largest or not len(inner):
        return [Tick((left + right) / 2, "0")]
    low, high = math.floor(math.log10(float(inner.min()))), math.floor(math.log10(largest))
    found = [Tick(place_of_value(edges, 0.0), "0")] if edges[0] <= 0 <= edges[-1] else []
    room = max((right - left) / max(most, 1), 1e-9)
    for exponent in range(high, low - 1, -1):
        for sign in (1.0, -1.0):
            value = sign * 10.0**exponent
            place = place_of_value(edges, value)
            if not edges[0] <= value <= edges[-1] or not left <= place <= right:
                continue
            if all(abs(place - other.place) >= room for other in found):
                found.append(Tick(place, power_words(sign, exponent)))
    return sorted((tick for tick in found if left <= tick.place <= right), key=lambda tick: tick.place)


def power_words(sign: float, exponent: int) -> str:
    """Return ``−1e−5``; powers that are read at once are written out."""
    minus = numbers.MINUS if sign < 0 else ""
    if -3 <= exponent <= 3:
        return minus + f"{10.0**exponent:g}"
    return f"{minus}1e{exponent}".replace("e-", f"e{numbers.MINUS}")


def short_count(count: float) -> str:
    """Return ``12k`` for 12 000: what fits beside an axis."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return f"{count:.3g}"
