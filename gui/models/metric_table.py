"""The metric table: a permutation of a cell's rows, sorted and filtered in numpy.

Cells are formatted when they are drawn. There is no proxy model: sorting a million rows is one argsort.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.result import CellResult
from gui.models.columns import COLUMNS, Face, verdict_tip
from gui.models.facts import Facts
from gui.models.roles import Role
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FORMULA = ("=", "+", "-", "@")


class MetricTable(QAbstractTableModel):
    """Rows of one cell as the view shows them; ``shown`` maps view rows to rows of the result."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._cell: CellResult | None = None
        self._facts: Facts | None = None
        self._mask: np.ndarray | None = None
        self._order: np.ndarray | None = None
        self.sort_column = -1
        self.sort_descending = False
        self.shown = np.empty(0, np.int64)

    def set_cell(self, cell: CellResult | None, facts: Facts | None) -> None:
        """Show another cell, unfiltered; the sort order is kept."""
        self.beginResetModel()
        self._cell, self._facts = cell, facts
        self._mask = None
        self._sort()
        self._show()
        self.endResetModel()

    def set_mask(self, mask: np.ndarray | None) -> None:
        """Show only the rows where *mask* is true; ``None`` shows all."""
        self.beginResetModel()
        self._mask = mask
        self._show()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by *column*; -1 is the order of execution. Values that are not there come last."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        rows = [(int(self.shown[index.row()]), index.column()) for index in before]
        self.sort_column, self.sort_descending = column, order == Qt.SortOrder.DescendingOrder
        self._sort()
        self._show()
        places = {row: self.view_row(row) for row, _ in rows}
        self.changePersistentIndexList(before, [self.index(places[row], column) for row, column in rows])
        self.layoutChanged.emit()

    def _sort(self) -> None:
        if self._cell is None or self._facts is None or self.sort_column < 0:
            self._order = None
            return
        keys = COLUMNS[self.sort_column].sort(self._cell, self._facts)
        if self.sort_descending:
            keys = (
                ~keys
                if keys.dtype.kind == "u"
                else -keys.astype(np.int64)
                if keys.dtype.kind == "i"
                else -keys
            )
        self._order = np.argsort(keys, kind="stable")  # NaN sorts last in either direction

    def _show(self) -> None:
        if self._facts is None:
            self.shown = np.empty(0, np.int64)
        elif self._order is None:
            self.shown = np.arange(len(self._facts)) if self._mask is None else np.flatnonzero(self._mask)
        else:
            self.shown = self._order if self._mask is None else self._order[self._mask[self._order]]

    def view_row(self, row: int) -> int:
        """Return where row *row* of the result is shown, -1 if it is filtered away."""
        if self._order is None:
            place = int(np.searchsorted(self.shown, row))
            return place if place < len(self.shown) and self.shown[place] == row else -1
        found = np.flatnonzero(self.shown == row)
        return int(found[0]) if len(found) else -1

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._cell is None or self._facts is None:
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.show(self._cell, self._facts, int(self.shown[index.row()]))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        if role == Role.FACE:
            return column.face.value
        if role == Role.CATEGORY and column.face is Face.VERDICT:
            return int(self._facts.category[self.shown[index.row()]])
        if role == Qt.ItemDataRole.ToolTipRole and column.face in (Face.NAME, Face.OPERATOR, Face.DIM):
            return shown(column.show(self._cell, self._facts, int(self.shown[index.row()])))
        if role == Qt.ItemDataRole.ToolTipRole and column.face is Face.VERDICT:
            return verdict_tip(self._cell, self._facts, int(self.shown[index.row()]))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return str(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = ("  ↓" if self.sort_descending else "  ↑") if section == self.sort_column else ""
            return COLUMNS[section].title + arrow
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if COLUMNS[section].face is Face.NUMBER else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return text(f"gui.column.{COLUMNS[section].key}.help")
        return None

    def retranslate(self) -> None:
        """Tell views that headings and words changed."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def tab_separated(self, view_rows: list[int], columns: list[int]) -> str:
        """Return the cells as text for a spreadsheet, with headings; numbers in full precision.

        A text that a spreadsheet would take for a formula gets an apostrophe.
        """
        if self._cell is None or self._facts is None:
            return ""
        lines = ["\t".join(COLUMNS[column].title for column in columns)]
        for view_row in view_rows:
            row = int(self.shown[view_row])
            cells = []
            for column in columns:
                cell = COLUMNS[column].plain(self._cell, self._facts, row)
                if COLUMNS[column].face is not Face.NUMBER and cell.startswith(_FORMULA):
                    cell = "'" + cell
                cells.append(" ".join(cell.split()) if "\t" in cell or "\n" in cell else cell)
            lines.append("\t".join(cells))
        return "\n".join(lines) + "\n"
