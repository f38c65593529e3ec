"""Two logs in, an answer out: are the curves the same, from which step on are they not, and in what way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.curves.alignment import align, pair
from core.curves.band import distinct_repeats, noise_band
from core.curves.judgement.advice import advice_of
from core.curves.judgement.broken import broken_alone, broken_findings
from core.curves.judgement.circumstances import circumstances, of_run
from core.curves.judgement.conclusion import first_bad_step, in_order, sentence_of, verdict_of
from core.curves.judgement.context import Context, PairView
from core.curves.judgement.convergence import convergence_findings
from core.curves.judgement.excess import Excess
from core.curves.judgement.others import JUDGED, other_findings
from core.curves.judgement.over_limit import excess_findings
from core.curves.judgement.phases import phases_of
from core.curves.judgement.scaling import scaling_findings
from core.curves.judgement.setup import setup_findings
from core.curves.judgement.shape import shape_findings
from core.curves.judgement.telling import told
from core.curves.limits import CurveLimits, shipped_limits
from core.curves.numbering import numbered_alike
from core.curves.spans import span_inside
from core.errors import InputError, Problem
from core.messages import Message
from core.records.curves import (
    Alignment,
    Axis,
    CurveFinding,
    CurvesReport,
    FindingName,
    LoggedRun,
    SeriesJudgement,
)
from core.records.series import Series
from core.records.training import Judgement, Weight

_BOOKKEEPING = frozenset(
    (
        Series.SKIPPED, Series.SKIPPED_TOTAL, Series.NAN_STEPS, Series.OVERFLOW, Series.ATTEMPTED_SCALE,
        Series.CONSUMED_SAMPLES, Series.CONSUMED_TOKENS, Series.GLOBAL_BATCH, Series.EPOCH,
    )
)  # fmt: skip
"""Series that count, and are no curves to be laid on each other."""


@dataclass(frozen=True)
class CurveOptions:
    """What the user decides."""

    limits: CurveLimits = field(default_factory=shipped_limits)
    shift: int | None = None
    """Steps added to the target's; ``None`` looks for them."""
    axis: Axis | None = None
    metrics: tuple[str, ...] = ()
    """Series judged like the loss."""


def judge_curves(
    target: LoggedRun,
    golden: LoggedRun,
    repeats: Sequence[LoggedRun] = (),
    options: CurveOptions | None = None,
) -> CurvesReport:
    """Lay *target* on *golden* and judge it; *repeats* are further runs of the golden, for a noise band.

    Raises
    ------
    InputError
        ``curves_nothing_common``: the logs have no series and step in common; ``curves_no_axis``,
        ``curves_no_metric``: what *options* asks for is not in both.
    """
    options = options or CurveOptions()
    limits = options.limits
    kept, doubled = distinct_repeats(target, golden, repeats)
    target, golden, intervals = numbered_alike(target, golden, limits)
    kept = [numbered_alike(repeat, golden, limits)[0] for repeat in kept]
    alignment = align(target, golden, limits, options.shift, options.axis)
    pairs = _pairs(target, golden, kept, alignment, options)
    context = Context(target, golden, alignment, pairs, limits, intervals, tuple(run.path for run in doubled))
    _check(context, options)
    series = {name: _judged(context, view) for name, view in context.pairs.items()}
    lead = next((series[name] for name in (Series.LOSS, *options.metrics) if name in series), None)
    findings = in_order(_findings(context, options))
    steps = len(lead.paired.x) if lead is not None else 0
    verdict = verdict_of(findings, lead)
    return CurvesReport(
        target.path,
        golden.path,
        tuple(run.path for run in kept),
        alignment,
        series,
        verdict,
        steps,
        first_bad_step(findings),
        sentence_of(findings, lead, verdict),
        findings,
        advice_of(context, findings),
        limits.as_mapping(),
        intervals,
        (*target.problems, *golden.problems),
    )


def _check(context: Context, options: CurveOptions) -> None:
    """Refuse what cannot be judged at all."""
    target, golden = context.target, context.golden
    facts = {"golden": golden.path}
    lost = (Series.LOSS in golden.curves) is not (Series.LOSS in target.curves)
    if not context.pairs and options.axis is not None:
        raise InputError(Problem("curves_no_axis", target.path, {"axis": options.axis.value, **facts}))
    if not context.pairs and not lost:
        raise InputError(Problem("curves_nothing_common", target.path, facts))
    for name in options.metrics:
        if name not in context.pairs:
            facts |= {"name": name, "known": ", ".join(context.pairs) or "—"}
            raise InputError(Problem("curves_no_metric", target.path, facts))


def judge_alone(run: LoggedRun, options: CurveOptions | None = None) -> CurvesReport:
    """Say what one log can tell by itself; without a golden nothing passes."""
    limits = (options or CurveOptions()).limits
    findings = in_order((*broken_alone(run, limits), *scaling_findings(run), *of_run(run, "target")))
    failed = verdict_of(findings, None) is Judgement.FAIL
    return CurvesReport(
        run.path,
        "",
        (),
        Alignment(run.axis),
        {},
        Judgement.FAIL if failed else Judgement.NOT_JUDGED,
        0,
        first_bad_step(findings),
        findings[0].message if failed else Message("curves.sentence.alone"),
        findings,
        (),
        limits.as_mapping(),
        problems=run.problems,
    )


def _pairs(
    target: LoggedRun,
    golden: LoggedRun,
    repeats: Sequence[LoggedRun],
    alignment: Alignment,
    options: CurveOptions,
) -> dict[str, PairView]:
    """Return what both log at common places, the loss first."""
    names = [name for name in target.curves if name in golden.curves and name not in _BOOKKEEPING]
    made = {}
    for name in sorted(names, key=lambda name: name != Series.LOSS):
        paired = pair(target, golden, name, alignment)
        if paired is not None:
            judged = name in (Series.LOSS, Series.GRAD_NORM, *JUDGED, *options.metrics)
            band = noise_band(golden, repeats, name, options.limits) if repeats and judged else None
            made[name] = PairView(name, paired, options.limits, band)
    return made


def _judged(context: Context, view: PairView) -> SeriesJudgement:
    paired, steps = view.paired, view.steps
    whole = span_inside(paired, slice(None), (int(steps[0]), int(steps[-1])))
    phases = phases_of(context, view)
    failed = any(phase.judgement is Judgement.FAIL for phase in phases)
    judged = bool(whole.steps)
    over = np.flatnonzero(view.over)
    return SeriesJudgement(
        view.name,
        paired,
        whole,
        phases,
        (Judgement.FAIL if failed else Judgement.PASS) if judged else Judgement.NOT_JUDGED,
        int(steps[over[0]]) if len(over) else None,
        view.band,
    )


def _findings(context: Context, options: CurveOptions) -> Iterator[CurveFinding]:
    yield from setup_findings(context)
    yield from broken_findings(context)
    yield from scaling_findings(context.target, context.golden)
    view = context.pair(Series.LOSS)
    if view is not None:
        view = _without_zeros(view)
        excess = Excess(view)
        own = [
            *excess_findings(context, excess, Weight.FAULT),
            *shape_findings(excess),
            *convergence_findings(view),
        ]
        yield from own
        if not any(item.weight is Weight.FAULT for item in own):
            yield from _phases(context, view)
    yield from other_findings(context, options.metrics)
    yield from circumstances(context)


def _without_zeros(view: PairView) -> PairView:
    """Return *view* without places where the target's loss is exactly 0: another finding tells of them."""
    zero = (view.paired.target == 0) & (view.paired.golden != 0)
    if not zero.any():
        return view
    target = np.where(zero, np.nan, view.paired.target)
    return replace(view, paired=replace(view.paired, target=target))


def _phases(context: Context, view: PairView) -> Iterator[CurveFinding]:
    """Yield a phase whose mean is over the limit although no stretch of steps stands out."""
    for phase in phases_of(context, view):
        if phase.judgement is Judgement.FAIL:
            inside = (view.steps >= phase.span.first_step) & view.over
            yield told(
                f"curves.phase.{phase.phase.value}",
                FindingName.OVER_LIMIT,
                Weight.FAULT,
                step=int(view.steps[np.argmax(inside)]),
                last_step=phase.span.last_step,
                mean=phase.span.mean_relative,
            )
            return


__all__ = ["JUDGED", "CurveOptions", "judge_alone", "judge_curves"]
