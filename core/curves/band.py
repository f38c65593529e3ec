"""The noise band of the golden: how far its own repeated runs lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from core.curves.judgement.windows import mean_around
from core.curves.limits import CurveLimits
from core.records.columns import Int64
from core.records.curves import LoggedRun, NoiseBand


def noise_band(
    golden: LoggedRun, repeats: Sequence[LoggedRun], name: str, limits: CurveLimits
) -> NoiseBand | None:
    """Return the band of the series *name*; ``None`` with fewer than two runs that have it.

    At each step it is the mean of the runs plus and minus ``band_sigma`` standard deviations of one more run:
    s·√(1 + 1/n), the prediction interval of a normal sample, where s² is the variance between the runs. It is
    averaged over a sliding window, as two or three runs tell little at a single step.
    """
    curves = [run.curves[name] for run in (golden, *repeats) if name in run.curves]
    if len(curves) < 2:
        return None
    steps = reduce(_common, (curve.steps[np.isfinite(curve.values)] for curve in curves))
    if not len(steps):
        return None
    values = np.array([curve.values[np.searchsorted(curve.steps, steps)] for curve in curves])
    centre = values.mean(axis=0)
    window = max(min(int(limits.window), len(steps)), 1)
    variance = mean_around(values.var(axis=0, ddof=1), window)
    allowed = limits.band_sigma * np.sqrt(variance * (1 + 1 / len(curves)))
    least = limits.band_least * np.abs(centre)
    return NoiseBand(steps.astype(np.float64), centre, np.maximum(allowed, least), len(curves))


def _common(steps: Int64, others: Int64) -> Int64:
    if np.array_equal(steps, others):
        return steps
    return np.intersect1d(steps, others, assume_unique=True)
