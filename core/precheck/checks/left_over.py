"""State that an earlier run left and this one took up: checkpoints loaded, restarts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from core.messages import Message, Parameter
from core.precheck.checks.taken_up import (
    OVERWRITE,
    RESTART,
    SIGNS,
    STEP,
    Trace,
    has_console,
    takes_up,
    tells,
    traces_of,
)
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.settings.places import is_doubtful
from core.records.evidence import Dialect, EvidenceKind
from core.records.precheck import Item, Outcome, Standing

_WRONG = (Standing.DIFFERS, Standing.TARGET_ONLY, Standing.GOLDEN_ONLY)


class _How(NamedTuple):
    """How a sign of one side stands to the other's, and why."""

    standing: Standing
    remark: Message | None = None


def left_over(pair: Pair) -> Finding:
    """Check that no side takes up a checkpoint, or is restarted, where the other one is not.

    That nothing says so counts only of evidence that would say it: a console's log, or all settings. Two
    checkpoints are one where they have the same name, wherever they lie.
    """
    sides = pair.target, pair.golden
    found = [traces_of(side) for side in sides]
    items = []
    for name in dict.fromkeys((*found[0], *found[1])):
        ours, theirs = found[0].get(name), found[1].get(name)
        how = _of_both(ours, theirs) if ours and theirs else _of_one(name, found, sides)
        shown = ours.value if ours else "", theirs.value if theirs else ""
        places = ours.place if ours else None, theirs.place if theirs else None
        items.append(Item(name, *shown, how.standing, *places, how.remark))
    taken = [takes_up(side) for side in found]
    heard = [tells(side) or taking for side, taking in zip(sides, taken)]
    result, message = _told(items, heard, any(taken))
    return Finding(result, message, items, (), tuple(_files(pair.target)), tuple(_files(pair.golden)))


def _told(items: Sequence[Item], heard: Sequence[bool], taken: bool) -> tuple[Outcome, Message]:
    """Return the result and its sentence; *heard* says which side's evidence tells, *taken* if any loads."""
    for wrong in sorted((item for item in items if item.standing in _WRONG), key=_rank):
        words: dict[str, Parameter] = {"name": wrong.name, "value": wrong.target or wrong.golden}
        if wrong.standing is Standing.DIFFERS:
            words = {"name": wrong.name, "target": wrong.target, "golden": wrong.golden}
            return Outcome.FAIL, Message("precheck.flow.left_over.other", words)
        which = "golden" if wrong.standing is Standing.GOLDEN_ONLY else "target"
        return Outcome.FAIL, Message(f"precheck.flow.left_over.fail.{which}", words)
    if not all(heard):
        which = "golden" if heard[0] else "target" if heard[1] else "both"
        return Outcome.NOT_DONE, Message(f"precheck.flow.left_over.untold.{which}")
    for item in items:
        if item.standing is Standing.UNKNOWN:
            return Outcome.NOT_DONE, Message("precheck.flow.left_over.open", {"name": item.name})
    return Outcome.PASS, Message(f"precheck.flow.left_over.{'both' if taken else 'pass'}")


def _rank(item: Item) -> int:
    return _WRONG.index(item.standing)


def _of_both(ours: Trace, theirs: Trace) -> _How:
    """Return how a sign stands that both sides have."""
    said = _in_log(ours.name)
    if not (ours.known and theirs.known):
        return _How(Standing.UNKNOWN, _open(theirs if ours.known else ours))
    if ours.value == theirs.value:
        return _How(Standing.EQUAL, said)
    if ours.name == STEP:
        return _How(Standing.DIFFERS)
    first, second = ours.checkpoint, theirs.checkpoint
    if first is None or second is None:
        return _How(Standing.REMARK, said)
    if first == second:
        return _How(Standing.REMARK, said or Message("precheck.setting.place"))
    if is_doubtful(first, second):
        return _How(Standing.REMARK, Message("precheck.setting.place.doubtful"))
    return _How(Standing.DIFFERS, said)


def _of_one(name: str, found: Sequence[Mapping[str, Trace]], sides: Sequence[Side]) -> _How:
    """Return how a sign stands that one side alone has."""
    other = 1 if name in found[0] else 0
    trace, others, side = found[1 - other][name], found[other], sides[other]
    alone = Standing.TARGET_ONLY if other else Standing.GOLDEN_ONLY
    said = _in_log(name)
    if not trace.known:
        return _How(Standing.UNKNOWN, _open(trace))
    if name == OVERWRITE:
        silent = Dialect.HUGGING_FACE in side.configuration.frameworks and not has_console(side)
        return _How(alone if silent else Standing.REMARK)
    if name == RESTART:
        return _How(alone if side.logs() else Standing.UNKNOWN, said)
    if not takes_up(others):
        unsaid = next((one for one in others.values() if not one.known), None)
        if unsaid is not None:
            return _How(Standing.UNKNOWN, _open(unsaid))
        return _How(alone if tells(side) else Standing.UNKNOWN, said)
    # What one side says in its log the other may say in its settings.
    mine, names = trace.checkpoint, [one.checkpoint for one in others.values() if one.checkpoint]
    if not mine or not names or any(mine == one or is_doubtful(mine, one) for one in names):
        return _How(Standing.REMARK, said)
    return _How(alone, said)


def _in_log(name: str) -> Message | None:
    return Message(f"precheck.flow.left_over.sign.{name}") if name in SIGNS else None


def _open(trace: Trace) -> Message:
    return Message("precheck.setting.open", {"name": trace.name, "text": trace.value})


def _files(side: Side) -> Iterator[str]:
    for evidence in side.evidence:
        if evidence.settings or EvidenceKind.LOG in evidence.kinds:
            yield evidence.path
