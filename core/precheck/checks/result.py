"""The loss of the first step: the last thing to look at before the runs are compared in earnest."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.curves.alignment import pair
from core.curves.deviation import relative_deviation
from core.curves.limits import shipped_limits
from core.messages import Message, Parameter
from core.precheck.checks.dumped_steps import first_dumped
from core.precheck.checks.logs import beside, laid_by_steps, loss_log, unseen
from core.precheck.checks.missing import without_logs
from core.precheck.checks.numbers import percent, spelt
from core.precheck.dumps.facts import DumpFacts
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.curves import Axis, LoggedRun
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series


def first_loss(both: Pair) -> Finding:
    """Check that the losses of the first common step differ by no more than the curves may.

    By the logs of both sides; without them by the loss that the first dumped step of both gives out.
    """
    logs = [loss_log(side) for side in (both.target, both.golden)]
    if logs[0] is not None and logs[1] is not None:
        return replace(_by_logs(logs[0], logs[1]), remarks=unseen(both, logs[0], logs[1]))
    facts = both.dumps
    if facts is not None and facts.target_loss is not None and facts.golden_loss is not None:
        found = _by_dumps(facts, facts.target_loss, facts.golden_loss)
        return replace(found, target_files=(facts.target_path,), golden_files=(facts.golden_path,))
    return without_logs(target=logs[0] is not None, golden=logs[1] is not None)


def _by_dumps(facts: DumpFacts, target: float, golden: float) -> Finding:
    cells = facts.target_cell, facts.golden_cell
    found = _judged((cells[0].step, cells[1].step), (target, golden), (None, None))
    remarks = (Message("precheck.result.first_loss.of_dumps"),)
    firsts = first_dumped(facts.target_path, cells[0]), first_dumped(facts.golden_path, cells[1])
    if found.result is Outcome.PASS and firsts != (cells[0].step, cells[0].step):
        words = {"step": cells[0].step}
        return Finding(
            Outcome.NOT_DONE, Message("precheck.result.first_loss.late_dumps", words), found.items, remarks
        )
    return replace(found, remarks=remarks)


def _by_logs(target: LoggedRun, golden: LoggedRun) -> Finding:
    target, golden, how = laid_by_steps(target, golden)
    paired = pair(target, golden, Series.LOSS, how)
    if paired is None:
        return not_done(Message("precheck.result.first_loss.nothing_common"))
    step = int(paired.steps[0])
    steps, values = (step, step + how.shift), (float(paired.target[0]), float(paired.golden[0]))
    found = _judged(steps, values, (Place(target.path), Place(golden.path)))
    begins = [int(run.curves[Series.LOSS].steps[0]) for run in (target, golden)]
    before = min(begins[0] + how.shift - how.target_interval, begins[1] - how.golden_interval)
    late = steps[1] - max(how.target_interval, how.golden_interval) > before
    if how.axis is Axis.STEP and late and found.result is Outcome.PASS:
        facts = {"step": step, "target": begins[0], "golden": begins[1]}
        return replace(
            found, result=Outcome.NOT_DONE, message=Message("precheck.result.first_loss.late", facts)
        )
    return found


def _judged(
    steps: tuple[int, int], values: tuple[float, float], places: tuple[Place | None, Place | None]
) -> Finding:
    """Return what the losses of both sides come to; *steps* are those of both, *places* where they stand."""
    (step, golden_step), (target, golden) = steps, values
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
        message = Message("precheck.result.first_loss.pass", {"error": percent(apart, limit), **words})
    elif math.isfinite(target) and math.isfinite(golden):
        message = Message("precheck.result.first_loss.fail", {"error": percent(apart, limit), **words})
    else:
        message = Message("precheck.result.first_loss.not_finite", words)
    standing = Standing.EQUAL if target == golden else Standing.REMARK if fine else Standing.DIFFERS
    item = Item(Series.LOSS, spelt(target), spelt(golden), standing, *places, beside(step, golden_step))
    return Finding(Outcome.PASS if fine else Outcome.FAIL, message, (item,))
