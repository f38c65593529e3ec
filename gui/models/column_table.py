"""The model of a large table: a permutation of its rows, sorted in numpy; cells are written when drawn.

There is no proxy model: sorting a million rows is one argsort.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from gui.models.roles import Role
from gui.models.table_column import Face, TableColumn

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FORMULA = ("=", "+", "-", "@")
UNSORTED = -1
"""In place of a column: the rows stay in their own order."""


class ColumnTable(QAbstractTableModel):
    """``order`` maps rows of the view to rows of what is shown; *first* is how it is sorted at first."""

    def __init__(
        self, columns: Sequence[TableColumn], first: tuple[int, bool] = (UNSORTED, False), parent: Any = None
    ) -> None:
        super().__init__(parent)
        self.columns, self._first = columns, first
        self.sort_column, self.sort_descending = first
        self.order = np.empty(0, np.int64)
        self._source: tuple[Any, ...] | None = None
        self._rows = 0
        self._sorted = np.empty(0, np.int64)
        self._places: np.ndarray | None = None

    # ---- which rows, in which order

    def _set_source(self, rows: int, *source: Any) -> None:
        """Take *rows* rows of another *source*, none without one; how they are sorted stays."""
        self._rows, self._source = rows, source or None
        self._sort()
        self._show()

    def _mask(self) -> np.ndarray | None:
        """Return which rows are shown; ``None`` for all."""
        return None

    def _sort(self) -> None:
        if self._source is None or self.sort_column == UNSORTED:
            self._sorted = np.arange(self._rows if self._source is not None else 0)
            return
        keys = self.columns[self.sort_column].sort(*self._source)
        if self.sort_descending:
            keys = ~keys if keys.dtype.kind in "iu" else -keys  # the least integer has no negative
        self._sorted = np.argsort(keys, kind="stable")  # NaN sorts last in either direction

    def _show(self) -> None:
        mask = self._mask() if self._source is not None else None
        self._places = None
        self.order = self._sorted if mask is None else self._sorted[mask[self._sorted]]

    def view_row(self, row: int) -> int:
        """Return where *row* is shown, -1 for one that is not."""
        if not 0 <= row < self._rows:
            return -1
        if self._places is None:
            self._places = np.full(self._rows, -1, np.int64)
            self._places[self.order] = np.arange(len(self.order))
        return int(self._places[row])

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by *column*; what is not known comes last either way."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(int(self.order[index.row()]), index.column()) for index in before]
        self.sort_column, self.sort_descending = column, order == Qt.SortOrder.DescendingOrder
        self._sort()
        self._show()
        after = [self.index(self.view_row(row), place) for row, place in kept]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def sort_next(self, column: int) -> None:
        """Sort by *column* the worst first; if so it is, the other way round; then as at first again."""
        first_down = self.columns[column].largest_first
        if self.sort_column != column:
            wanted, down = column, first_down
        elif self.sort_descending == first_down:
            wanted, down = column, not first_down
        else:
            wanted, down = self._first
        self.sort(wanted, Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)

    @property
    def sorted_as_at_first(self) -> bool:
        """Whether the user has not sorted it otherwise."""
        return (self.sort_column, self.sort_descending) == self._first

    # ---- for the view

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._source is None:
            return None
        column, row = self.columns[index.column()], int(self.order[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return column.show(*self._source, row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        return self._look(column, row, role)

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        """Return what a cell is drawn with, and its tool tip."""
        return column.face.value if role == Role.FACE else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return str(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = ("  ↓" if self.sort_descending else "  ↑") if section == self.sort_column else ""
            return column.title + arrow
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        return column.help if role == Qt.ItemDataRole.ToolTipRole else None

    def retranslate(self) -> None:
        """Tell views that headings and words changed."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(self.columns) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    # ---- for a spreadsheet

    def tab_separated(self, view_rows: Sequence[int], columns: Sequence[int] | None = None) -> str:
        """Return rows as text for a spreadsheet, with headings; numbers in full precision.

        A text that a spreadsheet would take for a formula gets an apostrophe.
        """
        if self._source is None or not view_rows:
            return ""
        wanted = self.columns if columns is None else [self.columns[number] for number in columns]
        lines = ["\t".join(column.title for column in wanted)]
        for view_row in view_rows:
            row = int(self.order[view_row])
            lines.append("\t".join(_plain(column, column.plain(*self._source, row)) for column in wanted))
        return "\n".join(lines) + "\n"


def _plain(column: TableColumn, cell: str) -> str:
    """Return *cell* on one line, and as no formula."""
    if column.face is not Face.NUMBER and cell.startswith(_FORMULA):
        cell = f"'{cell}"
    return cell if cell.isprintable() else " ".join(cell.split())
