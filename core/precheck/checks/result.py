"""The loss of the first step: the last thing to look at before the runs are compared in earnest."""

from __future__ import annotations

import math

import numpy as np

from core.curves.alignment import align, pair
from core.curves.deviation import relative_deviation
from core.curves.limits import shipped_limits
from core.curves.numbering import numbered_alike
from core.messages import Message, Parameter
from core.precheck.checks.logs import loss_log
from core.precheck.checks.missing import without_logs
from core.precheck.checks.numbers import percent, spelt
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.curves import LoggedRun
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series


def first_loss(both: Pair) -> Finding:
    """Check that the losses of the first common step differ by no more than the curves may.

    By the logs of both sides; without them by the loss that the first dumped step of both gives out.
    """
    logs = [loss_log(side) for side in (both.target, both.golden)]
    if logs[0] is not None and logs[1] is not None:
        return _by_logs(logs[0], logs[1])
    facts = both.dumps
    if facts is not None and facts.target_loss is not None and facts.golden_loss is not None:
        step = facts.target_cell.step
        found = _judged(step, facts.target_loss, facts.golden_loss, None, None)
        return Finding(
            found.result,
            found.message,
            found.items,
            (Message("precheck.result.first_loss.of_dumps"),),
            (facts.target_path,),
            (facts.golden_path,),
        )
    return without_logs(target=logs[0] is not None, golden=logs[1] is not None)


def _by_logs(target: LoggedRun, golden: LoggedRun) -> Finding:
    limits = shipped_limits()
    target, golden, _ = numbered_alike(target, golden, limits)
    paired = pair(target, golden, Series.LOSS, align(target, golden, limits))
    if paired is None:
        return not_done(Message("precheck.result.first_loss.nothing_common"))
    values = float(paired.target[0]), float(paired.golden[0])
    return _judged(int(paired.steps[0]), *values, Place(target.path), Place(golden.path))


def _judged(step: int, target: float, golden: float, ours: Place | None, theirs: Place | None) -> Finding:
    limit = shipped_limits().limit
    apart = abs(float(relative_deviation(np.array([target]), np.array([golden]))[0]))
    words: dict[str, Parameter] = {
        "step": step,
        "target": spelt(target),
        "golden": spelt(golden),
        "limit": percent(limit),
    }
    fine = math.isfinite(target) and math.isfinite(golden) and apart <= limit
    if fine:
        message = Message("precheck.result.first_loss.pass", {"error": percent(apart), **words})
    elif math.isfinite(apart) and math.isfinite(target) and math.isfinite(golden):
        message = Message("precheck.result.first_loss.fail", {"error": percent(apart), **words})
    else:
        message = Message("precheck.result.first_loss.not_finite", words)
    standing = Standing.EQUAL if target == golden else Standing.REMARK if fine else Standing.DIFFERS
    item = Item(Series.LOSS, spelt(target), spelt(golden), standing, ours, theirs)
    return Finding(Outcome.PASS if fine else Outcome.FAIL, message, (item,))
