"""A pre-check on a terminal: counts, the fails by cause with what differs, and the rest by group."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from core.cli.console import escaped, table
from core.messages import text
from core.precheck.telling import lacking
from core.records.precheck import Check, Outcome, Standing
from core.report.precheck.sheet import ItemLine, Sheet

_SHOWN = 8
"""Compared things of a fail that are shown."""
_LONGEST = 60
"""Signs of a value that is shown whole."""
_ORDER = (Outcome.FAIL, Outcome.PASS, Outcome.NOT_DONE)


def as_text(sheet: Sheet, *, every: bool) -> list[str]:
    """Return the lines; with *every*, each row of the list stands there with what it compared."""
    lines = [escaped(sheet.headline)]
    if sheet.cause:
        lines.append(escaped(sheet.cause))
    folder = _common_folder(sheet)
    if folder:
        lines.append(escaped(text("cli.precheck.below", folder=folder)))
    for number, check in enumerate(sheet.report.failures, 1):
        lines += ["", *_failure(sheet, number, check, folder)]
    if every:
        for group, checks in sheet.groups():
            lines += ["", escaped(sheet.group(group))]
            for check in checks:
                lines += _row(sheet, check)
    else:
        lines += ["", _counts(sheet)]
        not_done = sheet.report.counts[Outcome.NOT_DONE]
        if not_done and lacking(sheet.report) is None:  # else there is but one thing to bring
            lines += ["", text("cli.precheck.not_done_hint", count=not_done)]
    if sheet.signature is not None:
        lines += ["", escaped(text("cli.precheck.signed", **vars(sheet.signature)))]
    return lines


def _common_folder(sheet: Sheet) -> str:
    """Return the folder that all places of differing things lie below, if its name is worth leaving out."""
    items = [item for check in sheet.report.failures for item in check.items]
    places = [place.path for item in items for place in (item.target_place, item.golden_place) if place]
    try:
        folder = os.path.commonpath([str(Path(path).parent) for path in places])
    except ValueError:  # none, or of several drives, or absolute ones beside others
        return ""
    return folder if len(folder) > 1 else ""


def _failure(sheet: Sheet, number: int, check: Check, folder: str) -> Iterator[str]:
    """Yield the lines of a fail."""
    yield escaped(f"{number}. {sheet.row_title(check)}: {sheet.row_sentence(check)}")
    yield from (f"   {escaped(sheet.say(remark))}" for remark in check.remarks)
    yield from _differing(sheet, check, folder)
    for name, message in (("effect", check.effect), ("remedy", check.remedy)):
        if message is not None:
            yield escaped(f"   {sheet.head(name)} {sheet.say(message)}")
    if entered := sheet.entered(check.entry):
        yield escaped(f"   {sheet.head('entry')}: {entered}")


def _differing(sheet: Sheet, check: Check, folder: str) -> Iterator[str]:
    """Yield a table of what differs; nothing where all is equal."""
    lines = [sheet.item(item) for item in check.items if item.standing is not Standing.EQUAL]
    if not lines:
        return
    heads: tuple[str, ...] = tuple(
        sheet.head(name) for name in ("name", "target", "golden", "where", "remark")
    )
    rows: list[tuple[str, ...]] = [
        (line.name, _cut(line.target), _cut(line.golden), _where(line, folder), line.remark)
        for line in lines[:_SHOWN]
    ]
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    yield from (f"     {line}" for line in table([heads, *rows]).split("\n"))
    if len(lines) > _SHOWN:
        yield f"     {text('cli.precheck.more', count=len(lines) - _SHOWN)}"


def _where(line: ItemLine, folder: str) -> str:
    given = (line.target_place, line.golden_place)
    return " | ".join(
        place.removeprefix(folder).lstrip("/\\") if folder else place for place in given if place
    )


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def _row(sheet: Sheet, check: Check) -> Iterator[str]:
    """Yield the lines of any row: result, title, sentence, and what to bring for what is not done."""
    word = sheet.outcome(check.result)
    shown = word if check.result is Outcome.PASS else word.upper()
    yield escaped(f"  [{shown}] {sheet.row_title(check)}: {sheet.row_sentence(check)}")
    if check.result is not Outcome.FAIL:
        yield from (f"      {escaped(sheet.say(remark))}" for remark in check.remarks)
        if check.result is Outcome.NOT_DONE and check.remedy is not None:
            yield escaped(f"      {sheet.head('bring')} {sheet.say(check.remedy)}")
        if entered := sheet.entered(check.entry):
            yield escaped(f"      {sheet.head('entry')}: {entered}")


def _counts(sheet: Sheet) -> str:
    """Return how many rows of each group have each result."""
    rows = [(sheet.head("group"), *map(sheet.outcome, _ORDER))]
    for group, checks in sheet.groups():
        counts = [sum(check.result is outcome for check in checks) for outcome in _ORDER]
        rows.append((sheet.group(group), *(str(count) if count else "·" for count in counts)))
    return table(rows, right=(1, 2, 3))
