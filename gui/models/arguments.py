"""The slots of one call, both sides next to each other."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from gui.models.details import Argument
from gui.models.roles import Role
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_TITLES = ("gui.arguments.slot", "gui.target", "gui.golden")


class ArgumentTable(QAbstractTableModel):
    """Three columns: slot, target, golden."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.arguments: list[Argument] = []

    def set_arguments(self, arguments: list[Argument]) -> None:
        """Show another call."""
        self.beginResetModel()
        self.arguments = arguments
        self.endResetModel()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.arguments)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item = self.arguments[index.row()]
        words = (item.slot, item.target, item.golden)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role == Qt.ItemDataRole.ToolTipRole:
            return shown(words)
        if role == Role.CATEGORY and index.column() == 0:
            return int(item.category)
        if role == Role.CHANGED:
            return item.changed and index.column() > 0
        if role == Role.FACE:
            return "name" if index.column() else "verdict"
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(_TITLES):
            if role == Qt.ItemDataRole.DisplayRole:
                return text(_TITLES[section])
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def retranslate(self) -> None:
        """Tell views that headings changed."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_TITLES) - 1)
