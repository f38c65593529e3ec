"""Smoothing that depends on nothing but the steps before: a longer log never changes what is drawn."""

from __future__ import annotations

import numpy as np

from core.records.columns import Float64

_MOST_HALVINGS = 40.0
"""Half-lives that one block of points spans: weights stay far inside the range of float64."""


def smoothed(x: Float64, y: Float64, half_life: float) -> Float64:
    """Return the exponential moving average of *y*, shape (n,), at the places *x*, ascending.

    The weight of a point halves every *half_life* units of x, so that gaps and logging intervals count as
    what they are. Weights are divided by their sum, so the first values are not drawn towards 0 (Kingma and
    Ba, "Adam", 2015, section 3: bias correction). Points that are not finite are left out, and stay as they
    are.
    """
    finite = np.isfinite(y)
    places, values = x[finite], y[finite]
    made = y.copy()
    if half_life <= 0 or not len(values):
        return made
    halvings = (places - places[0]) / half_life
    starts = _blocks(halvings)
    averages = np.empty(len(values))
    total = weight = 0.0
    before = 0.0
    for start, end in zip(starts, [*starts[1:], len(values)]):
        grown = np.exp2(halvings[start:end] - halvings[start])
        faded = 0.5 ** (halvings[start] - before)
        totals = (np.cumsum(values[start:end] * grown) + total * faded) / grown
        weights = (np.cumsum(grown) + weight * faded) / grown
        averages[start:end] = totals / weights
        total, weight, before = float(totals[-1]), float(weights[-1]), float(halvings[end - 1])
    made[finite] = averages
    return made


def _blocks(halvings: Float64) -> list[int]:
    """Return where blocks of at most :data:`_MOST_HALVINGS` begin."""
    starts = [0]
    while True:
        following = int(np.searchsorted(halvings, halvings[starts[-1]] + _MOST_HALVINGS, "right"))
        if following >= len(halvings):
            return starts
        starts.append(following)
