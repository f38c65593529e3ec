"""A series over its limit: the first step, spikes, stretches that last, single steps, jumps at a resume."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.judgement.context import Context, PairView
from core.curves.judgement.excess import Excess, Stretch
from core.curves.judgement.telling import told
from core.curves.spans import span_inside
from core.records.curves import CurveFinding, FindingName
from core.records.training import Weight

_AFTER_RESUME = 2
"""Records after a resume within which a difference that begins is one of the resume."""


def excess_findings(context: Context, excess: Excess, weight: Weight) -> Iterator[CurveFinding]:
    """Yield what is over the limit in one series, as findings of *weight*."""
    view = excess.view
    yield from _first_step(context, view, weight)
    for stretch in excess.spikes:
        yield _spike(view, stretch, weight)
    lasting = excess.lasting
    if lasting:
        yield _over_limit(view, lasting, weight)
    if len(excess.single):
        yield _single(view, excess, weight)
    if excess.by_chance:
        count = excess.by_chance
        yield told(
            "curves.over_limit.chance",
            FindingName.OVER_LIMIT,
            Weight.NOTE,
            series=view.name,
            count=count,
            limit=view.limits.limit,
        )
    if excess.first is not None:
        yield from _jump_at_resume(context, view, excess.first, weight)


def _first_step(context: Context, view: PairView, weight: Weight) -> Iterator[CurveFinding]:
    """Yield that the very first step of the target is over the limit; not the first one that has a loss."""
    first = int(np.argmax(view.finite)) if view.finite.any() else -1
    if first < 0 or not view.over[first] or view.steps[first] > context.target.first_step:
        return
    yield told(
        "curves.first_step",
        FindingName.FIRST_STEP,
        weight,
        step=int(view.steps[first]),
        series=view.name,
        relative=float(view.relative[first]),
        target=float(view.paired.target[first]),
        golden=float(view.paired.golden[first]),
        limit=view.limits.limit,
    )


def _spike(view: PairView, stretch: Stretch, weight: Weight) -> CurveFinding:
    inside = slice(stretch.first, stretch.last + 1)
    at = stretch.first + int(np.argmax(view.size[inside]))
    side = (
        "target"
        if _stands_out(view, at, stretch, "target") >= _stands_out(view, at, stretch, "golden")
        else "golden"
    )
    return told(
        f"curves.spike.{side}",
        FindingName.SPIKE,
        weight,
        step=int(view.steps[at]),
        series=view.name,
        last_step=int(view.steps[stretch.last]),
        relative=float(view.relative[at]),
        side=side,
        target=float(view.paired.target[at]),
        golden=float(view.paired.golden[at]),
    )


def _stands_out(view: PairView, at: int, stretch: Stretch, side: str) -> float:
    """Return how far the value at *at* lies from those around it, relative to them."""
    values = getattr(view.paired, side)
    reach = view.window
    around = np.concatenate(
        [values[max(stretch.first - reach, 0) : stretch.first], values[stretch.last + 1 :][:reach]]
    )
    around = around[np.isfinite(around)]
    if not len(around):
        return 0.0
    usual = float(np.median(around))
    return abs(float(values[at]) - usual) / (abs(usual) or 1.0)


def _over_limit(view: PairView, lasting: list[Stretch], weight: Weight) -> CurveFinding:
    first, last = lasting[0].first, lasting[-1].last
    inside = slice(first, last + 1)
    ends = int(view.steps[first]), int(view.steps[last])
    span = span_inside(view.paired, inside, ends)
    share = float(view.over[inside].mean())
    to_end = last >= len(view.steps) - view.window
    name = FindingName.OUTSIDE_BAND if view.band is not None else FindingName.OVER_LIMIT
    kind = ("band" if view.band is not None else "lasting") + ("_to_end" if to_end else "")
    return told(
        f"curves.over_limit.{kind}",
        name,
        weight,
        step=ends[0],
        series=view.name,
        last_step=ends[1],
        mean=span.mean_relative,
        bias=span.bias,
        largest=span.largest_relative,
        largest_step=span.largest_step,
        share=share,
        limit=view.limits.limit,
    )


def _single(view: PairView, excess: Excess, weight: Weight) -> CurveFinding:
    places = excess.single
    worst = int(places[np.argmax(view.size[places])])
    return told(
        "curves.over_limit.single",
        FindingName.OVER_LIMIT,
        weight,
        step=int(view.steps[places[0]]),
        series=view.name,
        last_step=int(view.steps[places[-1]]),
        count=len(places),
        largest=float(abs(view.relative[worst])),
        largest_step=int(view.steps[worst]),
        limit=view.limits.limit,
    )


def _jump_at_resume(context: Context, view: PairView, first: int, weight: Weight) -> Iterator[CurveFinding]:
    step = int(view.steps[first])
    reach = _AFTER_RESUME * context.alignment.target_interval
    for side, run in (("target", context.target), ("golden", context.golden)):
        shift = 0 if side == "target" else context.alignment.shift
        for resume in run.resumes:
            if 0 <= step - (resume.step - shift) <= reach:
                yield told(
                    f"curves.jump_at_resume.{side}",
                    FindingName.JUMP_AT_RESUME,
                    weight,
                    step=step,
                    series=view.name,
                    resume=resume.step,
                )
                return
