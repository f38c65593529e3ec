"""The picture of the curves as tracks, made where questions are answered; by way of the shelf.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.records.curves import Axis
from gui.curves.work import run_of

if TYPE_CHECKING:
    from core.curves.drawing.differences import BandTracks, DifferenceTracks
    from core.curves.drawing.overlay import OverlayCurve
    from core.curves.shelf import Shelved
    from core.records.curves import CurvesReport, SeriesJudgement, Span


@dataclass(frozen=True)
class DrawnRun:
    """One run to be drawn."""

    number: int
    token: Shelved
    shift: float
    """Added to its places."""
    factor: float = 1.0
    """They are multiplied by it before."""


@dataclass(frozen=True)
class Question:
    """What to draw."""

    runs: tuple[DrawnRun, ...]
    name: str
    axis: Axis
    half_life: float
    report: Shelved | None


@dataclass(frozen=True)
class Drawing:
    """The picture as tracks; :attr:`curves` stand in the order of :attr:`numbers`."""

    numbers: tuple[int, ...]
    name: str
    axis: Axis
    curves: tuple[OverlayCurve, ...]
    difference: DifferenceTracks | None = None
    smooth_difference: DifferenceTracks | None = None
    band: BandTracks | None = None


def draw(question: Question, folder: str) -> Shelved:
    """Make and shelve a :class:`Drawing`."""
    from core.curves.drawing.differences import band_tracks, difference, smooth_difference
    from core.curves.drawing.overlay import overlay
    from core.curves.shelf import shelve

    runs = [run_of(run.token) for run in question.runs]
    shifts = [run.shift for run in question.runs]
    factors = [run.factor for run in question.runs]
    curves = overlay(runs, question.name, question.axis, question.half_life, shifts, factors)
    numbers = tuple(run.number for run in question.runs)
    judged = _judgement_of(question.report, question.name)
    if judged is None:
        return shelve(Drawing(numbers, question.name, question.axis, tuple(curves)), folder)
    drawing = Drawing(
        numbers,
        question.name,
        question.axis,
        tuple(curves),
        difference(judged.paired),
        smooth_difference(judged.paired, question.half_life) if question.half_life > 0 else None,
        band_tracks(judged.band) if judged.band is not None else None,
    )
    return shelve(drawing, folder)


def _judgement_of(report: Shelved | None, name: str) -> SeriesJudgement | None:
    """Return how the series *name* was judged; ``None`` where nothing of it was compared."""
    from core.curves.shelf import unshelve

    if report is None:
        return None
    said: CurvesReport = unshelve(report)
    judged = said.series.get(name)
    return judged if judged is not None and len(judged.paired.x) else None


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
    from core.curves.drawing.tracks import mean_between
    from core.curves.shelf import unshelve
    from core.curves.spans import span_at

    shown: Drawing = unshelve(drawing)
    means = tuple(
        (number, *mean_between(curve.raw, left, right))
        for number, curve in zip(shown.numbers, shown.curves)
        if curve.raw is not None
    )
    judged = _judgement_of(report, name)
    return SpanFacts(left, right, span_at(judged.paired, left, right) if judged is not None else None, means)
