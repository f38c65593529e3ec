"""The picture of the curves as tracks, made where questions are answered; by way of the shelf.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.records.curves import Axis
from gui.curves_work import run_of

if TYPE_CHECKING:
    from core.curves.drawing.overlay import DifferenceTracks, OverlayCurve
    from core.curves.shelf import Shelved
    from core.records.curves import CurvesReport, NoiseBand, Span, Track

_APART, _NEIGHBOURS = 1.5, 0.95
"""How much longer than the distance of so many neighbours a gap is."""


@dataclass(frozen=True)
class DrawnRun:
    """One run to be drawn."""

    number: int
    token: Shelved
    shift: float
    """Added to its places."""


@dataclass(frozen=True)
class Question:
    """What to draw."""

    runs: tuple[DrawnRun, ...]
    name: str
    axis: Axis
    half_life: float
    report: Shelved | None


class BandTracks(NamedTuple):
    """How far equal runs lie apart."""

    low: Track
    high: Track
    relative: Track
    """Half of the width, as part of the golden; so too the next one."""
    absolute: Track


@dataclass(frozen=True)
class Drawing:
    """The picture as tracks; :attr:`curves` stand in the order of :attr:`numbers`."""

    numbers: tuple[int, ...]
    name: str
    axis: Axis
    curves: tuple[OverlayCurve, ...]
    difference: DifferenceTracks | None
    gaps: tuple[float, ...] = ()
    """Of each curve: places that lie further apart than this are not joined, as records are missing there."""
    difference_gap: float = math.inf
    smooth_difference: DifferenceTracks | None = None
    band: BandTracks | None = None


def draw(question: Question, folder: str) -> Shelved:
    """Make and shelve a :class:`Drawing`."""
    from core.curves.drawing.overlay import difference, overlay
    from core.curves.shelf import shelve, unshelve

    runs = [run_of(run.token) for run in question.runs]
    shifts = [run.shift for run in question.runs]
    curves = overlay(runs, question.name, question.axis, question.half_life, shifts)
    tracks = smooth = band = None
    if question.report is not None:
        report: CurvesReport = unshelve(question.report)
        judged = report.series.get(question.name)
        if judged is not None and len(judged.paired.x):
            tracks = difference(judged.paired)
            if question.half_life > 0:
                smooth = _smoothed(tracks, judged.paired.steps.astype(np.float64), question.half_life)
        if judged is not None and judged.band is not None:
            band = _band_tracks(judged.band)
    numbers = tuple(run.number for run in question.runs)
    gaps = tuple(_gap_of(curve.raw) if curve.raw is not None else math.inf for curve in curves)
    drawing = Drawing(
        numbers, question.name, question.axis, tuple(curves), tracks, gaps,
        _gap_of(tracks.relative) if tracks is not None else math.inf, smooth, band,
    )  # fmt: skip
    return shelve(drawing, folder)


def _gap_of(track: Track) -> float:
    """Return from which distance on two points are no neighbours: longer than nearly all others."""
    apart = np.diff(track.x)
    return _APART * float(np.quantile(apart, _NEIGHBOURS)) if len(apart) > 1 else math.inf


def _smoothed(tracks: DifferenceTracks, steps: NDArray[np.float64], half_life: float) -> DifferenceTracks:
    from core.curves.drawing.overlay import DifferenceTracks
    from core.curves.drawing.smoothing import smoothed
    from core.curves.drawing.tracks import track_of

    return DifferenceTracks(*(track_of(track.x, smoothed(steps, track.y, half_life)) for track in tracks))


def _band_tracks(band: NoiseBand) -> BandTracks:
    from core.curves.drawing.tracks import track_of

    with np.errstate(divide="ignore", invalid="ignore"):
        relative = band.allowed / np.abs(band.centre)
    heights = (band.centre - band.allowed, band.centre + band.allowed, relative, band.allowed)
    return BandTracks(*(track_of(band.x, height) for height in heights))


@dataclass(frozen=True)
class SpanFacts:
    """What lies between two places of the picture."""

    left: float
    right: float
    difference: Span | None
    means: tuple[tuple[int, float, int], ...]
    """Of each run drawn: its number, the mean of its finite values, and how many these are."""


def measure(left: float, right: float, drawing: Shelved, report: Shelved | None, name: str) -> SpanFacts:
    """Return the statistics of what *drawing* and *report* hold from *left* to *right* of the picture."""
    from core.curves.shelf import unshelve
    from core.curves.spans import span_of

    shown: Drawing = unshelve(drawing)
    means = []
    for number, curve in zip(shown.numbers, shown.curves):
        if curve.raw is not None:
            begin, end = curve.raw.x.searchsorted(left), curve.raw.x.searchsorted(right, "right")
            finite = curve.raw.y[begin:end][np.isfinite(curve.raw.y[begin:end])]
            means.append((number, float(finite.mean()) if len(finite) else math.nan, len(finite)))
    found = None
    judged = unshelve(report).series.get(name) if report is not None else None
    if judged is not None:
        paired = judged.paired
        first, last = paired.x.searchsorted(left), paired.x.searchsorted(right, "right")
        if last > first:
            found = span_of(paired, int(paired.steps[first]), int(paired.steps[last - 1]))
    return SpanFacts(left, right, found, tuple(means))
