"""How the two logs were laid on each other, and what of them could not be read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.alignment import far_shift
from core.curves.judgement.context import Context
from core.curves.judgement.telling import told
from core.records.curves import Axis, CurveFinding, FindingName, LoggedRun
from core.records.series import Series
from core.records.training import Weight

_MOSTLY = 0.5
_NAMES = 12
"""Names of values that are listed."""
_FEW = 5
"""Common places below which a verdict says little."""
_NAMED = 5
"""Restarts that are named."""
_SIDES = ("target", "golden")


def circumstances(context: Context) -> Iterator[CurveFinding]:
    """Yield how the runs were aligned, their restarts and lengths, and unread lines."""
    yield from _alignment(context)
    yield from _lengths(context)
    for side, run in zip(_SIDES, (context.target, context.golden)):
        yield from of_run(run, side)
    yield from _same_data(context)
    yield from _band(context)
    yield from _losses(context)


def of_run(run: LoggedRun, side: str) -> Iterator[CurveFinding]:
    """Yield what is to be known of one log: restarts, several ranks, lines that could not be read."""
    if run.resumes:
        steps = ", ".join(str(resume.step) for resume in run.resumes[:5]) + (
            " …" if len(run.resumes) > 5 else ""
        )
        yield told(
            f"curves.resumed.{side}",
            FindingName.RESUMED,
            Weight.NOTE,
            step=run.resumes[0].step,
            count=len(run.resumes),
            repeated=sum(resume.repeated for resume in run.resumes),
            resumes=steps,
        )
    elif run.superseded > _FEW:
        yield told(f"curves.repeated.{side}", FindingName.REPEATED, Weight.WARNING, count=run.superseded)
    if len(run.ranks) > 1:
        yield told(
            f"curves.ranks.{side}", FindingName.RANKS, Weight.NOTE, count=len(run.ranks), rank=run.ranks[0]
        )
    if run.axis is Axis.COUNT:
        yield told(f"curves.counted.{side}", FindingName.AXIS, Weight.NOTE)
    if run.unread:
        first = run.unread_lines[0].number if run.unread_lines else 0
        yield told(
            f"curves.unread.{side}", FindingName.UNREAD_LINES, Weight.WARNING, count=run.unread, first=first
        )


def _alignment(context: Context) -> Iterator[CurveFinding]:
    how = context.alignment
    if how.shift:
        found = "curves.offset.one" if abs(how.shift) == 1 else "curves.offset"
        code = "curves.offset.asked" if how.asked else found
        yield told(code, FindingName.OFFSET, Weight.NOTE, shift=how.shift)
    elif not how.asked and how.axis is Axis.STEP and _is_apart(context):
        far = far_shift(context.target, context.golden, context.limits)
        if far:
            yield told("curves.offset.far", FindingName.OFFSET, Weight.WARNING, shift=far)
    if how.axis in (Axis.SAMPLES, Axis.TOKENS) and not how.asked:
        yield told(f"curves.axis.{how.axis.value}", FindingName.AXIS, Weight.NOTE)
    if how.target_interval != how.golden_interval and how.axis is Axis.STEP:
        yield told(
            f"curves.interval.{how.averaged or 'points'}",
            FindingName.INTERVAL,
            Weight.NOTE,
            target=how.target_interval,
            golden=how.golden_interval,
        )


def _is_apart(context: Context) -> bool:
    """Whether most of the losses are over the limit: only then a shift is looked for far away."""
    view = context.pair(Series.LOSS)
    return view is not None and bool(view.over.mean() > _MOSTLY)


def _band(context: Context) -> Iterator[CurveFinding]:
    """Yield that a noise band decides, how wide it is, and which repeats count for nothing."""
    view = context.pair(Series.LOSS)
    if view is not None and view.band is not None:
        wide = view.band.typical > view.limits.limit
        yield told(
            "curves.band.wide" if wide else "curves.band",
            FindingName.BAND,
            Weight.WARNING if wide else Weight.NOTE,
            band=view.band.typical,
            count=view.band.runs,
            limit=view.limits.limit,
        )
    for path in context.doubled:
        yield told("curves.band.doubled", FindingName.BAND, Weight.WARNING, path=path)


def _losses(context: Context) -> Iterator[CurveFinding]:
    """Yield that there is no loss to judge by, and where a loss comes from that is no log's."""
    target, golden = context.target, context.golden
    if Series.LOSS not in golden.curves:
        names = ", ".join(list(dict.fromkeys((*target.curves, *golden.curves)))[:_NAMES])
        code = "curves.no_loss.golden" if Series.LOSS in target.curves else "curves.no_loss"
        yield told(code, FindingName.NO_LOSS, Weight.WARNING, names=names)
    for side, run in zip(_SIDES, (target, golden)):
        if run.source is not None:
            operator, slot, rank = (run.source.parameters[name] for name in ("operator", "slot", "rank"))
            yield told(
                f"curves.source.{side}",
                FindingName.SOURCE,
                Weight.NOTE,
                operator=operator,
                slot=slot,
                rank=rank,
            )
    for side, interval in context.intervals.items():
        yield told(f"curves.every.{side}", FindingName.INTERVAL, Weight.NOTE, interval=interval)


def _lengths(context: Context) -> Iterator[CurveFinding]:
    view = context.pair(Series.LOSS)
    if view is None:
        return
    if len(view.steps) < _FEW:
        yield told("curves.few_steps", FindingName.FEW_STEPS, Weight.WARNING, count=len(view.steps))
    if context.target.axis is not context.golden.axis or context.alignment.axis is not context.target.axis:
        return
    ends = [int(run.curves[Series.LOSS].steps[-1]) for run in (context.target, context.golden)]
    ends[0] += context.alignment.shift
    gap = max(context.alignment.target_interval, context.alignment.golden_interval) + abs(
        context.alignment.shift
    )
    if abs(ends[0] - ends[1]) > gap:
        shorter = _SIDES[int(ends[0] > ends[1])]
        yield told(
            f"curves.length.{shorter}",
            FindingName.LENGTH,
            Weight.NOTE,
            target=ends[0],
            golden=ends[1],
            end=min(ends),
        )


def _same_data(context: Context) -> Iterator[CurveFinding]:
    """Yield that both logs hold the same numbers in all that they log: perhaps it is one run twice."""
    if not context.pairs or set(context.target.curves) != set(context.golden.curves):
        return
    for name, mine in context.target.curves.items():
        theirs = context.golden.curves[name]
        if len(mine.steps) < _FEW or not np.array_equal(mine.steps, theirs.steps):
            return
        if not np.array_equal(mine.values, theirs.values, equal_nan=True):
            return
    yield told("curves.same_data", FindingName.SAME_DATA, Weight.NOTE)
