"""Where the runs start."""

from __future__ import annotations

from core.messages import Message
from core.precheck.checks.dumped_steps import first_dumped
from core.precheck.checks.logs import laid_by_steps, main_log, unseen
from core.precheck.checks.missing import without_logs
from core.precheck.dumps.facts import DumpFacts
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.records.curves import Axis, LoggedRun
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing


def start_step(pair: Pair) -> Finding:
    """Check that both logs begin at the same step, and the dumps do.

    Dumps that have a step in common but begin at others say nothing: a dump may leave steps out.
    """
    logs = [main_log(side) for side in (pair.target, pair.golden)]
    items: list[Item] = []
    remarks: list[Message] = []
    if logs[0] is not None and logs[1] is not None:
        items.append(_log_item(logs[0], logs[1]))
        remarks += unseen(pair, logs[0], logs[1])
        if Axis.COUNT in (logs[0].axis, logs[1].axis):
            remarks.append(Message("precheck.flow.start_step.counted"))
    if pair.dumps is not None:
        items.append(_dump_item(pair.dumps))
    if not items:
        return without_logs(target=logs[0] is not None, golden=logs[1] is not None)
    files = _dump_files(pair.dumps)
    order = (Standing.DIFFERS, Standing.REMARK, Standing.EQUAL, Standing.UNKNOWN)
    lead = min(items, key=lambda item: order.index(item.standing))
    which = "logs" if lead.target_place is not None else "dumps"
    told = {"target": lead.target, "golden": lead.golden}
    if lead.standing is Standing.UNKNOWN:
        word = "unnumbered" if which == "logs" else "dumped"
        message = Message(f"precheck.flow.start_step.{word}", told if which == "dumps" else {})
        return Finding(Outcome.NOT_DONE, message, items, tuple(remarks), *files)
    if lead.standing is Standing.DIFFERS:
        message, result = Message(f"precheck.flow.start_step.fail.{which}", told), Outcome.FAIL
    elif lead.standing is Standing.REMARK:
        message, result = Message("precheck.flow.start_step.shifted", told), Outcome.PASS
    else:
        message, result = Message(f"precheck.flow.start_step.pass.{which}", told), Outcome.PASS
    return Finding(result, message, items, tuple(remarks), *files)


def _log_item(target: LoggedRun, golden: LoggedRun) -> Item:
    first = [target.first_step, golden.first_step]
    how = laid_by_steps(target, golden)[2]
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
    """Return where the dumps begin; the compared cells alone do not tell, as they are the common ones."""
    cells = facts.target_cell, facts.golden_cell
    firsts = [first_dumped(path, cell) for path, cell in zip((facts.target_path, facts.golden_path), cells)]
    if cells[0].step != cells[1].step:
        standing = Standing.DIFFERS
    elif firsts[0] == firsts[1] is not None:
        standing = Standing.EQUAL
    else:
        standing = Standing.UNKNOWN
    shown = [str(cell.step if first is None else first) for cell, first in zip(cells, firsts)]
    return Item("dump", shown[0], shown[1], standing)


def _dump_files(facts: DumpFacts | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ((facts.target_path,), (facts.golden_path,)) if facts is not None else ((), ())
