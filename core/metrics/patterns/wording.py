"""Numbers and places as the sentences about patterns write them, the same in every language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.metrics.patterns.pattern import Mark
from core.metrics.pictures.plane import Shape

Box = tuple[tuple[int, int], ...]

THIN_SPACE = "\u202f"
"""Narrow and unbreakable, between groups of three digits, as the window writes them."""
_PLAIN = (1e-4, 1e7)
"""Sizes of numbers that are written without an exponent."""
_LISTED = 4
"""Most places that one sentence lists."""


def grouped(number: int) -> str:
    """Return *number* with its digits in groups: ``4 096``."""
    return f"{number:,}".replace(",", THIN_SPACE)


def index_words(place: Sequence[int]) -> str:
    """Return ``[17, 40]``."""
    return f"[{', '.join(map(str, place))}]"


def box_words(box: Box, shape: Shape) -> str:
    """Return a box as indices: ``[1, 5, :, 120 … 139]``, where ``:`` is a whole dimension."""
    return index_words([_ends(*ends, length) for ends, length in zip(box, shape)])  # type: ignore[misc]


def _ends(start: int, stop: int, length: int) -> str:
    if stop - start == 1:
        return f"{start}"
    return ":" if (start, stop) == (0, length) else f"{start} … {stop - 1}"


def mark_words(mark: Mark, shape: Shape) -> str:
    """Return a place as indices: a box, or the first and the last element of a range of memory."""
    if mark.box is not None:
        return box_words(mark.box, shape)
    start, stop = mark.flat or (0, 1)
    if len(shape) < 2:
        return box_words(((start, stop),), shape)
    first, last = (tuple(map(int, np.unravel_index(flat, shape))) for flat in (start, stop - 1))
    return f"{index_words(first)} … {index_words(last)}"


def where_words(marks: Sequence[Mark], shape: Shape) -> str:
    """Return the first of the places, ``; `` between them; nothing where there is none."""
    listed = "; ".join(mark_words(mark, shape) for mark in marks[:_LISTED])
    return f"{listed} …" if len(marks) > _LISTED else listed


def listed(indices: Sequence[int], most: int) -> str:
    """Return ``3, 9, 20``, at most that many."""
    return ", ".join(map(str, indices[:most])) + (" …" if len(indices) > most else "")


def shortest(value: bool | float, unit_roundoff: float) -> str:
    """Return *value* with the fewest digits that a format of *unit_roundoff* reads back."""
    if not isinstance(value, float) or not np.isfinite(value):
        return f"{value}"
    fraction, power = np.frexp(value)
    nearest = unit_roundoff * 2.0 ** float(power - 1) * (0.5 if abs(fraction) == 0.5 else 1.0)
    for digits in range(1, 17):
        words = f"{value:.{digits}g}"
        if abs(float(words) - value) < nearest:
            plain = _PLAIN[0] <= abs(value) < _PLAIN[1]
            return f"{float(words)}".removesuffix(".0") if plain else words
    return f"{value}".removesuffix(".0")
