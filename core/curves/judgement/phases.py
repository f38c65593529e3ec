"""The phases of a training, each judged apart: a mean over all hides a first step and a late drift."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.judgement.context import Context, PairView
from core.curves.spans import span_inside
from core.records.curves import Phase, PhaseJudgement, Span
from core.records.series import Series
from core.records.training import Judgement

_LEAST = 10
"""Places without which there is a first step and the rest."""


def phases_of(context: Context, view: PairView) -> tuple[PhaseJudgement, ...]:
    """Return the phases of *view*, judged by their mean relative deviation."""
    made = []
    for phase, first, last in _bounds(context, view):
        inside = slice(first, last)
        ends = int(view.steps[first]), int(view.steps[last - 1])
        span = span_inside(view.paired, inside, ends)
        made.append(PhaseJudgement(phase, span, _judged(view, inside, span)))
    return tuple(made)


def _judged(view: PairView, inside: slice, span: Span) -> Judgement:
    if not span.steps:
        return Judgement.NOT_JUDGED
    size = view.size[inside]
    return Judgement.PASS if np.nanmean(size) <= view.limits.limit else Judgement.FAIL


def _bounds(context: Context, view: PairView) -> Iterator[tuple[Phase, int, int]]:
    """Yield each phase that has places, with its first place and the one after its last."""
    count = len(view.steps)
    if not count:
        return
    yield Phase.FIRST, 0, 1
    if count < _LEAST:
        if count > 1:
            yield Phase.MIDDLE, 1, count
        return
    tail = count - max(round(count * view.limits.tail_share), 1)
    warm = min(max(_warm_up(context, view), 1), tail)
    for phase, first, last in (
        (Phase.WARM_UP, 1, warm),
        (Phase.MIDDLE, warm, tail),
        (Phase.TAIL, tail, count),
    ):
        if last > first:
            yield phase, first, last


def _warm_up(context: Context, view: PairView) -> int:
    """Return how many places the warm-up has: as long as the learning rate rises, else a share of all."""
    for run in (context.golden, context.target):
        rate = run.curves.get(Series.LEARNING_RATE)
        if rate is None or len(rate.values) < _LEAST or not np.isfinite(rate.values).all():
            continue
        top = int(np.argmax(rate.values))
        if 0 < top < len(rate.values) - 1 and rate.values[0] < rate.values[top]:
            end = int(rate.steps[top]) - (context.alignment.shift if run is context.golden else 0)
            return int(np.searchsorted(view.steps, end, "right"))
    return round(len(view.steps) * view.limits.warm_up_share)
