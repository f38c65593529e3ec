"""One column of the data flow."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from gui.models.call.flow import Station
from gui.models.roles import Role
from gui.names import shown, shown_lines

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


class FlowList(QAbstractListModel):
    """One item a station."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.stations: list[Station] = []

    def set_stations(self, stations: list[Station]) -> None:
        """Show another column."""
        self.beginResetModel()
        self.stations = stations
        self.endResetModel()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.stations)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        station = self.stations[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(station.title)
        if role == Role.DETAIL:
            return shown(station.detail)
        if role == Role.COUNT:
            return station.figures
        if role == Role.CATEGORY:
            return None if station.category is None else int(station.category)
        if role == Role.FACE:
            return "dim" if station.dim else "name"
        if role == Role.CHANGED:
            return station.grown
        if role == Qt.ItemDataRole.ToolTipRole:
            return shown_lines(station.help or f"{station.title}\n{station.detail}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            words = (station.title, station.category.word if station.category is not None else "",
                     station.detail, station.figures)  # fmt: skip
            return shown(", ".join(word for word in words if word))
        return None

    def as_text(self) -> str:
        """Return the column as tab-separated lines."""
        return "".join(f"{item.title}\t{item.detail}\t{item.figures}\n" for item in self.stations)
