"""Statistics and shapes as dumps spell them."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from core.formats import json_text
from core.records.dump import Known

EXACT = 2**53
"""Integers up to here are the same number as a float64."""

_BITS = tuple(int(bit) for bit in (Known.MAX, Known.MIN, Known.MEAN, Known.NORM))
_non_finite = json_text.NON_FINITE.get
_NUMBER = re.compile(r"\d+")
_SHAPE = re.compile(r"(?=.*[\d\[(])(?:[A-Za-z_.]+\()?\s*[\[(]?\s*(?:\d+\s*(?:,\s*\d+\s*)*,?)?\s*[\])]?\)?\s*")
_LONGEST = 20  # digits
_MANY = 2**62  # elements; more than any memory, and what a column can count


class Statistics(NamedTuple):
    """Maximum, minimum, mean and norm with which of them are known.

    ``kept`` holds by position what the float64 columns cannot: large integers, and texts that
    are no number.
    """

    known: int
    max: float
    min: float
    mean: float
    norm: float
    kept: dict[int, Any]


def read_statistics(values: tuple[Any, ...]) -> Statistics:
    """Read four statistics: numbers, bools, null, or texts like ``"nan"``."""
    known, high, low, mean, norm, kept = read_numbers(values)
    return Statistics(known, high, low, mean, norm, kept or {})


def read_numbers(values: tuple[Any, ...]) -> tuple[int, float, float, float, float, dict[int, Any] | None]:
    """Do the work of :func:`read_statistics`, without the cost of a named tuple."""
    numbers = [0.0, 0.0, 0.0, 0.0]
    kept: dict[int, Any] | None = None
    known = 0
    for index, value in enumerate(values):
        if value is None:
            continue
        kind = value.__class__
        if kind is float:
            number: float | None = value
        elif kind is str:
            number = _non_finite(value)
            if number is None:
                number = _number(value)
        elif kind is int or kind is bool:
            number = _rounded(value)
            if not -EXACT <= value <= EXACT:
                kept = {**(kept or {}), index: value}
        else:
            number = None
        if number is None:
            kept = {**(kept or {}), index: value}
            continue
        known |= _BITS[index]
        numbers[index] = number
    return known, numbers[0], numbers[1], numbers[2], numbers[3], kept


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _rounded(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def read_shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape that a list, or a text such as ``[2, 3]`` or ``torch.Size([2, 3])``, says."""
    if isinstance(value, str):
        digits = _NUMBER.findall(value)
        if _SHAPE.fullmatch(value) is None or any(len(size) > _LONGEST for size in digits):
            return None
        value = [int(size) for size in digits]
    if not isinstance(value, (list, tuple)):
        return None
    if any(size.__class__ is not int or size < 0 for size in value) or math.prod(value) > _MANY:
        return None
    return tuple(value) if all(size <= _MANY for size in value) else None
