"""How far a target lies from its golden: the one place where differences of curves are formed."""

from __future__ import annotations

import numpy as np

from core.records.columns import Float64


def relative_deviation(target: Float64, golden: Float64) -> Float64:
    """Return (target − golden) / |golden|, elementwise in float64.

    0 where both are equal, also both infinite or both 0; infinite where only the golden is 0; NaN where
    either is NaN, or one is infinite and the other something else.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        difference = target - golden
        made = difference / np.abs(golden)
    made[target == golden] = 0.0
    made[np.isinf(golden) & (target != golden)] = np.nan
    return made
