"""What to dump next: the step and the direction in which the operator behind a finding runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.curves.judgement.context import Context
from core.records.curves import Axis, CurveFinding, DumpAdvice, FindingName, LoggedRun, RunKind
from core.records.series import Series
from core.records.training import Weight

_IN_THE_MODEL = (
    FindingName.NOT_FINITE,
    FindingName.ZERO_LOSS,
    FindingName.HUGE_LOSS,
    FindingName.CONSTANT,
    FindingName.CONSTANT_RATIO,
    FindingName.FIRST_STEP,
    FindingName.OVER_LIMIT,
    FindingName.OUTSIDE_BAND,
    FindingName.SPIKE,
    FindingName.DRIFT,
    FindingName.SCALE_COLLAPSE,
)
"""Findings behind which an operator can be."""
_LASTING = (FindingName.OVER_LIMIT, FindingName.OUTSIDE_BAND)
_NEAR = 3
"""Steps before the loss within which a difference of the gradient norm is its cause."""


class _Located(NamedTuple):
    name: FindingName
    step: int


def advice_of(context: Context, findings: Sequence[CurveFinding]) -> tuple[DumpAdvice, ...]:
    """Return what to dump, the earliest first; empty where no operator is behind the findings.

    The loss of a step is made by its forward pass, from weights that the backward pass of the step before
    changed. So a first step that is wrong asks for its forward pass, any later one for the backward pass of
    the step before and its own forward pass; a gradient norm that is wrong first asks for its backward pass.
    """
    faults = [
        _Located(item.name, item.step) for item in findings
        if item.weight is Weight.FAULT and item.name in _IN_THE_MODEL and item.step is not None
    ]  # fmt: skip
    if not faults or context.target.axis is Axis.EPOCH:
        return ()
    # after a spike, or a single step, what lasts has a cause of its own
    lasting = [item.step for item in faults if item.name in _LASTING]
    first = min(item.step for item in faults)
    told = (_of_step(context, findings, step) for step in dict.fromkeys((first, *lasting[:1])))
    return tuple(dict.fromkeys(advice for part in told for advice in part))


def _of_step(context: Context, findings: Sequence[CurveFinding], bad: int) -> tuple[DumpAdvice, ...]:
    """Return what to dump for a fault that begins at step *bad*."""
    run, begin = context.target, context.target.first_step
    if any(item.name is FindingName.SCALE_COLLAPSE and item.step == bad for item in findings):
        return (_advice(run, bad, forward=True, backward=True),)
    norms = [
        item.step for item in findings
        if item.series == Series.GRAD_NORM and item.step is not None and item.weight is not Weight.NOTE
    ]  # fmt: skip
    if norms and bad - _NEAR * context.alignment.target_interval <= min(norms) < bad:
        return (_advice(run, min(norms), backward=True), _advice(run, bad, forward=True))
    if bad <= begin:
        return (_advice(run, begin, forward=True),)
    return (_advice(run, _step_before(run, bad), backward=True), _advice(run, bad, forward=True))


def _advice(run: LoggedRun, step: int, forward: bool = False, backward: bool = False) -> DumpAdvice:
    """Return the advice; the steps of a dump are msprobe's own, those of a log begin where msprobe has 0."""
    offset = 0 if run.kind is RunKind.DUMP else run.first_step
    counted = run.axis is Axis.COUNT
    return DumpAdvice(step, step - offset, forward, backward, counted)


def _step_before(run: LoggedRun, step: int) -> int:
    """Return the step before *step*: with a log of every tenth step it is not in the log."""
    first = run.first_step
    steps = run.curves[Series.LOSS].steps if Series.LOSS in run.curves else np.array([first])
    return max(step - 1, min(first, int(steps[0])))
