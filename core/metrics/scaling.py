"""Powers of two that bring numbers of float64 where their squares can be summed."""

from __future__ import annotations

import numpy as np

LARGE, SMALL = 1e140, 1e-140
"""Beyond these, squares and their sums would leave the range of float64."""


def power_to_square(largest: float) -> float:
    """Return the power of two that brings numbers up to *largest* near 1; 1 where they can be squared."""
    if not largest or largest != largest or SMALL < largest < LARGE:
        return 1.0
    return float(2.0 ** np.clip(-np.frexp(largest)[1], -1000, 1000))
