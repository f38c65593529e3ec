"""Values that are no loss: NaN and Inf, missing ones, exact zeros, constants, explosions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.judgement.context import Context, PairView
from core.curves.judgement.telling import told
from core.curves.limits import CurveLimits
from core.records.columns import Float64, Int64
from core.records.curves import Curve, CurveFinding, FindingName, LoggedRun
from core.records.series import Series
from core.records.training import Weight


def broken_findings(context: Context) -> Iterator[CurveFinding]:
    """Yield what is broken in the loss, and in the gradient norm beside it."""
    loss = context.pair(Series.LOSS)
    if loss is not None:
        yield from _not_finite(loss)
        zero = _zero(context, loss)
        if zero is not None:
            yield zero
        else:
            yield from _constant(loss)
        yield from _huge(loss)
    yield from _missing(context)
    norm = context.pair(Series.GRAD_NORM)
    if norm is not None:
        yield from _norm(norm)


def broken_alone(run: LoggedRun, limits: CurveLimits) -> Iterator[CurveFinding]:
    """Yield what is broken in the loss of one run, without a golden to lay it on."""
    loss = run.curves.get(Series.LOSS)
    if loss is None or not len(loss.steps):
        return
    broken = np.flatnonzero(~np.isfinite(loss.values))
    if len(broken):
        every = len(broken) == len(loss.steps)
        yield told(
            "curves.not_finite.every" if every else "curves.not_finite",
            FindingName.NOT_FINITE,
            Weight.FAULT,
            step=int(loss.steps[broken[0]]),
            last_step=int(loss.steps[broken[-1]]),
            count=len(broken),
            value=_spelt(loss.values[broken[0]]),
        )
    zero = loss.values == 0
    if zero.any():
        yield _zeros(run, loss.steps[zero])
        return
    length = _tail_without_change(loss.values)
    if length >= limits.constant_records:
        yield _held(Series.LOSS, int(loss.steps[-length]), length, float(loss.values[-1]))


def _not_finite(view: PairView) -> Iterator[CurveFinding]:
    target, golden = ~np.isfinite(view.paired.target), ~np.isfinite(view.paired.golden)
    steps = view.steps
    alone = target & ~golden
    if alone.any():
        count, first = int(alone.sum()), int(np.argmax(alone))
        every = count == len(steps)
        code = "curves.not_finite.every" if every else "curves.not_finite"
        yield told(
            code,
            FindingName.NOT_FINITE,
            Weight.FAULT,
            step=int(steps[first]),
            last_step=int(steps[np.flatnonzero(alone)[-1]]),
            count=count,
            value=_spelt(view.paired.target[first]),
        )
    theirs, both = golden & ~target, golden & target
    for places, code, weight in (
        (theirs, "curves.golden_broken", Weight.FAULT),
        (both, "curves.both_broken", Weight.WARNING),
    ):
        if places.any():
            step, count = int(steps[np.argmax(places)]), int(places.sum())
            yield told(code, FindingName.GOLDEN_BROKEN, weight, step=step, count=count)


def _spelt(value: float) -> str:
    return "NaN" if value != value else "Inf" if value > 0 else "−Inf"


def _zero(context: Context, view: PairView) -> CurveFinding | None:
    """Return that the loss is exactly 0 where the golden's is not."""
    zero = (view.paired.target == 0) & np.isfinite(view.paired.golden) & (view.paired.golden != 0)
    return _zeros(context.target, view.steps[zero]) if zero.any() else None


def _zeros(run: LoggedRun, steps: Int64) -> CurveFinding:
    norm = run.curves.get(Series.GRAD_NORM)
    broken = norm is not None and not np.isfinite(_at(norm, steps)).all()
    code = "curves.zero_loss.with_norm" if broken else "curves.zero_loss"
    first, last = int(steps[0]), int(steps[-1])
    return told(code, FindingName.ZERO_LOSS, Weight.FAULT, step=first, last_step=last, count=len(steps))


def _at(curve: Curve, steps: Int64) -> Float64:
    """Return the values of *curve* at those of *steps* that it has."""
    return curve.values[np.isin(curve.steps, steps)]


def _constant(view: PairView) -> Iterator[CurveFinding]:
    length = _tail_without_change(view.paired.target)
    theirs = _tail_without_change(view.paired.golden)
    count, value = len(view.steps), float(view.paired.golden[-1])
    if length == theirs == count >= view.limits.constant_records:
        weight = Weight.FAULT if value == 0 else Weight.WARNING
        first = int(view.steps[0])
        yield told("curves.constant.both", FindingName.CONSTANT, weight, step=first, count=count, value=value)
        return
    if length < view.limits.constant_records or theirs >= length:
        return
    yield _held(view.name, int(view.steps[-length]), length, float(view.paired.target[-1]))


def _held(name: str, step: int, length: int, value: float) -> CurveFinding:
    return told(
        "curves.constant",
        FindingName.CONSTANT,
        Weight.FAULT,
        step=step,
        series=name,
        count=length,
        value=value,
    )


def _tail_without_change(values: Float64) -> int:
    """Return how many values at the end are the same finite number."""
    if not len(values) or not np.isfinite(values[-1]):
        return 0
    changed = np.flatnonzero(values != values[-1])
    return len(values) - (int(changed[-1]) + 1 if len(changed) else 0)


def _huge(view: PairView) -> Iterator[CurveFinding]:
    known = view.finite
    if not known.any():
        return
    most = float(np.abs(view.paired.golden[known]).max())
    huge = known & (np.abs(view.paired.target) >= view.limits.huge_factor * most) & (most > 0)
    if huge.any():
        first = int(np.argmax(huge))
        largest = float(view.paired.target[huge][np.argmax(np.abs(view.paired.target[huge]))])
        yield told(
            "curves.huge_loss",
            FindingName.HUGE_LOSS,
            Weight.FAULT,
            step=int(view.steps[first]),
            count=int(huge.sum()),
            largest=largest,
            most=most,
        )


def _missing(context: Context) -> Iterator[CurveFinding]:
    """Yield steps of the target's log that have no loss where the golden's has one."""
    target, golden, how = context.target, context.golden, context.alignment
    if Series.LOSS not in golden.curves:
        return
    if Series.LOSS not in target.curves:
        yield told("curves.missing.all", FindingName.MISSING, Weight.FAULT, step=target.first_step)
        return
    if target.axis is not golden.axis or how.axis is not target.axis or how.averaged:
        return
    own, theirs = target.curves[Series.LOSS].steps, golden.curves[Series.LOSS].steps - how.shift
    logged = _all_steps(target)
    without = np.setdiff1d(logged, own, assume_unique=True)
    missing = np.intersect1d(without, theirs, assume_unique=True)
    if len(missing):
        yield told(
            "curves.missing",
            FindingName.MISSING,
            Weight.WARNING,
            step=int(missing[0]),
            last_step=int(missing[-1]),
            count=len(missing),
        )
    if how.target_interval == how.golden_interval and len(logged):
        yield from _coverage(logged, theirs)


def _coverage(logged: Int64, theirs: Int64) -> Iterator[CurveFinding]:
    """Yield that the target's log lacks whole steps of the golden's between its first and its last one."""
    wanted = theirs[(theirs >= logged[0]) & (theirs <= logged[-1])]
    gone = np.setdiff1d(wanted, logged, assume_unique=True)
    if len(gone):
        yield told(
            "curves.coverage",
            FindingName.COVERAGE,
            Weight.WARNING,
            step=int(gone[0]),
            last_step=int(gone[-1]),
            count=len(gone),
            steps=len(wanted),
            share=len(gone) / len(wanted),
        )


def _all_steps(run: LoggedRun) -> Int64:
    """Return the steps at which *run* logs what it logs every step: its gradient norm or learning rate."""
    for name in (Series.GRAD_NORM, Series.LEARNING_RATE, Series.LOSS_SCALE):
        if name in run.curves:
            return run.curves[name].steps
    return run.curves[Series.LOSS].steps


def _norm(view: PairView) -> Iterator[CurveFinding]:
    target, golden = ~np.isfinite(view.paired.target), ~np.isfinite(view.paired.golden)
    alone = target & ~golden
    if alone.any():
        yield told(
            "curves.not_finite.norm",
            FindingName.NOT_FINITE,
            Weight.WARNING,
            step=int(view.steps[np.argmax(alone)]),
            series=view.name,
            count=int(alone.sum()),
        )
    length = len(view.steps)
    if length < view.limits.constant_records or _tail_without_change(view.paired.target) < length:
        return
    same = _tail_without_change(view.paired.golden) == length
    yield told(
        "curves.constant.norm_of_both" if same else "curves.constant.norm",
        FindingName.CONSTANT,
        Weight.NOTE if same else Weight.WARNING,
        series=view.name,
        count=length,
        value=float(view.paired.target[0]),
    )
