"""The columns of the metric table, operators as rows: one row a call, or a pair of calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.records.result import CellResult
from gui import numbers
from gui.models.pair.facts import Facts
from gui.models.table.call_summary import CallSummary
from gui.models.table.columns import COLUMNS, PLACES
from gui.models.table.metric_column import ExplainedColumn
from gui.models.table.table_column import Face


class CallColumn(ExplainedColumn[CellResult, Facts, CallSummary]):
    """A column of the table of calls."""


Rows = Callable[[CallSummary], np.ndarray]
"""Returns the row of each call that a column reads; -1 for none."""


def _of_row(key: str, row_of: Rows, named: str = "") -> CallColumn:
    """Return what the column *key* of slots says of one row of each call; *named*: under another heading."""
    column = COLUMNS[PLACES[key]]

    def sort(cell: CellResult, facts: Facts, summary: CallSummary) -> np.ndarray:
        rows = row_of(summary)
        keys = column.sort(cell, facts)
        if column.face is not Face.NUMBER:
            return keys[rows]
        return np.where(rows >= 0, keys[rows], np.nan)

    def show(cell: CellResult, facts: Facts, summary: CallSummary, call: int) -> str:
        row = int(row_of(summary)[call])
        return "" if row < 0 else column.show(cell, facts, row)

    def many(cell: CellResult, facts: Facts, summary: CallSummary, calls: np.ndarray) -> list[str]:
        rows = row_of(summary)[calls]
        texts = column.plain_of((cell, facts), rows)
        return ["" if row < 0 else text for row, text in zip(rows.tolist(), texts)]

    def plain(cell: CellResult, facts: Facts, summary: CallSummary, call: int) -> str:
        return many(cell, facts, summary, np.array([call]))[0]

    return CallColumn(
        named or key, column.face, column.width, sort, show, plain, column.largest_first, many, column.hides
    )


def _of_count(key: str, field: str, width: int) -> CallColumn:
    def sort(_cell: CellResult, _facts: Facts, summary: CallSummary) -> np.ndarray:
        values: np.ndarray = getattr(summary, field)
        return values

    def show(_cell: CellResult, _facts: Facts, summary: CallSummary, call: int) -> str:
        return numbers.grouped(int(getattr(summary, field)[call]))

    def many(_cell: CellResult, _facts: Facts, summary: CallSummary, calls: np.ndarray) -> list[str]:
        return list(map(str, getattr(summary, field)[calls].tolist()))

    def plain(cell: CellResult, facts: Facts, summary: CallSummary, call: int) -> str:
        return many(cell, facts, summary, np.array([call]))[0]

    return CallColumn(key, Face.NUMBER, width, sort, show, plain, True, many)


def _verdict() -> CallColumn:
    """Return the verdict rolled up, worded as the verdict of the first row that has it."""

    def sort(_cell: CellResult, _facts: Facts, summary: CallSummary) -> np.ndarray:
        return summary.category

    words = _of_row("verdict", lambda summary: summary.worst_row)
    return CallColumn("verdict", Face.VERDICT, 120, sort, words.show, words.plain, True, words.plain_many)


CALL_COLUMNS: tuple[CallColumn, ...] = (
    _of_row("operator", lambda summary: summary.first_row),
    _of_row("golden_operator", lambda summary: summary.first_row),
    _verdict(),
    _of_row("origin", lambda summary: summary.worst_row),
    _of_row("error", lambda summary: summary.error_row, "call_error"),
    _of_row("allowed", lambda summary: summary.error_row, "call_allowed"),
    _of_row("cosine", lambda summary: summary.cosine_row, "call_cosine"),
    _of_row("max_abs", lambda summary: summary.max_abs_row, "call_max_abs"),
    _of_count("call_slots", "slots", 64),
    _of_count("call_differing", "differing", 82),
    _of_row("dtype", lambda summary: summary.output_row, "call_dtype"),
    _of_row("shape", lambda summary: summary.output_row, "call_shape"),
)
"""In their order from left to right."""
