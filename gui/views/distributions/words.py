"""How the numbers of the plots are said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.messages import text
from gui import numbers

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Histogram

GAP = "   "
"""Between two facts of a line."""


def both(target: int | None, golden: int | None) -> str:
    """Return counts of both sides, or of the one that is there."""
    told = [
        f"{text(code)} {numbers.grouped(count)}"
        for code, count in (("gui.target", target), ("gui.golden", golden))
        if count is not None
    ]
    return GAP.join(told)


def between(low: float, high: float, digits: int = 4) -> str:
    """Return ``0.5 to 0.75``."""
    return text("gui.values.between", low=numbers.compact(low, digits), high=numbers.compact(high, digits))


def specials(values: Histogram) -> str:
    """Return how many elements are NaN and infinite on each side; empty where none is."""
    told = []
    for name, field in (("NaN", "nan"), ("+Inf", "plus_inf"), (f"{numbers.MINUS}Inf", "minus_inf")):
        sides = [
            getattr(counts, field)
            for side, counts in (
                (values.target, values.target_special),
                (values.golden, values.golden_special),
            )
            if side is not None
        ]
        if any(sides):
            told.append(f"{name} {' | '.join(map(numbers.grouped, sides))}")
    return GAP.join(told)


def held(values: Histogram) -> tuple[float, float] | None:
    """Return the smallest and the largest finite value; ``None`` where there is none.

    Of a result that does not tell, the ends of the bins that hold anything.
    """
    if values.lowest <= values.highest:
        return values.lowest, values.highest
    there = [side for side in (values.target, values.golden) if side is not None]
    filled = np.flatnonzero(np.sum(there, axis=0)) if there else np.empty(0, int)
    if not len(filled):
        return None
    return float(values.edges[filled[0]]), float(values.edges[filled[-1] + 1])
