"""How far beyond what may be expected a number is: the rules by which cells of the metric table are tinted.

Only rows that differ are tinted: whether a number is bad says the verdict, the tint says how bad. Absolute
errors (max abs, RMSE, MAE, Euclidean) have no rule: without the scale of the tensor they say nothing. The
largest relative error and the mean have none either: both explode where the golden is near 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from core.records.result import CellResult

LEVELS = 3
"""Steps of the tint; 0 is none."""


@dataclass(frozen=True)
class Rule:
    """A column's number as *badness*, and the limits beyond each of which it is a step worse."""

    badness: Callable[[CellResult, int], float]
    limits: tuple[float, float, float]


def _of_limit(metric: str) -> Callable[[CellResult, int], float]:
    def ratio(cell: CellResult, row: int) -> float:
        value, allowed = float(getattr(cell.rows, metric)[row]), float(cell.rows.allowed[row])
        if value == 0 or not allowed > 0:
            return np.inf if value > 0 and allowed == 0 else 0.0
        return value / allowed

    return ratio


def _missing(metric: str) -> Callable[[CellResult, int], float]:
    return lambda cell, row: 1.0 - float(getattr(cell.rows, metric)[row])


def _flips(cell: CellResult, row: int) -> float:
    return float(cell.rows.sign_flips[row]) / max(float(cell.rows.count[row]), 1.0)


RULES: Mapping[str, Rule] = {
    "error": Rule(_of_limit("error"), (1, 10, 1000)),
    "relative_l2": Rule(_of_limit("relative_l2"), (1, 10, 1000)),
    "cosine": Rule(_missing("cosine"), (0.001, 0.01, 0.1)),
    "share_below_1e3": Rule(_missing("share_below_1e3"), (0.1, 0.4, 0.7)),
    "share_below_5e3": Rule(_missing("share_below_5e3"), (0.1, 0.4, 0.7)),
    "sign_flips": Rule(_flips, (0.001, 0.01, 0.1)),
}
"""By the key of the column: error against the allowed one; what a cosine or a share lacks of 1; flipped signs
as a share of the elements."""
_COMPARED_BY = {"call_error": "error", "call_cosine": "cosine"}
"""Columns of calls whose number is that of a slot."""


def level(key: str, cell: CellResult, row: int) -> int:
    """Return how many steps the number in column *key* of *row* is beyond what may be expected, 0 to 3."""
    rule = RULES.get(_COMPARED_BY.get(key, key))
    if rule is None or row < 0:
        return 0
    badness = rule.badness(cell, row)
    return sum(badness > limit for limit in rule.limits)  # NaN is beyond none
