"""Whether the sources of one side agree, and whether both sides start the same program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from core.messages import Message, Parameter
from core.precheck.checks.missing import lacking
from core.precheck.checks.setting_findings import without_settings
from core.precheck.checks.setting_items import Cell, item_of, spelled_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.settings.known import Conflict, Known
from core.records.evidence import EvidenceKind, Place
from core.records.precheck import Item, Outcome, Standing


def sources_agree(pair: Pair) -> Finding:
    """Find settings that one side says twice, differently: script, configuration, printed arguments."""
    sides = (("target", pair.target), ("golden", pair.golden))
    items = [item for number, (_, side) in enumerate(sides) for item in _conflicts(side, golden=number == 1)]
    remarks = tuple(item.message for _, side in sides for item in side.configuration.contradictions)
    for name, side in sides:
        settings = side.configuration
        if settings.conflicts:
            first, second = _told_apart(settings.conflicts[0].values)
            facts = {"name": _called(settings.conflicts[0]), "first": first, "second": second}
            message = Message(f"precheck.flow.sources_agree.fail.{name}", facts)
            return Finding(Outcome.FAIL, message, items, remarks)
        if settings.contradictions:
            told = settings.contradictions[0].message.parameters
            message = Message(f"precheck.flow.sources_agree.contradiction.{name}", told)
            return Finding(Outcome.FAIL, message, items, remarks)
    if not all(side.configuration.sources for _, side in sides):
        return without_settings(pair)
    counts = [side.configuration.confirmed for _, side in sides]
    if not all(counts):
        message = Message(f"precheck.flow.sources_agree.single.{lacking(*map(bool, counts))}")
        return Finding(Outcome.NOT_DONE, message)
    numbers: dict[str, Parameter] = {"target": counts[0], "golden": counts[1]}
    return Finding(Outcome.PASS, Message("precheck.flow.sources_agree.pass", numbers))


def _called(conflict: Conflict) -> str:
    return spelled_of(conflict.name, *conflict.values) or conflict.name


def _told_apart(values: tuple[Known, ...]) -> tuple[str, str]:
    first = values[0]
    second = next(value for value in values if value.spelled != first.spelled)
    return _told(first), _told(second)


def _told(known: Known) -> str:
    place = known.place
    if place is None:
        return known.spelled
    line = f":{place.line}" if place.line else ""
    return f"{known.spelled} ({PurePath(place.member or place.path).name}{line})"


def _conflicts(side: Side, *, golden: bool) -> Iterator[Item]:
    """Yield an item for each setting that is said twice; all of what is said stands in the side's column."""
    for conflict in side.configuration.conflicts:
        said = Cell("; ".join(_told(value) for value in conflict.values), conflict.values[0].place)
        item = item_of(conflict.name, [Cell(), said] if golden else [said, Cell()], Standing.DIFFERS)
        yield replace(item, spelled=spelled_of(conflict.name, *conflict.values))


def launch(pair: Pair) -> Finding:
    """Compare the program that the launch scripts start, and find arguments that nothing fills."""
    programs = [_program(side) for side in (pair.target, pair.golden)]
    there = [bool(text) for text, _ in programs]
    if not all(there):
        return Finding(Outcome.NOT_DONE, Message(f"precheck.flow.launch.unsaid.{lacking(*there)}"))
    names = [PurePath(text.replace("\\", "/")).name for text, _ in programs]
    same = names[0] == names[1]
    cells = [Cell(text, place) for text, place in programs]
    items = [item_of("program", cells, Standing.EQUAL if same else Standing.DIFFERS), *_open_arguments(pair)]
    facts = {"target": names[0], "golden": names[1]}
    if not same:
        return Finding(Outcome.FAIL, Message("precheck.flow.launch.fail", facts), items)
    remarks = (Message("precheck.flow.launch.open", {"count": len(items) - 1}),) if len(items) > 1 else ()
    return Finding(Outcome.PASS, Message("precheck.flow.launch.pass", facts), items, remarks)


def _program(side: Side) -> tuple[str, Place | None]:
    for item in side.of_kind(EvidenceKind.SCRIPT):
        if item.program:
            return item.program, Place(item.path)
    return "", None


def _open_arguments(pair: Pair) -> Iterator[Item]:
    sides = (pair.target.configuration.unknown, pair.golden.configuration.unknown)
    for name in dict.fromkeys((*sides[0], *sides[1])):
        cells = [Cell(str(side[name].value), side[name].place) if name in side else Cell() for side in sides]
        yield item_of(name, cells, Standing.UNKNOWN)
