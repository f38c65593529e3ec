"""The learning rate at every step: as the logs print it, else as the settings make it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.curves.alignment import align, pair
from core.curves.judgement.context import Context, PairView
from core.curves.judgement.setup import learning_rate
from core.curves.limits import CurveLimits, shipped_limits
from core.messages import Message
from core.precheck.checks.logs import beside, laid_by_steps, unseen
from core.precheck.checks.missing import lacking
from core.precheck.checks.setting_items import Cell, item_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.settings.schedule import Schedule, rates, schedule_of
from core.records.columns import Int64
from core.records.curves import Axis, Curve, CurveFinding, LoggedRun, Paired, RunKind
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series
from core.records.training import Weight

_MOST_STEPS = 100_000
"""Steps at which two schedules are compared; longer ones at evenly spread steps."""
_SIDES = ("target", "golden")


@dataclass(frozen=True)
class _Compared:
    """Two learning rates over common steps."""

    finding: CurveFinding | None
    paired: Paired
    shift: int
    """Steps to be added to the target's."""


def learning_rate_curve(sides: Pair) -> Finding:
    """Compare the learning rate at every step, and each log with what its own settings make.

    The logs decide where both print it; else a log is compared with the other side's settings, and
    settings with settings. That a log does not follow its own settings is a remark.
    """
    both = (sides.target, sides.golden)
    logs = [_log(side) for side in both]
    schedules = [schedule_of(side.configuration) for side in both]
    remarks = tuple(
        remark
        for name, log, schedule in zip(_SIDES, logs, schedules)
        if (remark := _against_own(name, log, schedule)) is not None
    )
    remarks += unseen(sides, logs[0], logs[1])
    runs = [log or _of_schedule(schedule, _steps(logs, schedules)) for log, schedule in zip(logs, schedules)]
    first, second = runs
    if first is None or second is None:
        there = [run is not None for run in runs]
        message = Message(f"precheck.hyper_parameters.learning_rate_curve.missing.{lacking(*there)}")
        return Finding(Outcome.NOT_DONE, message, remarks=remarks)
    if sum(log is not None for log in logs) == 1 and Axis.STEP not in (log.axis for log in logs if log):
        message = Message("precheck.hyper_parameters.learning_rate_curve.unnumbered")
        return Finding(Outcome.NOT_DONE, message, remarks=remarks)
    made = _compared(first, second)
    if made is None:
        message = Message("precheck.hyper_parameters.learning_rate_curve.apart")
        return Finding(Outcome.NOT_DONE, message, remarks=remarks)
    how = "printed" if all(logs) else "mixed" if any(logs) else "settings"
    return _told(made, first, second, how, remarks)


def _told(
    made: _Compared, first: LoggedRun, second: LoggedRun, how: str, remarks: tuple[Message, ...]
) -> Finding:
    found = made.finding
    remarks = (*remarks, Message(f"precheck.hyper_parameters.learning_rate_curve.by.{how}"))
    if found is not None and found.weight is not Weight.NOTE:
        step = found.step if found.step is not None else int(made.paired.steps[0])
        at = int(np.argmax(made.paired.steps == step))
        items = (_item(made, at, first, second, Standing.DIFFERS),)
        return Finding(Outcome.FAIL, found.message, items, remarks)
    if found is not None:
        remarks = (found.message, *remarks)
    ends = dict.fromkeys((0, len(made.paired.steps) - 1))
    standing = Standing.REMARK if found is not None else Standing.EQUAL
    message = Message("precheck.hyper_parameters.learning_rate_curve.pass", {"count": len(made.paired.steps)})
    return Finding(Outcome.PASS, message, [_item(made, at, first, second, standing) for at in ends], remarks)


def _item(made: _Compared, at: int, first: LoggedRun, second: LoggedRun, standing: Standing) -> Item:
    paired = made.paired
    cells = [
        Cell(f"{values[at]:.10g}", Place(run.path) if run.path else None)
        for values, run in ((paired.target, first), (paired.golden, second))
    ]
    step = int(paired.steps[at])
    return item_of(f"step {step}", cells, standing, beside(step, step + made.shift))


def _log(side: Side) -> LoggedRun | None:
    """Return the first log of *side* that prints the learning rate."""
    for run in side.logs():
        curve = run.curves.get(Series.LEARNING_RATE)
        if curve is not None and np.isfinite(curve.values).any():
            return run
    return None


def _steps(logs: list[LoggedRun | None], schedules: list[Schedule | None]) -> Int64:
    """Return the steps at which settings are worked out: the other side's, else all of the schedules."""
    for run in logs:
        if run is not None:
            return run.curves[Series.LEARNING_RATE].steps
    ends = (schedule.total or schedule.warm_up or 1 for schedule in schedules if schedule)
    last = math.ceil(max(ends, default=1))
    return np.unique(np.linspace(1, max(last, 1), min(max(last, 1), _MOST_STEPS)).round().astype(np.int64))


def _of_schedule(schedule: Schedule | None, steps: Int64) -> LoggedRun | None:
    """Return what a log of *schedule* would print."""
    if schedule is None:
        return None
    curves: dict[str, Curve] = {Series.LEARNING_RATE: Curve(steps, rates(schedule, steps))}
    return LoggedRun("", RunKind.LOG, (), Axis.STEP, curves, (), (), 0, 0, ())


def _against_own(name: str, log: LoggedRun | None, schedule: Schedule | None) -> Message | None:
    """Return where *log* does not print what its own settings make."""
    if log is None or schedule is None or log.axis is not Axis.STEP:
        return None
    made = _of_schedule(schedule, log.curves[Series.LEARNING_RATE].steps)
    compared = _compared(log, made) if made is not None else None
    if compared is None or compared.finding is None or compared.finding.weight is Weight.NOTE:
        return None
    step = compared.finding.step or 0
    at = int(np.argmax(compared.paired.steps == step))
    return Message(
        f"precheck.hyper_parameters.learning_rate_curve.own.{name}",
        {
            "step": step,
            "printed": float(compared.paired.target[at]),
            "made": float(compared.paired.golden[at]),
        },
    )


def _compared(target: LoggedRun, golden: LoggedRun) -> _Compared | None:
    """Lay two learning rates on each other; ``None`` without a common step, or for one without numbers."""
    limits: CurveLimits = shipped_limits()
    both_logs = bool(target.path and golden.path)
    if both_logs:
        target, golden, alignment = laid_by_steps(target, golden)
    else:
        alignment = align(target, golden, limits, 0)
    paired = pair(target, golden, Series.LEARNING_RATE, alignment)
    if paired is None or (alignment.axis is Axis.COUNT and len(paired.steps) < 2):
        return None
    view = PairView(Series.LEARNING_RATE, paired, limits)
    context = Context(target, golden, alignment, {Series.LEARNING_RATE: view}, limits)
    found = learning_rate(context, (bool(target.path), bool(golden.path)))
    return _Compared(next(found, None), paired, alignment.shift)
