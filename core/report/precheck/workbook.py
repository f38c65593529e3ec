"""A pre-check as xlsx: a sheet a part. All cells are texts or counts, nothing is taken for a formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import InputError, Problem
from core.records.precheck import Outcome, Standing
from core.report.precheck.sheet import EvidenceLine, ItemLine, Sheet
from core.report.xlsx_report import ROWS_A_SHEET, as_os_errors, storable

_COLOURS: dict[Outcome, dict[str, Any]] = {
    Outcome.FAIL: {"font_color": "#B3261E", "bold": True},
    Outcome.PASS: {"font_color": "#1B6E3C"},
    Outcome.NOT_DONE: {"font_color": "#8A5A00", "bold": True},
}


def write_workbook(path: Path, sheet: Sheet) -> None:
    """Write *sheet* to *path*.

    Raises
    ------
    InputError
        If the package XlsxWriter is not installed.
    OSError
        If it cannot be written.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise InputError(Problem("no_xlsxwriter", str(path))) from None
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with as_os_errors(), xlsxwriter.Workbook(str(path), options) as book:
        _Book(book, sheet).write()


class _Book:
    def __init__(self, book: Any, sheet: Sheet) -> None:
        self._book, self._sheet = book, sheet
        self._bold = book.add_format({"bold": True, "valign": "top", "text_wrap": True, "bottom": 1})
        self._plain = book.add_format({"valign": "top", "text_wrap": True})
        self._title = book.add_format({"bold": True, "font_size": 15})
        self._count = book.add_format({"align": "left"})
        words = {sheet.outcome(outcome): colours for outcome, colours in _COLOURS.items()}
        self._results = {
            word: book.add_format({"valign": "top", **colours}) for word, colours in words.items()
        }

    def write(self) -> None:
        self._summary()
        sheet, report = self._sheet, self._sheet.report
        names = ("group", "check", "result", "sentence", "remarks", "effect", "remedy", "entry", "rank")
        self._page("checklist", (20, 26, 12, 60, 40, 44, 44, 34, 8), names, (
            (
                sheet.group(check.group), sheet.row_title(check), sheet.outcome(check.result),
                sheet.row_sentence(check), "\n".join(map(sheet.say, check.remarks)),
                sheet.said(check.effect), sheet.said(check.remedy), sheet.entered(check.entry), check.rank,
            )
            for check in report.checks
        ))  # fmt: skip
        widths = (26, 12, 30, 14, 34, 34, 44, 44, 44)
        heads = ("check", "result", *ItemLine._fields)
        checks = (*report.failures, *(one for one in report.checks if one.result is not Outcome.FAIL))
        rows = [
            (item.standing, (sheet.row_title(check), sheet.outcome(check.result), *sheet.item(item)))
            for check in checks
            for item in check.items
        ]
        different = (row for standing, row in rows if standing is not Standing.EQUAL)
        self._page("differences", widths, heads, different)
        self._page("compared", widths, heads, (row for _, row in rows))
        self._page("evidence", (12, 60, 26, 16, 14, 68, 60), EvidenceLine._fields, sheet.evidence())
        if problems := sheet.problems():
            self._page("problems", (120,), ("problems",), ((problem,) for problem in problems))

    def _summary(self) -> None:
        """Write the first sheet: what it is, the counts, and the signature."""
        sheet, page = self._sheet, self._book.add_worksheet(_name(self._sheet.head("summary")))
        page.set_column(0, 0, 24)
        page.set_column(1, 1, 100)
        page.write_string(0, 0, sheet.title, self._title)
        page.write_string(1, 0, sheet.made_by)
        row = 3
        for outcome in (Outcome.FAIL, Outcome.PASS, Outcome.NOT_DONE):
            word = sheet.outcome(outcome)
            page.write_string(row, 0, word, self._results[word])
            page.write_number(row, 1, sheet.report.counts[outcome], self._count)
            row += 1
        if sheet.cause:
            page.merge_range(row + 1, 0, row + 1, 1, "", self._plain)
            page.write_string(row + 1, 0, storable(sheet.cause), self._plain)
            page.set_row(row + 1, 45)
        page.write_string(row + 6, 0, sheet.head("signature"), self._bold)
        for number, (title, value) in (
            *enumerate(sheet.brought(), row + 3),
            *enumerate(sheet.signed(), row + 7),
        ):
            page.write_string(number, 0, title, self._plain)
            page.write_string(number, 1, storable(value), self._plain)

    def _page(
        self, part: str, widths: Sequence[int], heads: Sequence[str], rows: Iterable[Sequence[str | int]]
    ) -> None:
        """Write one sheet; its head stays in sight, and can be filtered by."""
        page = self._book.add_worksheet(_name(self._sheet.head(part)))
        for column, (width, head) in enumerate(zip(widths, heads)):
            page.set_column(column, column, width)
            page.write_string(0, column, self._sheet.head(head), self._bold)
        page.freeze_panes(1, 0)
        last = 0
        for last, row in enumerate(islice(rows, ROWS_A_SHEET), 1):
            for column, value in enumerate(row):
                if isinstance(value, int):
                    page.write_number(last, column, value, self._plain)
                else:
                    kind = self._results[value] if heads[column] == "result" else self._plain
                    page.write_string(last, column, storable(value), kind)
        page.autofilter(0, 0, last, len(heads) - 1)


def _name(title: str) -> str:
    """Return *title* as the name of a sheet: at most 31 signs."""
    return title[:31]
