"""The best pairs inside a small stretch where the two sides disagree."""

from __future__ import annotations

import numpy as np

from core.match.calls import Calls
from core.match.similarity import Records, similarity
from core.records.columns import Float64, Int64

_LINE, _PLACE, _SHAPE, _WHOLE, _LIKENESS = 8.0, 4.0, 4.0, 2.0, 1.5
"""What agreeing on each key is worth. The same API alone beats leaving both alone; agreement in everything
(18) beats two pairs that only share the API (16)."""

LARGEST = 512
"""Rows a side; larger stretches are cut before they come here."""


def evidence(left: Calls, right: Calls, rows_left: Int64, rows_right: Int64) -> Float64:
    """Return for each pair of rows (broadcast) how much speaks for it; 0 when it may not be."""
    likeness = similarity(_rows(left.records, rows_left), _rows(right.records, rows_right))
    allowed = left.line[rows_left] == right.line[rows_right]
    worth = (
        _LINE
        + _PLACE * (left.place[rows_left] == right.place[rows_right])
        + _SHAPE * (left.shape[rows_left] == right.shape[rows_right])
        + _WHOLE * (left.whole[rows_left] == right.whole[rows_right])
        + _LIKENESS * likeness
    )
    result: Float64 = np.where(allowed, worth, 0.0)
    return result


def _rows(records: Records, rows: Int64) -> Records:
    return Records(records.numbers[rows], records.checksums[rows])


def fill_gap(left: Calls, right: Calls, start: tuple[int, int], stop: tuple[int, int]) -> tuple[Int64, Int64]:
    """Return the pairs, in order on both sides, with the most evidence between *start* and *stop*.

    Leaving a call alone costs nothing, so a row of the table is a running maximum: the whole is
    ``rows`` vector operations, at most :data:`LARGEST` squared cells.
    """
    rows = np.arange(start[0], stop[0])
    columns = np.arange(start[1], stop[1])
    same = left.line[rows][:, None] == right.line[columns][None, :]
    # What has no partner at all takes no part.
    rows, columns = rows[same.any(1)], columns[same.any(0)]
    if not len(rows):
        return rows, columns
    worth = _allowed_evidence(left, right, rows, columns)
    best = np.zeros((len(rows) + 1, len(columns) + 1))
    for row in range(len(rows)):
        best[row + 1, 1:] = np.maximum(best[row, 1:], best[row, :-1] + worth[row])
        np.maximum.accumulate(best[row + 1], out=best[row + 1])
    found_rows, found_columns = [], []
    row, column = len(rows), len(columns)
    while row and column:
        here = best[row, column]
        if here == best[row - 1, column]:
            row -= 1
        elif here == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            found_rows.append(rows[row])
            found_columns.append(columns[column])
    return np.array(found_rows[::-1], np.int64), np.array(found_columns[::-1], np.int64)


def _allowed_evidence(left: Calls, right: Calls, rows: Int64, columns: Int64) -> Float64:
    """Return :func:`evidence` of all *rows* × *columns*, computed only where the line agrees."""
    at_row, at_column = np.nonzero(left.line[rows][:, None] == right.line[columns][None, :])
    worth = np.zeros((len(rows), len(columns)))
    for first in range(0, len(at_row), 1 << 15):  # bounds the temporaries of the likeness
        piece = slice(first, first + (1 << 15))
        pair = at_row[piece], at_column[piece]
        worth[pair] = evidence(left, right, rows[pair[0]], columns[pair[1]])
    return worth
