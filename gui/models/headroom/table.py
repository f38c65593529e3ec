"""The headroom table: the measured slots of a cell, the tightest first."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.records.dump import Dump
from core.records.headroom import Answer, HeadroomTable
from gui.models.headroom.columns import BITS, FATES, ROOM_COLUMNS, is_infinite, is_quiet
from gui.models.roles import Role
from gui.models.table.column_table import ColumnTable
from gui.models.table.table_column import Face, TableColumn
from gui.names import shown

_MEASURED = {"bits": "headroom", "largest": "peak"}
"""What the columns of numbers that may be unknown are read from."""


class HeadroomModel(ColumnTable):
    """Slots of one cell."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(ROOM_COLUMNS, (BITS, False), parent)

    def set_rows(self, rows: HeadroomTable | None, dump: Dump | None) -> None:
        """Show the slots of another cell; how they are sorted stays."""
        self.beginResetModel()
        if rows is None or dump is None:
            self._set_source(0)
        else:
            self._set_source(len(rows), rows, dump)
        self.endResetModel()

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        assert self._source is not None
        rows, dump = self._source
        if role == Role.FACE:
            return Face.DIM.value if _is_dim(rows, column.key, row) else column.face.value
        if role == Role.CHANGED:
            beyond = int(rows.overflow[row]) >= Answer.SOME or is_infinite(rows, row)
            return column.key == "overflow" and beyond
        if role == Qt.ItemDataRole.ToolTipRole and column.face is Face.OPERATOR:
            return shown(column.show(rows, dump, row))
        return None


def _is_dim(rows: HeadroomTable, key: str, row: int) -> bool:
    if key in FATES:
        return is_quiet(rows, key, row) and not (key == "overflow" and is_infinite(rows, row))
    return key in _MEASURED and bool(np.isnan(getattr(rows, _MEASURED[key])[row]))
