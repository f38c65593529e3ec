"""Whether the golden is fit to be a reference: it repeats, its formats are sound, it seldom overflows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.curves.band import distinct_repeats
from core.curves.engine import judge_curves
from core.curves.sameness import is_one_run
from core.errors import InputError
from core.messages import Message, Parameter
from core.overflow.training.history import judged_by, overflow_history
from core.overflow.training.limits import shipped_limits
from core.precheck.checks.logs import LEAST_STEPS, loss_log, main_log, unseen
from core.precheck.checks.missing import without_logs
from core.precheck.checks.numbers import percent, spelt
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.progress import Progress, Work
from core.records.curves import CurvesReport, LoggedRun, Phase
from core.records.evidence import EvidenceKind, Place
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series
from core.records.training import Judgement, TrainingOverflow

_LEAST_RUNS = 3
"""Runs of the golden that must agree; the number is that of Ascend's guides."""
_FINAL_SHARE = 0.02
"""Part of a log whose mean is its final loss, so that one batch does not decide. An assumption."""


def repeatable(pair: Pair) -> Work[Finding]:
    """Check that runs of the golden lie within the noise that the others of them show.

    Each of at least three different logs is judged like a target: by the band that the others span, and by
    its final loss. Logs that hold the same numbers in all that they log are one, also where one is cut or
    counts its steps otherwise; the target's is none of the golden's runs.
    """
    runs = _golden_runs(pair.golden)
    if not runs:
        return not_done(Message("precheck.reference.repeatable.none"))
    kept, doubled = distinct_repeats(loss_log(pair.target) or runs[0], runs[0], runs[1:])
    runs = [runs[0], *kept]
    remarks = tuple(Message("precheck.reference.repeatable.doubled", {"path": run.path}) for run in doubled)
    if len(runs) < _LEAST_RUNS:
        few = Message("precheck.reference.repeatable.few", {"count": len(runs)})
        return Finding(Outcome.NOT_DONE, few, (), remarks, (), tuple(run.path for run in runs))
    items, failed, final = [], [], []
    for number, run in enumerate(runs):
        yield Progress(number, len(runs), Message("progress.curves"))
        others = [other for other in runs if other is not run]
        try:
            report = judge_curves(run, others[0], others[1:])
        except InputError as error:
            return not_done(error.problem.detail)
        if report.steps < LEAST_STEPS:
            paths = tuple(one.path for one in runs)
            return Finding(Outcome.NOT_DONE, _few(report), (), remarks, (), paths)
        final.append(_final_loss(run))
        bad = report.verdict is not Judgement.PASS
        failed += [(run, report)] if bad else []
        standing = Standing.DIFFERS if bad else Standing.EQUAL
        place, sentence = Place(run.path), report.sentence
        items.append(Item(run.path, "", spelt(final[-1]), standing, golden_place=place, remark=sentence))
    middle = abs(float(np.mean(final)))
    spread = percent((max(final) - min(final)) / middle if middle else max(final) - min(final))
    told: dict[str, Parameter] = {"count": len(runs), "spread": spread}
    if not failed:
        return Finding(Outcome.PASS, Message("precheck.reference.repeatable.pass", told), items, remarks)
    told |= {"path": failed[0][0].path, "failed": len(failed)}
    word = "fail" if np.isfinite(final).all() else "not_finite"
    return Finding(Outcome.FAIL, Message(f"precheck.reference.repeatable.{word}", told), items, remarks)


def _few(report: CurvesReport) -> Message:
    words: dict[str, Parameter] = {"first": report.target_path, "second": report.golden_path}
    return Message("precheck.reference.few", {"count": report.steps, "least": LEAST_STEPS, **words})


def _golden_runs(golden: Side) -> list[LoggedRun]:
    first = loss_log(golden)
    repeats = [log for log in golden.logs(EvidenceKind.REPEAT_LOG) if Series.LOSS in log.curves]
    return [*([first] if first is not None else []), *repeats]


def _final_loss(run: LoggedRun) -> float:
    values = run.curves[Series.LOSS].values
    return float(np.mean(values[-max(int(len(values) * _FINAL_SHARE), 1) :]))


def mixed_precision(pair: Pair) -> Finding:
    """Check that the golden trains as well as its own training in float32, by the curves and their ends."""
    log, full = loss_log(pair.golden), loss_log(pair.golden, EvidenceKind.FULL_PRECISION_LOG)
    if full is None:
        return not_done(Message("precheck.reference.mixed_precision.no_full"))
    if log is None:
        return not_done(Message("precheck.reference.mixed_precision.no_log"))
    if os.path.realpath(log.path) == os.path.realpath(full.path) or is_one_run(log, full):
        copied = Message("precheck.reference.mixed_precision.one_run", {"path": full.path})
        return Finding(Outcome.NOT_DONE, copied, (), (), (), (log.path, full.path))
    try:
        report = judge_curves(log, full)
    except InputError as error:
        return not_done(error.problem.detail)
    items = [*_compared(report), *_final_metrics(log, full)]
    remarks = tuple(finding.message for finding in report.findings if finding.message != report.sentence)
    files = (), (log.path, full.path)
    if report.verdict is Judgement.NOT_JUDGED:
        return Finding(Outcome.NOT_DONE, report.sentence, items, remarks, *files)
    if report.verdict is Judgement.PASS and report.steps < LEAST_STEPS:
        return Finding(Outcome.NOT_DONE, _few(report), items, remarks, *files)
    apart = Series.LOSS in report.series and _tail(report)
    told: dict[str, Parameter] = {
        "error": percent(apart or 0.0, report.limits["limit"]), "limit": percent(report.limits["limit"]),
    }  # fmt: skip
    if report.verdict is Judgement.PASS:
        return Finding(
            Outcome.PASS, Message("precheck.reference.mixed_precision.pass", told), items, remarks, *files
        )
    word = "fail" if np.isfinite(apart) else "not_finite"
    message = Message(f"precheck.reference.mixed_precision.{word}", told)
    return Finding(Outcome.FAIL, message, items, (report.sentence, *remarks), *files)


def _tail(report: CurvesReport) -> float:
    loss = report.series[Series.LOSS]
    tail = next((phase.span for phase in loss.phases if phase.phase is Phase.TAIL), loss.whole)
    return tail.mean_relative if np.isfinite(tail.mean_relative) else loss.whole.mean_relative


def _compared(report: CurvesReport) -> Iterator[Item]:
    """Yield the curves of the golden's log against its float32's, both the golden's."""
    for name, series in report.series.items():
        if np.isfinite(series.whole.mean_relative):
            failed = series.judgement is Judgement.FAIL and name == Series.LOSS
            standing = Standing.DIFFERS if failed else Standing.REMARK
            yield Item(
                name,
                "",
                percent(series.whole.mean_relative),
                standing,
                golden_place=Place(report.target_path),
            )


def _final_metrics(log: LoggedRun, full: LoggedRun) -> Iterator[Item]:
    for name in (Series.LOSS, Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY):
        if name in log.curves and name in full.curves:
            ours, theirs = (float(run.curves[name].values[-1]) for run in (log, full))
            remark = Message("precheck.reference.mixed_precision.final", {"full": spelt(theirs)})
            standing = Standing.EQUAL if ours == theirs else Standing.REMARK
            yield Item(name, "", spelt(ours), standing, golden_place=Place(log.path), remark=remark)


def overflow_rate(pair: Pair) -> Work[Finding]:
    """Check that few steps of the golden overflowed, and of the target where its log is there.

    The shares, and from which global batch the stricter one holds, are those of the analysis of overflows.
    """
    sides = (pair.target, pair.golden)
    logs = [main_log(side) for side in sides]
    if logs[1] is None:
        return without_logs(target=logs[0] is not None, golden=False)
    histories: list[TrainingOverflow | None] = []
    for side, log in zip(sides, logs):
        yield Progress(len(histories), 2, Message("progress.curves"))
        histories.append(_history(side, log) if log is not None else None)
    found = _by_rate(histories[0], histories[1])
    return replace(found, remarks=(*found.remarks, *unseen(pair, *logs)))


def _history(side: Side, log: LoggedRun) -> TrainingOverflow | None:
    try:
        history = overflow_history(log.path)
    except InputError:
        return None
    batch = side.configuration.whole("global_batch")
    if history.global_batch is None and batch is not None:
        history = judged_by(replace(history, global_batch=batch), shipped_limits())
    return history


def _by_rate(target: TrainingOverflow | None, golden: TrainingOverflow | None) -> Finding:
    if golden is None or golden.judgement is Judgement.NOT_JUDGED:
        return not_done(Message("precheck.reference.overflow_rate.not_told"))
    item = Item(
        "overflow",
        _rate(target),
        _rate(golden),
        Standing.EQUAL if golden.judgement is Judgement.PASS else Standing.DIFFERS,
        Place(target.path) if target is not None else None,
        Place(golden.path),
    )
    worse = [
        (which, history)
        for which, history in (("golden", golden), ("target", target))
        if history is not None and history.judgement is Judgement.FAIL
    ]
    which, history = worse[0] if worse else ("golden", golden)
    remarks = tuple(finding.message for finding in history.findings)
    told: dict[str, Parameter] = {
        "rate": percent(history.rate, history.limit),
        "limit": percent(history.limit),
    }
    told |= {"count": history.overflowed, "steps": history.steps}
    if not worse and not golden.told:
        message = Message("precheck.reference.overflow_rate.not_counted")
        return Finding(Outcome.NOT_DONE, message, (replace(item, standing=Standing.UNKNOWN),))
    if worse:
        message = Message(f"precheck.reference.overflow_rate.fail.{which}", told)
        return Finding(Outcome.FAIL, message, (replace(item, standing=Standing.DIFFERS),), remarks)
    return Finding(Outcome.PASS, Message("precheck.reference.overflow_rate.pass", told), (item,), remarks)


def _rate(history: TrainingOverflow | None) -> str:
    if history is None or history.judgement is Judgement.NOT_JUDGED:
        return ""
    if not history.told and not history.overflowed:
        return ""
    return f"{history.overflowed}/{history.steps} ({percent(history.rate)})"
