"""Where the runs start."""

from __future__ import annotations

from core.curves.alignment import align
from core.curves.limits import shipped_limits
from core.messages import Message
from core.precheck.checks.logs import main_log
from core.precheck.checks.missing import without_logs
from core.precheck.dumps.facts import DumpFacts
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.curves import Axis, LoggedRun
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing


def start_step(pair: Pair) -> Finding:
    """Check that both logs begin at the same step, and the dumps were taken at the same one."""
    logs = [main_log(side) for side in (pair.target, pair.golden)]
    items, remarks = [], []
    if logs[0] is not None and logs[1] is not None:
        items.append(_log_item(logs[0], logs[1]))
        if Axis.COUNT in (logs[0].axis, logs[1].axis):
            remarks.append(Message("precheck.flow.start_step.counted"))
    if pair.dumps is not None:
        items.append(_dump_item(pair.dumps))
    if not items:
        return without_logs(target=logs[0] is not None, golden=logs[1] is not None)
    items = [item for item in items if item.standing is not Standing.UNKNOWN]
    if not items:
        return not_done(Message("precheck.flow.start_step.unnumbered"))
    files = _dump_files(pair.dumps)
    wrong = next((item for item in items if item.standing is Standing.DIFFERS), None)
    lead = wrong or items[0]
    told = {"target": lead.target, "golden": lead.golden}
    if wrong is not None:
        which = "logs" if wrong.target_place is not None else "dumps"
        message, result = Message(f"precheck.flow.start_step.fail.{which}", told), Outcome.FAIL
    else:
        same = "pass" if lead.standing is Standing.EQUAL else "shifted"
        message, result = Message(f"precheck.flow.start_step.{same}", told), Outcome.PASS
    return Finding(result, message, items, tuple(remarks), *files)


def _log_item(target: LoggedRun, golden: LoggedRun) -> Item:
    first = [target.first_step, golden.first_step]
    how = align(target, golden, shipped_limits())
    origins = [first[0] - how.target_interval, first[1] - how.golden_interval]
    remark = None
    if Axis.COUNT in (target.axis, golden.axis) or target.axis is not golden.axis:
        standing = Standing.UNKNOWN
    elif first[0] == first[1]:
        standing = Standing.EQUAL
    elif origins[0] == origins[1]:
        standing, remark = Standing.REMARK, Message("precheck.flow.start_step.interval")
    elif abs(first[0] - first[1]) == 1 and first[0] + how.shift == first[1]:
        standing, remark = Standing.REMARK, Message("precheck.flow.start_step.numbering")
    else:
        standing = Standing.DIFFERS
    places = Place(target.path), Place(golden.path)
    return Item("log", str(first[0]), str(first[1]), standing, *places, remark)


def _dump_item(facts: DumpFacts) -> Item:
    steps = facts.target_cell.step, facts.golden_cell.step
    standing = Standing.EQUAL if steps[0] == steps[1] else Standing.DIFFERS
    return Item("dump", str(steps[0]), str(steps[1]), standing)


def _dump_files(facts: DumpFacts | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ((facts.target_path,), (facts.golden_path,)) if facts is not None else ((), ())
