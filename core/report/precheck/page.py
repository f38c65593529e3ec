"""A pre-check as one page of HTML that needs no other file: light and dark, and fit for printing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from core.records.precheck import Check, Outcome
from core.report.precheck.sheet import EvidenceLine, ItemLine, Sheet

_MARKS = {Outcome.PASS: "✓", Outcome.FAIL: "✗", Outcome.NOT_DONE: "○"}
"""Signs beside the words: colour alone tells nobody anything on paper."""


def as_page(sheet: Sheet) -> Iterator[str]:
    """Yield the parts of the page."""
    style = (files("resources") / "styles" / "precheck-page.css").read_text("utf-8")
    yield (
        f'<!DOCTYPE html>\n<html lang="{sheet.language.replace("_", "-")}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(sheet.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    yield from _header(sheet)
    yield from _failures(sheet)
    for group, checks in sheet.groups():
        yield f"<h2>{_text(sheet.group(group))}</h2>\n"
        yield from _rows(sheet, checks)
    yield from _appendix(sheet)
    yield "</body>\n</html>\n"


def _header(sheet: Sheet) -> Iterator[str]:
    yield f"<h1>{_text(sheet.title)}</h1>\n<p class=headline>"
    for outcome in (Outcome.FAIL, Outcome.PASS, Outcome.NOT_DONE):
        count = sheet.report.counts[outcome]
        yield f"<span class={outcome}>{count} {_text(sheet.outcome(outcome))}</span> "
    yield "</p>\n"
    if sheet.cause:
        yield f"<p class=cause>{_text(sheet.cause)}</p>\n"
    yield from (f"<p>{_text(side)}: {_text(paths)}</p>\n" for side, paths in sheet.brought())
    yield f"<p class=dim>{_text(sheet.made_by)}</p>\n"


def _failures(sheet: Sheet) -> Iterator[str]:
    """Yield the fails, the most frequent cause first, each with what differs."""
    if not sheet.report.failures:
        return
    yield f"<h2>{_text(sheet.head('failures'))}</h2>\n"
    for number, check in enumerate(sheet.report.failures, 1):
        yield f"<section class=fail><h3>{number}. {_text(sheet.row_title(check))}</h3>\n"
        yield f"<p>{_text(sheet.row_sentence(check))}</p>\n"
        yield from (f"<p>{_text(sheet.say(remark))}</p>\n" for remark in check.remarks)
        yield from _items(sheet, check, equal=False)
        for name, message in (("effect", check.effect), ("remedy", check.remedy)):
            if message is not None:
                yield f"<p><b>{_text(sheet.head(name))}</b> {_text(sheet.say(message))}</p>\n"
        yield "</section>\n"


def _rows(sheet: Sheet, checks: Sequence[Check]) -> Iterator[str]:
    yield "<table class=rows>\n" + _heads(
        [sheet.head(name) for name in ("result", "check", "sentence", "entry")]
    )
    for check in checks:
        result = check.result
        cells = (_text(sheet.row_title(check)), "", _text(sheet.entered(check.entry)))
        yield f"<tr><td class={result}>{_MARKS[result]} {_text(sheet.outcome(result))}</td>"
        yield f"<td>{cells[0]}</td><td>{_text(sheet.row_sentence(check))}"
        yield from (f"<br>{_text(sheet.say(remark))}" for remark in check.remarks)
        if result is Outcome.NOT_DONE and check.remedy is not None:
            yield f"<br><span class=dim>{_text(sheet.say(check.remedy))}</span>"
        if check.items and result is not Outcome.FAIL:
            yield f"<details><summary>{_text(sheet.compared(check))}</summary>\n"
            yield from _items(sheet, check, equal=True)
            yield "</details>"
        yield f"</td><td>{cells[2]}</td></tr>\n"
    yield "</table>\n"


def _items(sheet: Sheet, check: Check, *, equal: bool) -> Iterator[str]:
    lines = list(sheet.items(check, equal=equal))
    if lines:
        yield from _table([sheet.head(name) for name in ItemLine._fields], lines)
    if check.left_off:
        yield f"<p class=dim>{_text(sheet.left_off(check))}</p>\n"


def _appendix(sheet: Sheet) -> Iterator[str]:
    """Yield the evidence, what was wrong with it, and the signature."""
    yield f"<h2>{_text(sheet.head('evidence'))}</h2>\n"
    yield from _table([sheet.head(name) for name in EvidenceLine._fields], list(sheet.evidence()))
    if problems := sheet.problems():
        yield f"<h2>{_text(sheet.head('problems'))}</h2>\n<ul>\n"
        yield from (f"<li>{_text(problem)}</li>\n" for problem in problems)
        yield "</ul>\n"
    yield f"<h2>{_text(sheet.head('signature'))}</h2>\n<table class=signature>\n"
    yield from (
        f"<tr><th>{_text(title)}</th><td>{_text(value)}</td></tr>\n" for title, value in sheet.signed()
    )
    yield "</table>\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "<table>\n" + _heads(heads)
    for row in rows:
        yield "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>\n"
    yield "</table>\n"


def _heads(heads: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<th>{_text(head)}</th>" for head in heads) + "</tr>\n"


def _text(words: str) -> str:
    """Return *words* such that nothing of them is taken for a tag, and nothing turns the text around."""
    return escape("".join(sign if sign.isprintable() else " " for sign in words))
