"""Logs without step numbers beside others: every how many steps does such a log have a record?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.curves.alignment import fit
from core.curves.limits import CurveLimits
from core.records.curves import Axis, Curve, LoggedRun
from core.records.series import Series

_INTERVALS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 100, 128, 200, 250, 256, 500, 1000)
"""What people set as a logging interval."""
_SHARES = (0.5, 0.2)
"""Parts of the records that must agree: most of them may be wrong, which is what one looks for."""
_CLOSE = 0.02
"""Relative distance up to which a ratio of epochs is a whole number."""


def numbered_alike(
    target: LoggedRun, golden: LoggedRun, limits: CurveLimits
) -> tuple[LoggedRun, LoggedRun, Mapping[str, int]]:
    """Return both runs, with steps for one whose records were counted, and the intervals that were found.

    The interval is told by the epochs of both, else by what makes their losses agree: it must bring the
    typical difference below the limit and make it at least ``offset_gain`` times smaller than counting each
    record as a step.
    """
    found: dict[str, int] = {}
    runs = {"target": target, "golden": golden}
    for side, other in (("target", "golden"), ("golden", "target")):
        if runs[side].axis is Axis.COUNT and runs[other].axis in (Axis.COUNT, Axis.STEP) and not found:
            interval = _by_epochs(runs[side], runs[other]) or _by_losses(runs[side], runs[other], limits)
            if interval > 1:
                found[side] = interval
                runs = {name: _as_steps(run, found.get(name, 1)) for name, run in runs.items()}
    return runs["target"], runs["golden"], found


def _as_steps(run: LoggedRun, interval: int) -> LoggedRun:
    """Return *run* with a step for each record, *interval* apart."""
    if run.axis is Axis.STEP:
        return run
    curves = {name: Curve(curve.steps * interval, curve.values) for name, curve in run.curves.items()}
    resumes = tuple(resume._replace(step=resume.step * interval) for resume in run.resumes)
    return replace(run, axis=Axis.STEP, curves=curves, resumes=resumes)


def _by_epochs(run: LoggedRun, other: LoggedRun) -> int:
    """Return how many steps of *other* an epoch has for each record of *run*; 0 if that is not known."""
    rates = [_per_epoch(each) for each in (run, other)]
    if not all(rates):
        return 0
    ratio = rates[1] / rates[0]
    return round(ratio) if ratio > 0.5 and abs(ratio - round(ratio)) <= _CLOSE * ratio else 0


def _per_epoch(run: LoggedRun) -> float:
    """Return the records, or steps, an epoch; 0 where the log does not show it."""
    epochs = run.curves.get(Series.EPOCH)
    if epochs is None or len(epochs.steps) < 2:
        return 0.0
    grown = epochs.values[-1] - epochs.values[0]
    return float((epochs.steps[-1] - epochs.steps[0]) / grown) if grown > 0 else 0.0


def _by_losses(run: LoggedRun, other: LoggedRun, limits: CurveLimits) -> int:
    """Return the interval that makes the losses agree; 1 where none does."""
    if Series.LOSS not in run.curves or Series.LOSS not in other.curves:
        return 1
    numbered = _as_steps(other, 1)
    for share in _SHARES:
        apart = {interval: fit(_as_steps(run, interval), numbered, limits, share) for interval in _INTERVALS}
        best = min(apart, key=lambda interval: (apart[interval], interval))
        if apart[best] <= limits.limit and limits.offset_gain * apart[best] < apart[1]:
            return best
    return 1
