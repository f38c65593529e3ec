"""Which columns the table shows, how wide and in which order; remembered by their keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QTableView, QWidget

from core.messages import text
from gui.models.columns import COLUMNS, EXPLORED
from gui.settings import DEFAULT_HIDDEN, Settings

_NAME_ROOM, _LEAST_NAME_ROOM = 270, 236
"""Pixels of the operator column: for which others get narrower, and that it has at least."""
_LEAST = {
    "reason": 110, "shape": 92, "dtype": 68, "slot": 76, "target_value": 70, "error": 80, "allowed": 80,
    "cosine": 88, "max_abs": 80, "evidence": 84, "target_max": 80, "target_min": 80, "target_mean": 80,
    "target_norm": 80,
}  # fmt: skip
"""Pixels down to which a column gives room to the operator's name."""


class ColumnKeeper(QObject):
    """Applies and records the columns of one table view."""

    changed = Signal()

    def __init__(self, table: QTableView, settings: Settings) -> None:
        super().__init__(table)
        self._table, self._settings = table, settings
        self._exploring = False
        self._origins = False
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._menu_at)
        self.apply()
        header.sectionResized.connect(self._resized)

    def apply(self) -> None:
        """Set widths and visibility from the settings."""
        for number, column in enumerate(COLUMNS):
            width = self._settings.column_widths.get(column.key, column.width)
            self._table.setColumnHidden(number, self._is_hidden(column.key))
            self._table.setColumnWidth(number, width)

    def _is_hidden(self, key: str) -> bool:
        if self._exploring:
            return key not in EXPLORED
        return key in self._settings.hidden_columns or (key == "origin" and not self._origins)

    def suit(self, exploring: bool, origins: bool) -> None:
        """Show what there is to see of one run alone, or the columns that the user chose for comparing.

        The column of origins is left out where *origins* says that none is known.
        """
        if (exploring, origins) != (self._exploring, self._origins):
            self._exploring, self._origins = exploring, origins
            header = self._table.horizontalHeader()
            header.blockSignals(True)
            self.apply()
            header.blockSignals(False)
            self.fit()

    def fit(self) -> None:
        """Give the operator column the room that the others leave, unless widths were chosen."""
        if "operator" in self._settings.column_widths:
            return
        others = [number for number in self.visible() if number]
        widths = {
            number: self._settings.column_widths.get(COLUMNS[number].key, COLUMNS[number].width)
            for number in others
        }
        room = self._table.viewport().width() - sum(widths.values())
        for number in others:
            key = COLUMNS[number].key
            least = _LEAST.get(key, widths[number])
            if room < _NAME_ROOM and key not in self._settings.column_widths and least < widths[number]:
                given = min(widths[number] - least, _NAME_ROOM - room)
                widths[number] -= given
                room += given
        self._table.horizontalHeader().blockSignals(True)
        for number, width in widths.items():
            self._table.setColumnWidth(number, width)
        self._table.setColumnWidth(0, max(min(room, 520), _LEAST_NAME_ROOM))
        self._table.horizontalHeader().blockSignals(False)

    def visible(self) -> list[int]:
        """Return the shown columns from left to right."""
        header = self._table.horizontalHeader()
        order = [header.logicalIndex(place) for place in range(header.count())]
        return [number for number in order if not self._table.isColumnHidden(number)]

    def menu(self, parent: QWidget) -> QMenu:
        """Return a new menu of all columns, to be deleted by the caller."""
        menu = QMenu(parent)
        for number, column in enumerate(COLUMNS):
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self._table.isColumnHidden(number))
            action.setEnabled(column.key != "operator")
            action.toggled.connect(partial(self._show, number))
        menu.addSeparator()
        menu.addAction(text("gui.table.reset_columns")).triggered.connect(self.reset)
        return menu

    def _menu_at(self, _position: QPoint) -> None:
        menu = self.menu(self._table)
        menu.exec(QCursor.pos())
        menu.deleteLater()

    def _show(self, number: int, shown: bool) -> None:
        self._table.setColumnHidden(number, not shown)
        if shown and self._table.columnWidth(number) < 20:
            self._table.setColumnWidth(number, COLUMNS[number].width)
        if self._exploring:
            return
        was, key = self._settings.hidden_columns, COLUMNS[number].key
        self._settings.hidden_columns = [
            column.key for column in COLUMNS if (not shown if column.key == key else column.key in was)
        ]
        self.changed.emit()

    def _resized(self, number: int, _old: int, width: int) -> None:
        if width > 10:
            self._settings.column_widths[COLUMNS[number].key] = width

    def reset(self) -> None:
        """Show the columns as they are at first."""
        self._settings.hidden_columns = list(DEFAULT_HIDDEN)
        self._settings.column_widths = {}
        self.apply()
        self._settings.column_widths = {}
        self.changed.emit()
