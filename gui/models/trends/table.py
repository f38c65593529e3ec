"""The table of judgements: layers in metrics, those that leave first on top."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.records.trends import TrendJudgements, TrendsReport
from gui.models.roles import Role
from gui.models.table.column_table import ColumnTable
from gui.models.table.table_column import Face, TableColumn
from gui.models.trends.columns import FIRST_STEP, JUDGED_COLUMNS, layer_name, metric_name
from gui.models.trends.words import telling_parts
from gui.names import shown


class JudgementsModel(ColumnTable):
    """All layers in all metrics, or those of one metric."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(JUDGED_COLUMNS, (FIRST_STEP, False), parent)
        self._metric = -1

    def set_report(self, report: TrendsReport | None) -> None:
        """Show another report; how it is sorted stays."""
        self.beginResetModel()
        if report is None:
            self._set_source(0)
        else:
            self._set_source(len(report.judgements), report.judgements, report, telling_parts(report.layers))
        self.endResetModel()

    def set_metric(self, metric: str) -> None:
        """Show the layers in *metric* alone; an empty one shows all."""
        self.beginResetModel()
        report = self._source[1] if self._source is not None else None
        known = report is not None and metric in report.metrics
        self._metric = report.metrics.index(metric) if known and report is not None else -1
        self._show()
        self.endResetModel()

    def row_of(self, metric: str, layer: str) -> int:
        """Return the row of a layer in a metric; -1 where there is none."""
        if self._source is None:
            return -1
        rows, report, _ = self._source
        if metric not in report.metrics or layer not in report.layers:
            return -1
        same = (rows.metric == report.metrics.index(metric)) & (rows.layer == report.layers.index(layer))
        found = np.flatnonzero(same)
        return int(found[0]) if len(found) else -1

    def _mask(self) -> np.ndarray | None:
        if self._metric < 0 or self._source is None:
            return None
        rows: TrendJudgements = self._source[0]
        mask: np.ndarray = rows.metric == self._metric
        return mask

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        assert self._source is not None
        rows, report, names = self._source
        if role == Role.FACE and column.face is Face.OPERATOR:
            return Face.NAME.value  # the number of a layer stands at its beginning
        if role == Role.FACE:
            quiet = column.face is Face.NUMBER and not rows.over[row]
            return Face.DIM.value if quiet else column.face.value
        if role == Role.CHANGED:
            return column.key in ("first", "worst", "over") and bool(rows.over[row])
        if role == Qt.ItemDataRole.ToolTipRole and column.key in ("layer", "metric"):
            return shown(f"{layer_name(rows, report, names, row)}\n{metric_name(rows, report, names, row)}")
        return None
