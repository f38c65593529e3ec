"""The columns of a table on show: which, how wide and in which order, and what can be done with one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWhatsThis, QWidget

from core.messages import text
from core.records.dump import STATISTICS
from gui.models.table.column_table import UNSORTED, ColumnTable
from gui.settings import Settings
from gui.views.table.choice import ColumnChoice
from gui.widgets.row_table import RowTable

_NAME_ROOM, _LEAST_NAME_ROOM = 270, 236
"""Pixels of the operator column: for which others get narrower, and that it has at least."""
_LEAST = {
    "reason": 110, "shape": 92, "dtype": 68, "slot": 140, "target_value": 70, "error": 80, "allowed": 80,
    "cosine": 88, "max_abs": 80, "evidence": 84,
}  # fmt: skip
"""Pixels down to which a column gives room to the operator's name."""
_AROUND_TITLE = 18
_OF_STATISTICS = tuple(f"_{name}" for name in STATISTICS)


class ColumnKeeper(QObject):
    """Applies and records the columns of one table view."""

    changed = Signal()
    """The user shows, hides or moves a column."""

    def __init__(self, table: RowTable, model: ColumnTable, choice: ColumnChoice, settings: Settings) -> None:
        super().__init__(table)
        self._table, self._model, self._choice, self._settings = table, model, choice, settings
        self._arranging = False
        header = table.heading
        header.setSectionsMovable(True)
        header.setContextMenuPolicy(header.contextMenuPolicy().CustomContextMenu)
        header.customContextMenuRequested.connect(self._menu_at)
        table.heading_menu_wanted.connect(self._menu_under)
        self.apply()
        header.sectionResized.connect(self._resized)
        header.sectionMoved.connect(self._moved)

    # ---- showing what is chosen

    def apply(self) -> None:
        """Show the chosen columns in their order, as wide as they were made."""
        keys = [column.key for column in self._model.columns]
        shown = [key for key in self._choice.shown() if key in keys]
        with self._arranged():
            for number, column in enumerate(self._model.columns):
                self._table.setColumnHidden(number, column.key not in shown)
                self._table.setColumnWidth(number, self._width(number))
            for place, key in enumerate([*shown, *(key for key in keys if key not in shown)]):
                self._table.heading.moveSection(self._table.heading.visualIndex(keys.index(key)), place)

    def fit(self) -> None:
        """Give the operator column the room that the others leave, unless widths were chosen."""
        if "operator" in self._settings.column_widths:
            return
        others = [number for number in self.visible() if number]
        widths = {number: self._width(number) for number in others}
        room = self._table.viewport().width() - sum(widths.values())
        for number in others:
            key = self._model.columns[number].key
            least = max(_LEAST.get(key, widths[number]), self._heading_width(number))
            if room < _NAME_ROOM and key not in self._settings.column_widths and least < widths[number]:
                given = min(widths[number] - least, _NAME_ROOM - room)
                widths[number] -= given
                room += given
        with self._arranged():
            for number, width in widths.items():
                self._table.setColumnWidth(number, width)
            self._table.setColumnWidth(0, max(min(room, 520), _LEAST_NAME_ROOM))

    def _width(self, number: int) -> int:
        column = self._model.columns[number]
        chosen = self._settings.column_widths.get(column.key)
        return chosen or max(column.width, self._heading_width(number))

    def _heading_width(self, number: int) -> int:
        """Return the pixels that the title needs in the language in force."""
        metrics = self._table.heading.fontMetrics()
        return metrics.horizontalAdvance(self._model.columns[number].title) + _AROUND_TITLE

    @contextmanager
    def _arranged(self) -> Iterator[None]:
        """Take what happens to the headings meanwhile for not the user's doing."""
        before, self._arranging = self._arranging, True
        yield
        self._arranging = before

    def visible(self) -> list[int]:
        """Return the shown columns from left to right."""
        header = self._table.heading
        order = [header.logicalIndex(place) for place in range(header.count())]
        return [number for number in order if not self._table.isColumnHidden(number)]

    # ---- what the user does

    def menu(self, parent: QWidget) -> QMenu:
        """Return a new menu of all columns, to be deleted by the caller."""
        menu = QMenu(parent)
        statistics: QMenu | None = None
        for number, column in enumerate(self._model.columns):
            if column.key.endswith(_OF_STATISTICS):
                statistics = statistics or menu.addMenu(text("gui.columns.statistics"))
            place = statistics if column.key.endswith(_OF_STATISTICS) and statistics is not None else menu
            action = place.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self._table.isColumnHidden(number))
            action.setEnabled(column.key != "operator")
            action.toggled.connect(partial(self._show, number))
        menu.addSeparator()
        menu.addAction(text("gui.table.reset_columns")).triggered.connect(self.reset)
        return menu

    def heading_menu(self, number: int, parent: QWidget) -> QMenu:
        """Return a new menu of what can be done with column *number*, to be deleted by the caller."""
        menu = QMenu(parent)
        menu.addAction(text("gui.heading.sort")).triggered.connect(partial(self._sort, number, False))
        also = menu.addAction(text("gui.heading.sort_also"))
        also.triggered.connect(partial(self._sort, number, True))
        also.setEnabled(bool(self._model.sort_keys))
        unsort = menu.addAction(text("gui.heading.unsort"))
        unsort.triggered.connect(partial(self._sort, UNSORTED, False))
        unsort.setEnabled(bool(self._model.sort_keys))
        menu.addSeparator()
        menu.addAction(text("gui.heading.what")).triggered.connect(partial(self._explain, number))
        hide = menu.addAction(text("gui.heading.hide"))
        hide.triggered.connect(partial(self._show, number, False))
        hide.setEnabled(self._model.columns[number].key != "operator")
        columns = self.menu(menu)
        columns.setTitle(text("gui.table.columns"))
        menu.addMenu(columns)
        return menu

    def _menu_at(self, position: QPoint) -> None:
        number = self._table.heading.column_at(position)
        if number >= 0:
            self._offer(number, QCursor.pos())

    def _menu_under(self, number: int) -> None:
        self._offer(number, self._below(number))

    def _below(self, number: int) -> QPoint:
        """Return where the heading of *number* ends on the screen."""
        left = max(self._table.columnViewportPosition(number), 0)
        return self._table.viewport().mapToGlobal(QPoint(left, 0))

    def _offer(self, number: int, place: QPoint) -> None:
        menu = self.heading_menu(number, self._table)
        menu.exec(place)
        menu.deleteLater()

    def _sort(self, number: int, also: bool) -> None:
        self._table.sort_by(number, also)

    def _explain(self, number: int) -> None:
        QWhatsThis.showText(self._below(number), self._model.columns[number].help, self._table)

    def _show(self, number: int, shown: bool) -> None:
        with self._arranged():
            self._table.setColumnHidden(number, not shown)
            if shown and self._table.columnWidth(number) < 20:
                self._table.setColumnWidth(number, self._model.columns[number].width)
        self._keep()

    def _moved(self) -> None:
        if not self._arranging:
            self._keep()

    def _keep(self) -> None:
        self._choice.keep([self._model.columns[number].key for number in self.visible()])
        self.changed.emit()

    def _resized(self, number: int, _old: int, width: int) -> None:
        if width > 10 and not self._arranging:
            self._settings.column_widths[self._model.columns[number].key] = width

    def reset(self) -> None:
        """Show the columns as they are at first."""
        self._choice.reset()
        self._settings.column_widths = {}
        self.apply()
        self.fit()
        self.changed.emit()
