"""A pre-check as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.records.precheck import Outcome
from core.report.markdown import markdown_rows, markdown_rule, markdown_text
from core.report.precheck.sheet import EvidenceLine, ItemLine, Sheet


def as_markdown(sheet: Sheet) -> Iterator[str]:
    """Yield the parts of the text."""
    yield f"# {sheet.title}\n\n**{sheet.headline}**\n\n"
    if sheet.cause:
        yield f"{markdown_text(sheet.cause)}\n\n"
    yield from (f"- {side}: {markdown_text(paths)}\n" for side, paths in sheet.brought())
    yield f"\n{sheet.made_by}\n\n"
    yield from _failures(sheet)
    for group, checks in sheet.groups():
        yield f"## {sheet.group(group)}\n\n"
        yield from _table(
            [sheet.head(name) for name in ("check", "result", "sentence", "entry")],
            [
                (
                    sheet.row_title(check),
                    _outcome(sheet, check.result),
                    " ".join([sheet.row_sentence(check), *(sheet.say(remark) for remark in check.remarks)]),
                    sheet.entered(check.entry),
                )
                for check in checks
            ],
        )
    yield f"## {sheet.head('evidence')}\n\n"
    yield from _table([sheet.head(name) for name in EvidenceLine._fields], list(sheet.evidence()))
    if problems := sheet.problems():
        yield f"## {sheet.head('problems')}\n\n"
        yield from (f"- {markdown_text(problem)}\n" for problem in problems)
        yield "\n"
    yield f"## {sheet.head('signature')}\n\n"
    yield from (f"- {title}: {markdown_text(value) or '________'}\n" for title, value in sheet.signed())


def _failures(sheet: Sheet) -> Iterator[str]:
    """Yield the fails, the most frequent cause first, each with what differs."""
    if not sheet.report.failures:
        return
    yield f"## {sheet.head('failures')}\n\n"
    for number, check in enumerate(sheet.report.failures, 1):
        yield f"### {number}. {sheet.row_title(check)}\n\n{markdown_text(sheet.row_sentence(check))}\n\n"
        if items := list(sheet.items(check, equal=False)):
            yield from _table([sheet.head(name) for name in ItemLine._fields], items)
        if check.left_off:
            yield f"{sheet.left_off(check)}\n\n"
        for name, message in (("effect", check.effect), ("remedy", check.remedy)):
            if message is not None:
                yield f"**{sheet.head(name)}** {markdown_text(sheet.say(message))}\n\n"


def _outcome(sheet: Sheet, outcome: Outcome) -> str:
    word = sheet.outcome(outcome)
    return word if outcome is Outcome.PASS else word.upper()


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield markdown_rows([[head] for head in heads])
    yield markdown_rule([False] * len(heads))
    yield markdown_rows([list(column) for column in zip(*rows)])
    yield "\n"
