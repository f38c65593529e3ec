"""The way of bad values as a list: the stations of one birth, then where else they came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.overflow import Spread, Station
from gui import numbers
from gui.models.overflow.words import way_word
from gui.models.pair.suspects import cell_label

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


@dataclass(frozen=True)
class Stop:
    """One line: a station, or the heading of a cell that was reached."""

    station: Station
    heading: bool = False
    first: bool = False
    """Nothing stands before it on its path."""
    last: bool = False
    """Nothing follows on its path."""


def stops_of(spread: Spread | None) -> list[Stop]:
    """Return the lines of all paths of *spread*; with a heading for each where there are several."""
    stops = []
    for path in spread.paths if spread is not None else ():
        if not path:
            continue
        if spread is not None and len(spread.paths) > 1:
            stops.append(Stop(path[0], heading=True))
        for number, station in enumerate(path):
            stops.append(Stop(station, first=number == 0, last=number == len(path) - 1))
    return stops


class StationList(QAbstractListModel):
    """One item a line."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.stops: list[Stop] = []

    def set_spread(self, spread: Spread | None) -> None:
        """Show another one."""
        self.beginResetModel()
        self.stops = stops_of(spread)
        self.endResetModel()

    @property
    def stations(self) -> int:
        """How many stations there are."""
        return sum(not stop.heading for stop in self.stops)

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.stops)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self.stops[index.row()].heading:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        stop = self.stops[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_label(stop.station.cell) if stop.heading else stop.station.operator
        if role == Qt.ItemDataRole.AccessibleTextRole and not stop.heading:
            return f"{stop.station.operator}, {self.second_line(stop)}, {cell_label(stop.station.cell)}"
        if role == Qt.ItemDataRole.ToolTipRole and not stop.heading:
            return f"{stop.station.operator}\n{cell_label(stop.station.cell)}\n{self.second_line(stop)}"
        return None

    def second_line(self, stop: Stop) -> str:
        """Return how the values came to this station."""
        words = way_word(stop.station.way)
        if stop.station.skipped:
            count = stop.station.skipped
            words += " · " + text("gui.overflow.skipped", count=count, number=numbers.grouped(count))
        return words

    def as_text(self) -> str:
        """Return the way as people paste it."""
        lines = []
        for stop in self.stops:
            if stop.heading:
                lines.append(cell_label(stop.station.cell))
            else:
                lines.append(f"    {stop.station.operator}  ({self.second_line(stop)})")
        return "\n".join(lines)

    def retranslate(self) -> None:
        """Render all words anew."""
        self.layoutChanged.emit()
