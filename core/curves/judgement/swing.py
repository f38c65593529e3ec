"""Periodic swings of a deviation, and their period in steps."""

from __future__ import annotations

import math

import numpy as np

from core.curves.judgement.context import PairView
from core.curves.judgement.telling import told
from core.records.columns import Float64
from core.records.curves import CurveFinding, FindingName
from core.records.training import Weight

_LEAST = 30
"""Places without which no period is named."""
_PERIODS = 5
"""Times that a swing must come around to have a period."""
_PEAK = 25.0
"""Times the median power beside it that a period's power must have."""
_CHANCE = 1e-6
"""Probability of such a peak in white noise, by Fisher's test for the largest ordinate of a periodogram
("Tests of significance in harmonic analysis", 1929).
"""
_CUT = 8.0
"""Robust standard deviations beyond which a value counts as this many: a spike holds every period."""


def swing(view: PairView, calm: Float64) -> CurveFinding | None:
    """Return a periodic swing of the deviation, sought in the whole run and in its later parts.

    *calm* is the signed deviation without spikes, NaN where it is not known.
    """
    limits = view.limits
    best: tuple[float, int, float, int] | None = None
    for part in (1, 2, 4):
        start = len(calm) - len(calm) // part
        found = _period(calm[start:], view.window)
        if (
            found is not None
            and found[0] >= limits.swing_strength
            and (best is None or found[0] > 1.2 * best[0])
        ):
            best = (found[0], start, found[1], found[2])
    if best is None:
        return None
    share, start, amplitude, cycles = best
    span = float(view.steps[-1] - view.steps[start])
    period = span / cycles
    if amplitude < limits.limit / 10:
        return None
    weight = Weight.FAULT if amplitude >= limits.limit else Weight.NOTE
    return told(
        "curves.periodic_swing",
        FindingName.PERIODIC_SWING,
        weight,
        step=int(view.steps[start]),
        series=view.name,
        last_step=int(view.steps[-1]),
        period=period,
        amplitude=amplitude,
        share=share,
    )


def _period(deviation: Float64, window: int) -> tuple[float, float, int] | None:
    """Return share of the power, amplitude and number of cycles of the strongest period.

    ``None`` if it is chance.
    """
    known = np.isfinite(deviation)
    count = len(deviation)
    if known.sum() < max(_LEAST, 0.8 * count):
        return None
    at = np.arange(count, dtype=np.float64)
    filled = np.interp(at, at[known], deviation[known])
    slope, level = np.polyfit(at, filled, 1)
    rest = filled - slope * at - level
    spread = 1.4826 * float(np.median(np.abs(rest)))
    if spread == 0:
        return None
    rest = np.clip(rest, -_CUT * spread, _CUT * spread)
    power = np.abs(np.fft.rfft(rest * np.hanning(count))) ** 2
    peak = _PERIODS + int(power[_PERIODS:].argmax())
    bins = len(power) - _PERIODS
    share = float(power[peak - 1 : peak + 2].sum() / power[1:].sum())
    # on each side: the spectrum of a random walk falls steeply, and its lowest bins are no period
    below, above = power[max(peak - 12, 1) : peak - 2], power[peak + 3 : peak + 13]
    chance = bins * (1 - min(share, 1 - 1e-12)) ** (bins / 3)
    beside = max((float(np.median(part)) for part in (below, above) if len(part)), default=np.inf)
    if power[peak] < _PEAK * beside or chance > _CHANCE:
        return None
    turn = 2 * np.pi * peak * at / count
    amplitude = 2 / count * math.hypot(float(rest @ np.cos(turn)), float(rest @ np.sin(turn)))
    return share, amplitude, peak
