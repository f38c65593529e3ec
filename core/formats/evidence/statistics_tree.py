"""Max, min, mean and norm of tensors, in nested objects of JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

NAMES = ("max", "min", "mean", "norm")
_MOST_DEPTH = 64


class Statistics(NamedTuple):
    """Of one tensor; NaN where not told."""

    max: float
    min: float
    mean: float
    norm: float


def statistics_in(value: Mapping[str, Any], *, untold: bool = False) -> Iterator[tuple[str, Statistics]]:
    """Yield dotted name and statistics of each tensor in *value*, in its order.

    *untold* tensors too, whose numbers are words that stand for none (``N/A``) or null.
    """
    pending: list[tuple[str, int, Any]] = [("", 0, value)]
    while pending:
        name, depth, item = pending.pop()
        if not isinstance(item, Mapping):
            continue
        statistics = statistics_of_entry(item, untold=untold)
        if statistics is not None:
            yield name, statistics
        elif depth < _MOST_DEPTH:
            inner = [(f"{name}.{key}" if name else str(key), depth + 1, held) for key, held in item.items()]
            pending.extend(reversed(inner))


def statistics_of_entry(item: Mapping[str, Any], *, untold: bool = False) -> Statistics | None:
    """Return the statistics that the object *item* is, ``None`` if it is something else, or *untold* ones."""
    told = {str(key).lower(): held for key, held in item.items()}
    if not {"max", "min"} <= told.keys():
        return None
    numbers = [number_of(told.get(key)) for key in NAMES]
    if all(map(math.isnan, numbers)) and not _told_nan(told):
        words = all(held is None or isinstance(held, str) for held in (told["max"], told["min"]))
        return Statistics(*numbers) if untold and words else None
    return Statistics(*numbers)


def number_of(value: object) -> float:
    """Return *value* as a number; NaN for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def _told_nan(told: Mapping[str, Any]) -> bool:
    return isinstance(told["max"], (float, str)) and str(told["max"]).lower() == "nan"
