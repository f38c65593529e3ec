"""What single cells of a monitor's csv file say."""

from __future__ import annotations

import math

STEP_BOUND, SMALL_BOUND = 2**62, 2**31
"""Steps, and stages, ranks and micro-steps, are smaller than these; what is larger is no such thing."""


def number(cell: str) -> float | None:
    """Return the number in *cell*, NaN and infinities as Python spells them; ``None`` if there is none."""
    try:
        return float(cell)
    except ValueError:
        return None


def whole(cell: str, bound: int) -> int | None:
    """Return the whole number in *cell*, ``None`` if there is none of a magnitude below *bound*.

    Spreadsheets write ``5`` as ``5.0`` where other cells of its column are empty.
    """
    try:
        found = int(cell)
    except ValueError:
        value = number(cell)
        if value is None or not math.isfinite(value) or not value.is_integer():
            return None
        found = int(value)
    return found if -bound < found < bound else None


def small(cell: str, otherwise: int) -> int | None:
    """Return the stage or micro-step in *cell*, *otherwise* if it is empty, ``None`` if it holds no such."""
    return whole(cell, SMALL_BOUND) if cell.strip() else otherwise
