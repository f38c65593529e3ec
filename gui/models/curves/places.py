"""Where a step of a run stands in the picture, and what is marked there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.messages import text
from core.records.columns import Float64
from core.records.curves import Axis, CurveFinding, CurvesReport, LoggedRun, Track
from core.records.series import Series
from core.records.training import Judgement, Weight

_COUNTED = {Axis.SAMPLES: Series.CONSUMED_SAMPLES, Axis.TOKENS: Series.CONSUMED_TOKENS}


@dataclass(frozen=True)
class Mark:
    """A finding at its place."""

    place: float
    weight: Weight
    number: int
    """Of the finding in its report."""


@dataclass(frozen=True)
class Stretch:
    """A part of the run that is judged apart."""

    left: float
    right: float
    words: str
    judgement: Judgement


def place_of(step: int, run: LoggedRun, axis: Axis, shift: float) -> float:
    """Return where *step* of *run* stands on *axis*; NaN where that is not known."""
    counted = _COUNTED.get(axis)
    if counted is not None:
        counts = run.curves.get(counted)
        if counts is None or not len(counts.steps):
            return math.nan
        at = min(int(np.searchsorted(counts.steps, step)), len(counts.steps) - 1)
        return float(counts.values[at])
    if axis is Axis.COUNT:
        first = min((int(curve.steps[0]) for curve in run.curves.values() if len(curve.steps)), default=0)
        return step - first + shift
    return step + shift


def step_at(place: float, run: LoggedRun, axis: Axis, shift: float) -> int | None:
    """Return the step of *run* that stands at *place* or nearest to it, as :func:`place_of` has it."""
    counted = _COUNTED.get(axis)
    if counted is not None:
        counts = run.curves.get(counted)
        if counts is None or not np.isfinite(counts.values).any():
            return None
        return int(counts.steps[np.nanargmin(np.abs(counts.values - place))])
    if axis is Axis.COUNT:
        first = min((int(curve.steps[0]) for curve in run.curves.values() if len(curve.steps)), default=0)
        return round(place - shift) + first
    return round(place - shift)


def marks_of(
    findings: tuple[CurveFinding, ...], name: str, run: LoggedRun, axis: Axis, shift: float
) -> list[Mark]:
    """Return the marks of *findings* about the series *name* that have a step of *run*, the heaviest last."""
    made = [
        Mark(place_of(finding.step, run, axis, shift), finding.weight, number)
        for number, finding in enumerate(findings)
        if finding.step is not None and finding.series == name
    ]
    order = (Weight.NOTE, Weight.WARNING, Weight.FAULT)
    return sorted(
        (mark for mark in made if math.isfinite(mark.place)),
        key=lambda mark: (order.index(mark.weight), -mark.number),
    )


def stretches_of(report: CurvesReport, name: str, run: LoggedRun, axis: Axis, shift: float) -> list[Stretch]:
    """Return the phases of the series *name*."""
    judged = report.series.get(name)
    made = []
    for phase in judged.phases if judged is not None else ():
        left = place_of(phase.span.first_step, run, axis, shift)
        right = place_of(phase.span.last_step, run, axis, shift)
        if math.isfinite(left) and math.isfinite(right):
            made.append(Stretch(left, right, text(f"gui.curves.phase.{phase.phase.value}"), phase.judgement))
    return made


def nearest_place(track: Track, place: float) -> float:
    """Return the place of the point of *track* that is nearest to *place*; NaN where it has none."""
    if not len(track.x):
        return math.nan
    at = int(np.searchsorted(track.x, place))
    near = [float(track.x[each]) for each in (at - 1, at) if 0 <= each < len(track.x)]
    return min(near, key=lambda found: abs(found - place))


def ends_inside(tracks: Sequence[Track], left: float, right: float) -> tuple[float, float] | None:
    """Return the first and the last place from *left* to *right* at which one of *tracks* has a point."""
    found = []
    for track in tracks:
        begin, end = np.searchsorted(track.x, left), np.searchsorted(track.x, right, "right")
        if begin < end:
            found += [float(track.x[begin]), float(track.x[end - 1])]
    return (min(found), max(found)) if found else None


def neighbour(track: Track, place: float, forward: bool) -> float:
    """Return the place of the point of *track* after *place*, or before; the last one at an end."""
    at = int(np.searchsorted(track.x, place, "right" if forward else "left")) - (not forward)
    return float(track.x[min(max(at, 0), len(track.x) - 1)]) if len(track.x) else place


def point_before(track: Track, place: float) -> tuple[float, float]:
    """Return place and value of the point at or before *place*; NaN for both beyond the ends."""
    at = int(np.searchsorted(track.x, place, "right")) - 1
    if at < 0 or place > track.x[-1]:
        return math.nan, math.nan
    return float(track.x[at]), float(track.y[at])


def with_gaps(x: Float64, y: Float64, gap: float) -> tuple[Float64, Float64]:
    """Return the points with NaN put in wherever two places lie further apart than *gap*."""
    after = np.flatnonzero(np.diff(x) > gap) + 1
    if not len(after):
        return x, y
    return np.insert(x, after, x[after]), np.insert(y, after, np.nan)


def broken_places(track: Track, left: float, right: float, pixels: int) -> tuple[Float64, Float64]:
    """Return places and values of points in sight that are not finite, one a pixel at most of each kind."""
    places = track.x[track.broken]
    begin, end = np.searchsorted(places, left), np.searchsorted(places, right, "right")
    seen, values = places[begin:end], track.y[track.broken[begin:end]]
    if len(seen) <= pixels or right <= left:
        return seen, values
    kind = np.where(np.isnan(values), 0, np.sign(values))
    columns = np.floor((seen - left) / (right - left) * pixels)
    _, first = np.unique(columns * 4 + kind, return_index=True)
    return seen[first], values[first]
