"""What to dump next: the step and the direction in which the operator behind a finding runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.curves.judgement.context import Context
from core.records.curves import Axis, CurveFinding, DumpAdvice, FindingName, LoggedRun
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
_NEAR = 3
"""Steps before the loss within which a difference of the gradient norm is its cause."""


def advice_of(context: Context, findings: Sequence[CurveFinding]) -> tuple[DumpAdvice, ...]:
    """Return what to dump, the most telling first; empty where no operator is behind the findings.

    The loss of a step is made by its forward pass, from weights that the backward pass of the step before
    changed. So a first step that is wrong asks for its forward pass, any later one for the backward pass of
    the step before and its own forward pass; a gradient norm that is wrong first asks for its backward pass.
    """
    faults = [
        item for item in findings
        if item.weight is Weight.FAULT and item.name in _IN_THE_MODEL and item.step is not None
    ]  # fmt: skip
    if not faults or context.target.axis is Axis.EPOCH:
        return ()
    bad = min(item.step for item in faults if item.step is not None)
    run = context.target
    begin = run.first_step
    norms = [
        item.step for item in findings
        if item.series == Series.GRAD_NORM and item.step is not None and item.weight is not Weight.NOTE
    ]  # fmt: skip
    if any(item.name is FindingName.SCALE_COLLAPSE and item.step == bad for item in faults):
        return (_advice(bad, begin, forward=True, backward=True),)
    if norms and bad - _NEAR * context.alignment.target_interval <= min(norms) < bad:
        return (_advice(min(norms), begin, backward=True), _advice(bad, begin, forward=True))
    if bad <= begin:
        return (_advice(begin, begin, forward=True),)
    before = _step_before(run, bad)
    return (_advice(before, begin, backward=True), _advice(bad, begin, forward=True))


def _advice(step: int, begin: int, forward: bool = False, backward: bool = False) -> DumpAdvice:
    return DumpAdvice(step, step - begin, forward, backward)


def _step_before(run: LoggedRun, step: int) -> int:
    """Return the step before *step*: with a log of every tenth step it is not in the log."""
    first = run.first_step
    steps = run.curves[Series.LOSS].steps if Series.LOSS in run.curves else np.array([first])
    return max(step - 1, min(first, int(steps[0])))
