"""The headroom table: a permutation of the measured slots, the tightest first, sorted in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.dump import Dump
from core.records.headroom import Answer, HeadroomTable
from gui.models.columns import Face
from gui.models.headroom_columns import BITS, FATES, ROOM_COLUMNS, is_quiet
from gui.models.roles import Role
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FORMULA = ("=", "+", "-", "@")


class HeadroomModel(QAbstractTableModel):
    """Slots of one cell; ``order`` maps rows of the view to rows of the measurement."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._rows: HeadroomTable | None = None
        self._dump: Dump | None = None
        self.sort_column, self.sort_descending = BITS, False
        self.order = np.empty(0, np.int64)
        self._places: np.ndarray | None = None

    def set_rows(self, rows: HeadroomTable | None, dump: Dump | None) -> None:
        """Show the slots of another cell; how they are sorted stays."""
        self.beginResetModel()
        self._rows, self._dump = rows, dump
        self._sort()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by *column*; what is not known comes last either way."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(int(self.order[index.row()]), index.column()) for index in before]
        self.sort_column, self.sort_descending = column, order == Qt.SortOrder.DescendingOrder
        self._sort()
        after = [self.index(self.view_row(row), column) for row, column in kept]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(ROOM_COLUMNS) - 1)

    def _sort(self) -> None:
        self._places = None
        if self._rows is None or self._dump is None:
            self.order = np.empty(0, np.int64)
            return
        keys = ROOM_COLUMNS[self.sort_column].sort(self._rows, self._dump)
        if self.sort_descending:
            keys = -keys.astype(np.int64) if keys.dtype.kind in "ui" else -keys
        self.order = np.argsort(keys, kind="stable")  # NaN sorts last in either direction

    def view_row(self, row: int) -> int:
        """Return where *row* of the measurement is shown, -1 for none."""
        if not 0 <= row < len(self.order):
            return -1
        if self._places is None:
            self._places = np.empty(len(self.order), np.int64)
            self._places[self.order] = np.arange(len(self.order))
        return int(self._places[row])

    # ---- for the view

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(ROOM_COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        rows, dump = self._rows, self._dump
        if not index.isValid() or rows is None or dump is None:
            return None
        column, row = ROOM_COLUMNS[index.column()], int(self.order[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return column.show(rows, dump, row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        fate = column.key in FATES
        if role == Role.FACE:
            quiet = is_quiet(rows, column.key, row) if fate else self._no_number(index.column(), row)
            return Face.DIM.value if quiet else column.face.value
        if role == Role.CHANGED:
            return column.key == "overflow" and int(rows.overflow[row]) >= Answer.SOME
        if role == Qt.ItemDataRole.ToolTipRole and column.face is Face.OPERATOR:
            return shown(column.show(rows, dump, row))
        return None

    def _no_number(self, column: int, row: int) -> bool:
        key = {"bits": "headroom", "largest": "peak"}.get(ROOM_COLUMNS[column].key)
        return key is not None and bool(np.isnan(getattr(self._rows, key)[row]))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return str(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if not 0 <= section < len(ROOM_COLUMNS):
            return None
        column = ROOM_COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = ("  ↓" if self.sort_descending else "  ↑") if section == self.sort_column else ""
            return column.title + arrow
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return text(f"gui.headroom.column.{column.key}.help")
        return None

    def retranslate(self) -> None:
        """Tell views that headings and words changed."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(ROOM_COLUMNS) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(ROOM_COLUMNS) - 1)

    def tab_separated(self, view_rows: list[int]) -> str:
        """Return rows as text for a spreadsheet, with headings; numbers in full precision.

        A text that a spreadsheet would take for a formula gets an apostrophe.
        """
        if self._rows is None or self._dump is None or not view_rows:
            return ""
        lines = ["\t".join(column.title for column in ROOM_COLUMNS)]
        for view_row in view_rows:
            row = int(self.order[view_row])
            cells = [column.plain(self._rows, self._dump, row) for column in ROOM_COLUMNS]
            guarded = [
                f"'{cell}" if column.face is not Face.NUMBER and cell.startswith(_FORMULA) else cell
                for column, cell in zip(ROOM_COLUMNS, cells)
            ]
            lines.append("\t".join(" ".join(cell.split()) for cell in guarded))
        return "\n".join(lines) + "\n"
