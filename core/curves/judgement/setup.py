"""Settings that the logs show: learning rate and batch size. They are named before any loss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.curves.deviation import relative_deviation
from core.curves.judgement.context import Context
from core.curves.judgement.scaling import overflows_of
from core.curves.judgement.telling import told
from core.records.columns import Float64
from core.records.curves import Axis, CurveFinding, FindingName
from core.records.series import Series
from core.records.training import Weight

_ROUNDED = 1e-3
"""Relative difference of learning rates that printing with four digits may make."""


_LEAST_LATE = 3


def setup_findings(context: Context) -> Iterator[CurveFinding]:
    """Yield that learning rates or batch sizes differ."""
    yield from _batch(context)
    view = context.pair(Series.LEARNING_RATE)
    if view is None or (context.alignment.axis is Axis.COUNT and len(view.steps) < 2):
        return
    paired = view.paired
    apart = np.abs(relative_deviation(paired.target, paired.golden)) > _ROUNDED
    apart &= np.abs(paired.target - paired.golden) > paired.rounding
    if not apart.any():
        return
    first = int(np.argmax(apart))
    step = int(view.steps[first])
    ratio = _ratio(view.paired.target, view.paired.golden)
    weight, code = Weight.FAULT, "curves.learning_rate.ratio" if ratio is not None else "curves.learning_rate"
    if _is_late(view.paired.target, view.paired.golden):
        weight, code = Weight.NOTE, "curves.learning_rate.late"
    elif (skipped := overflows_of(context.target).steps).size and skipped[0] <= step:
        # the schedule waits for skipped steps: what follows from them is no setting
        weight, code = Weight.WARNING, "curves.learning_rate.after_skips"
    yield told(
        code,
        FindingName.LEARNING_RATE,
        weight,
        step=step,
        series=view.name,
        count=int(apart.sum()),
        steps=len(apart),
        target=float(view.paired.target[first]),
        golden=float(view.paired.golden[first]),
        ratio=ratio if ratio is not None else 0.0,
    )


def _ratio(target: Float64, golden: Float64) -> float | None:
    """Return the ratio of the rates where it is the same at every step."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = target / golden
    ratios = ratios[~np.isnan(ratios)]
    if not len(ratios) or not np.isfinite(ratios).all():
        return None
    ratio = float(np.median(ratios))
    steady = float(np.abs(ratios - ratio).max()) <= _ROUNDED * abs(ratio)
    return ratio if ratio and steady else None


def _is_late(target: Float64, golden: Float64) -> bool:
    """Whether one log prints the rate of the step before, or after: trainers do both."""
    if len(target) < _LEAST_LATE:
        return False
    tried = ((target[1:], golden[:-1]), (target[:-1], golden[1:]))
    return any(bool((np.abs(relative_deviation(*pair)) <= _ROUNDED).all()) for pair in tried)


def _batch(context: Context) -> Iterator[CurveFinding]:
    sizes = []
    for run in (context.target, context.golden):
        batch = run.curves.get(Series.GLOBAL_BATCH)
        sizes.append(float(batch.values[0]) if batch is not None and len(batch.values) else 0.0)
    if all(sizes) and sizes[0] != sizes[1]:
        yield told(
            "curves.batch_size",
            FindingName.BATCH_SIZE,
            Weight.WARNING,
            series=Series.GLOBAL_BATCH,
            target=sizes[0],
            golden=sizes[1],
        )
