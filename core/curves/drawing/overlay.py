"""The lines of a picture: one series of several runs on one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.curves.drawing.smoothing import smoothed
from core.curves.drawing.tracks import gap_of, track_of
from core.records.columns import Float64
from core.records.curves import Axis, Curve, LoggedRun, Track
from core.records.series import Series

_COUNTED = {Axis.SAMPLES: Series.CONSUMED_SAMPLES, Axis.TOKENS: Series.CONSUMED_TOKENS}


class OverlayCurve(NamedTuple):
    """One run in the picture."""

    raw: Track | None
    """``None`` where the run does not log the series, or not the axis."""
    smooth: Track | None
    """``None`` without smoothing."""
    gap: float = math.inf
    """Places that lie further apart than this are not joined: records are missing between them."""


def overlay(
    runs: Sequence[LoggedRun],
    name: str,
    axis: Axis,
    half_life: float,
    shifts: Sequence[float],
    factors: Sequence[float] | None = None,
) -> list[OverlayCurve]:
    """Return the series *name* of *runs*.

    Parameters
    ----------
    axis
        :attr:`Axis.COUNT` counts from the first step of each run, from 0.
    half_life
        Of the smoothing, in steps; 0 for none.
    shifts
        What is added to the places of each run.
    factors
        What they are multiplied by before: steps between the records of a counted log; 1 if not given.
    """
    made = []
    for run, shift, factor in zip(runs, shifts, factors or [1.0] * len(runs), strict=True):
        curve = run.curves.get(name)
        places = None if curve is None else places_of(run, curve, axis)
        if curve is None or places is None or not len(places):
            made.append(OverlayCurve(None, None))
            continue
        known = np.isfinite(places)
        x, steps, y = factor * places[known] + shift, curve.steps[known], curve.values[known]
        order = np.argsort(x, kind="stable")
        raw = track_of(x[order], y[order])
        smooth = smoothed(steps.astype(np.float64), y, half_life)[order] if half_life > 0 else None
        drawn = track_of(x[order], smooth) if smooth is not None else None
        made.append(OverlayCurve(raw, drawn, gap_of(raw)))
    return made


def places_of(run: LoggedRun, curve: Curve, axis: Axis) -> Float64 | None:
    """Return where the points of *curve* lie on *axis*; NaN where that is not known, ``None`` if nowhere."""
    steps = curve.steps.astype(np.float64)
    if axis is Axis.COUNT:
        return steps - steps[0] if len(steps) else steps
    counted = _COUNTED.get(axis)
    if counted is None:
        return steps
    counts = run.curves.get(counted)
    if counts is None or not len(counts.steps):
        return None
    known = np.isfinite(counts.values)
    where = counts.steps[known].astype(np.float64)
    if not len(where):
        return None
    return np.interp(steps, where, counts.values[known], left=np.nan, right=np.nan)
