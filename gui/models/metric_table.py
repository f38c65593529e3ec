"""The metric table: the rows of a cell, sorted by any of their numbers and filtered."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.records.result import CellResult
from gui.models.column_table import ColumnTable
from gui.models.columns import COLUMNS, verdict_tip
from gui.models.facts import Facts
from gui.models.roles import Role
from gui.models.table_column import Face, TableColumn
from gui.names import shown


class MetricTable(ColumnTable):
    """Rows of one cell, at first in the order of execution."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(COLUMNS, parent=parent)
        self._wanted: np.ndarray | None = None

    def set_cell(self, cell: CellResult | None, facts: Facts | None) -> None:
        """Show another cell, unfiltered; the sort order is kept."""
        self.beginResetModel()
        self._wanted = None
        if cell is None or facts is None:
            self._set_source(0)
        else:
            self._set_source(len(facts), cell, facts)
        self.endResetModel()

    def set_mask(self, mask: np.ndarray | None) -> None:
        """Show only the rows where *mask* is true; ``None`` shows all."""
        self.beginResetModel()
        self._wanted = mask
        self._show()
        self.endResetModel()

    def _mask(self) -> np.ndarray | None:
        return self._wanted

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        assert self._source is not None
        cell, facts = self._source
        if role == Role.CATEGORY and column.face is Face.VERDICT:
            return int(facts.category[row])
        if role == Qt.ItemDataRole.ToolTipRole and column.face in (Face.NAME, Face.OPERATOR, Face.DIM):
            return shown(column.show(cell, facts, row))
        if role == Qt.ItemDataRole.ToolTipRole and column.face is Face.VERDICT:
            return verdict_tip(cell, facts, row)
        return super()._look(column, row, role)
