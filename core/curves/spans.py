"""Statistics of the difference between target and golden over some steps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.curves.deviation import relative_deviation
from core.records.curves import Paired, Span


def span_of(paired: Paired, first_step: int, last_step: int) -> Span:
    """Return the statistics from *first_step* to *last_step* of the target, both included."""
    inside = (paired.steps >= first_step) & (paired.steps <= last_step)
    return span_inside(paired, inside, (first_step, last_step))


def span_at(paired: Paired, left: float, right: float) -> Span | None:
    """Return the statistics from place *left* to *right* of the common axis; ``None`` where nothing is."""
    first, last = np.searchsorted(paired.x, left), np.searchsorted(paired.x, right, "right")
    if last <= first:
        return None
    return span_of(paired, int(paired.steps[first]), int(paired.steps[last - 1]))


def span_inside(paired: Paired, inside: slice | NDArray[np.bool_], ends: tuple[int, int]) -> Span:
    """Return the statistics of the places *inside*, which reach over the steps *ends*.

    Only places where both sides are finite count. Where the golden and all around it are 0 the relative
    error is infinite, or 0 where the target is 0 too.
    """
    target, golden, scale = paired.target[inside], paired.golden[inside], paired.scale[inside]
    finite = np.isfinite(target) & np.isfinite(golden)
    if not finite.any():
        return Span(*ends, 0, math.nan, math.nan, math.nan, math.nan, ends[0])
    relative = relative_deviation(target[finite], golden[finite], scale[finite])
    size = np.abs(relative)
    largest = int(size.argmax())
    return Span(
        *ends,
        int(finite.sum()),
        float(size.mean()),
        float(np.abs(target[finite] - golden[finite]).mean()),
        float(relative.mean()) if np.isfinite(relative).all() else math.nan,
        float(size[largest]),
        int(paired.steps[inside][finite][largest]),
    )
