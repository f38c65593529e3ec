"""The columns of the table of judgements: a layer in a metric, when it is bad first, how far it is apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.messages import text
from core.records.trends import TrendJudgements, TrendsReport
from gui import numbers
from gui.models.table.table_column import Face, TableColumn
from gui.models.trends.scale import difference_words

Names = tuple[str, ...]
"""Of the layers, short ones."""


class JudgedColumn(TableColumn[TrendJudgements, TrendsReport, Names]):
    """A column of the table of judgements."""

    @property
    def title(self) -> str:
        return text(f"gui.trends.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.trends.column.{self.key}.help")


def layer_name(rows: TrendJudgements, report: TrendsReport, _names: Names, row: int) -> str:
    """Return the layer of a row."""
    return report.layers[int(rows.layer[row])]


def _short_name(rows: TrendJudgements, _report: TrendsReport, names: Names, row: int) -> str:
    return names[int(rows.layer[row])]


def metric_name(rows: TrendJudgements, report: TrendsReport, _names: Names, row: int) -> str:
    """Return the metric of a row."""
    return report.metrics[int(rows.metric[row])]


def _layer_sort(rows: TrendJudgements, _report: TrendsReport, _names: Names) -> np.ndarray:
    return rows.layer


def _metric_sort(rows: TrendJudgements, _report: TrendsReport, _names: Names) -> np.ndarray:
    return rows.metric


def _first_sort(rows: TrendJudgements, _report: TrendsReport, _names: Names) -> np.ndarray:
    """Rows by their first bad step, then by metric and layer; rows without one last."""
    first = rows.first_bad_step.astype(np.float64)
    return np.where(rows.first_bad_step < 0, np.nan, first)


def _first(rows: TrendJudgements, _report: TrendsReport, _names: Names, row: int) -> str:
    step = int(rows.first_bad_step[row])
    return numbers.grouped(step) if step >= 0 else "—"


def _first_plain(rows: TrendJudgements, _report: TrendsReport, _names: Names, row: int) -> str:
    step = int(rows.first_bad_step[row])
    return str(step) if step >= 0 else ""


def _worst_sort(rows: TrendJudgements, _report: TrendsReport, _names: Names) -> np.ndarray:
    return np.where(rows.compared > 0, rows.worst, np.nan)


def _worst(rows: TrendJudgements, _report: TrendsReport, _names: Names, row: int) -> str:
    if not rows.compared[row]:
        return "—"
    return difference_words(float(rows.worst[row])).removeprefix("+")


def _worst_plain(rows: TrendJudgements, _report: TrendsReport, _names: Names, row: int) -> str:
    worst = float(rows.worst[row])
    return "" if not rows.compared[row] else repr(worst) if math.isfinite(worst) else "inf"


def _count(key: str, width: int) -> JudgedColumn:
    def sort(rows: TrendJudgements, _report: TrendsReport, _names: Names) -> np.ndarray:
        values: np.ndarray = getattr(rows, key)
        return values

    def show(rows: TrendJudgements, _report: TrendsReport, _names: Names, row: int) -> str:
        return numbers.grouped(int(getattr(rows, key)[row]))

    def plain(rows: TrendJudgements, _report: TrendsReport, _names: Names, row: int) -> str:
        return str(int(getattr(rows, key)[row]))

    return JudgedColumn(key, Face.NUMBER, width, sort, show, plain, True)


def _place(key: str, width: int) -> JudgedColumn:
    """Return a column that says where a layer is farthest apart; nothing where nothing is compared."""
    count = _count(key, width)

    def where(write: Callable[[TrendJudgements, TrendsReport, Names, int], str], none: str):  # type: ignore[no-untyped-def]
        def words(rows: TrendJudgements, report: TrendsReport, names: Names, row: int) -> str:
            return write(rows, report, names, row) if rows.compared[row] else none

        return words

    return JudgedColumn(key, Face.NUMBER, width, count.sort, where(count.show, "—"), where(count.plain, ""))


JUDGED_COLUMNS: tuple[JudgedColumn, ...] = (
    JudgedColumn("layer", Face.OPERATOR, 220, _layer_sort, _short_name, layer_name),
    JudgedColumn("metric", Face.DIM, 140, _metric_sort, metric_name, metric_name),
    JudgedColumn("first", Face.NUMBER, 90, _first_sort, _first, _first_plain),
    JudgedColumn("worst", Face.NUMBER, 80, _worst_sort, _worst, _worst_plain, True),
    _count("over", 70),
    _count("compared", 86),
    _place("worst_step", 92),
    _place("worst_rank", 92),
    _count("target_only", 92),
    _count("golden_only", 92),
    _count("golden_broken", 104),
    _count("clipped", 70),
)
"""In their order from left to right."""
FIRST_STEP = 2
"""The column that the table is sorted by at first."""
EMPTY_IF_NONE = ("target_only", "golden_only", "golden_broken", "clipped")
"""Columns that are there only where they say something."""
