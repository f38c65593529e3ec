"""Reports as xlsx, the same columns: numbers as numbers, texts as texts, nothing as a formula."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.result import CellResult
from core.report.csv_report import Chosen, report_blocks
from core.report.table import is_text
from core.store.places import finished_file

ROWS_A_SHEET = 1_048_500
"""More rows go to another sheet, ``part_1``, ``part_2`` ... as the official tool splits them."""
_CELL_LIMIT = 32_767
"""Characters that a cell of the format can hold."""


def write_xlsx(path: str | Path, cells: Iterable[CellResult], rows: Chosen | None = None) -> Work[list[str]]:
    """Write the report of *cells* (of one cell's *rows* where given); see :func:`write_csv`.

    Raises
    ------
    InputError
        If the package XlsxWriter is not installed.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise InputError(Problem("no_xlsxwriter", str(path))) from None
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with (
        finished_file(Path(path)) as place,
        as_os_errors(),
        xlsxwriter.Workbook(str(place), options) as book,
    ):
        bold = book.add_format({"bold": True})
        sheet, used = None, 0
        for cell, report, block, done, total in report_blocks(cells, rows):
            yield Progress(done, total, Message("progress.report", {"cell": cell.key.label()}))
            columns = report.block(block)
            texts = [is_text(name) for name in report.names]
            for values in zip(*columns.values()):
                if sheet is None or used == ROWS_A_SHEET:
                    sheet = book.add_worksheet(f"part_{len(book.worksheets()) + 1}")
                    sheet.write_row(0, 0, report.names, bold)
                    sheet.freeze_panes(1, 1)
                    used = 0
                used += 1
                for column, (value, text) in enumerate(zip(values, texts)):
                    number = None if text else _number(value)
                    if number is None:
                        sheet.write_string(used, column, storable(value))
                    else:
                        sheet.write_number(used, column, number)
            if sheet is None:
                sheet = book.add_worksheet("part_1")
                sheet.write_row(0, 0, report.names, bold)
    return [str(path)]


@contextlib.contextmanager
def as_os_errors() -> Iterator[None]:
    """Turn the library's own errors, which stand for those of the system, into those."""
    from xlsxwriter.exceptions import XlsxWriterException

    try:
        yield
    except XlsxWriterException as error:
        cause = error.args[0] if error.args else error
        number = getattr(cause, "errno", None)
        raise OSError(number, getattr(cause, "strerror", None) or str(error)) from error


def _number(text: str) -> float | None:
    """Return *text* as a number that a cell can hold (not NaN or infinite), else ``None``."""
    if not text or text[-1] not in "0123456789":
        return None
    try:
        return float(text)
    except ValueError:
        return None


def storable(text: str) -> str:
    """Return *text* as a cell can hold it: not too long, lone surrogates escaped."""
    return text[:_CELL_LIMIT].encode("utf-8", "backslashreplace").decode("utf-8")
