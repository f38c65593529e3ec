"""The training logs of a side, as the checks need them."""

from __future__ import annotations

from core.curves.alignment import align
from core.curves.limits import shipped_limits
from core.curves.numbering import numbered_alike
from core.messages import Message
from core.precheck.pair import Pair, Side
from core.records.curves import Alignment, Axis, LoggedRun
from core.records.evidence import EvidenceKind
from core.records.series import Series

LEAST_STEPS = 10
"""Steps of a log without which it tells nothing of how a training goes."""


def main_log(side: Side, kind: EvidenceKind = EvidenceKind.LOG) -> LoggedRun | None:
    """Return the log that counts: the first with a loss, else the first; ``None`` without one."""
    logs = side.logs(kind)
    return next((log for log in logs if Series.LOSS in log.curves), logs[0] if logs else None)


def loss_log(side: Side, kind: EvidenceKind = EvidenceKind.LOG) -> LoggedRun | None:
    """Return the first log with a loss, ``None`` without one."""
    log = main_log(side, kind)
    return log if log is not None and Series.LOSS in log.curves else None


def laid_by_steps(target: LoggedRun, golden: LoggedRun) -> tuple[LoggedRun, LoggedRun, Alignment]:
    """Return both logs, a counted one numbered as the other one is, and how the first lies on the second.

    By steps where both number them, whatever else they count: a first step, or a learning rate, belongs to
    a step and not to so many samples.
    """
    limits = shipped_limits()
    target, golden, _ = numbered_alike(target, golden, limits)
    axis = Axis.STEP if target.axis is golden.axis is Axis.STEP else None
    return target, golden, align(target, golden, limits, axis=axis)


def beside(step: int, golden_step: int) -> Message | None:
    """Return which steps lie on each other, ``None`` where both sides number them alike."""
    if step == golden_step:
        return None
    return Message("precheck.step.laid", {"target": step, "golden": golden_step})


def unseen(pair: Pair, target: LoggedRun | None, golden: LoggedRun | None) -> tuple[Message, ...]:
    """Return that a side has further logs than the one that was looked at."""
    told = []
    for name, side, log in (("target", pair.target, target), ("golden", pair.golden, golden)):
        count = len({run.path for run in side.logs()}) - 1
        if log is not None and count > 0:
            told.append(Message(f"precheck.logs.unseen.{name}", {"path": log.path, "count": count}))
    return tuple(told)
