"""What the rows of each call come to: the numbers of the table that has operators as rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.records.columns import Float64, Int32, UInt8
from core.records.result import CellResult, RowTable
from gui.models.call.details import rows_of_call
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts


@dataclass(frozen=True, eq=False)
class CallSummary:
    """Columns over the calls of one cell; rows are -1 where no output has such a number."""

    first_row: Int32
    category: UInt8
    """The worst of its rows."""
    worst_row: np.ndarray
    """The row to look at: of the worst verdict, an output before an input, the furthest beyond its limit."""
    error_row: np.ndarray
    """The output that is furthest beyond its limit, or nearest to it."""
    cosine_row: np.ndarray
    """The output with the lowest cosine."""
    max_abs_row: np.ndarray
    """The output with the largest absolute error."""
    slots: np.ndarray
    differing: np.ndarray
    """How many of its rows differ."""
    output_row: np.ndarray
    """Its first output, for a call without one its first row."""
    weight: Float64
    """How bad each row is: by verdict, outputs before inputs, then by error against what is allowed."""

    def __len__(self) -> int:
        return len(self.first_row)


def summary_of(cell: CellResult, facts: Facts) -> CallSummary:
    """Sum up the rows of each call of *cell*."""
    rows, first, outputs = cell.rows, facts.calls.first_row, facts.is_output
    beyond = excess(rows)
    # a share of 1 that grows with the excess, so that it never outweighs the verdict
    share = np.where(beyond >= 0, 1 - 1 / (1 + np.abs(beyond)), 0) * 0.999
    weight = 2.0 * facts.category + outputs + share
    every = np.ones(len(facts), bool)
    places = np.where(outputs, np.arange(len(facts)), len(facts))
    output = _reduced(np.minimum, places, first)
    return CallSummary(
        first_row=first,
        category=facts.calls.category,
        worst_row=_largest(weight, every, facts),
        error_row=_largest(beyond, outputs & (beyond >= 0), facts),
        cosine_row=_largest(-rows.cosine, outputs & ~np.isnan(rows.cosine), facts),
        max_abs_row=_largest(rows.max_abs, outputs & ~np.isnan(rows.max_abs), facts),
        slots=np.diff(first, append=len(facts)),
        differing=_reduced(np.add, (facts.category >= Category.INHERITED).astype(np.int64), first),
        output_row=np.where(output < len(facts), output, first),
        weight=weight,
    )


def _reduced(how: np.ufunc, values: np.ndarray, first_row: Int32) -> np.ndarray:
    """Return *values* of each call put together; there need not be any call."""
    return how.reduceat(values, first_row) if len(first_row) else values[:0]


def _largest(values: np.ndarray, counted: np.ndarray, facts: Facts) -> np.ndarray:
    """Return the first of the *counted* rows of each call with the largest value; -1 where none is."""
    seen = np.where(counted, values, -np.inf)
    largest = _reduced(np.maximum, seen, facts.calls.first_row)
    found = counted & (seen == largest[facts.call_of_row])
    places = np.where(found, np.arange(len(facts)), len(facts))
    first = _reduced(np.minimum, places, facts.calls.first_row)
    return np.where(first < len(facts), first, -1)


def excess(rows: RowTable) -> Float64:
    """Return the error of each row over what is allowed; -1 where it is not known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(rows.error == 0, 0.0, rows.error / rows.allowed)
    return np.where(np.isnan(ratio), -1.0, ratio)


def worst_row(facts: Facts, summary: CallSummary, call: int, mask: np.ndarray | None) -> int:
    """Return the row of *call* to look at, among those that *mask* lets pass."""
    worst = int(summary.worst_row[call])
    if mask is None or mask[worst]:
        return worst
    rows = rows_of_call(facts, int(summary.first_row[call]))
    weight = np.where(mask[rows.start : rows.stop], summary.weight[rows.start : rows.stop], -1.0)
    return rows.start + int(np.argmax(weight))
