"""The card with the slots, the tightest first."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.copying import may_be_copied
from gui.headroom import HeadroomState
from gui.models.headroom_columns import BITS, ROOM_COLUMNS, call_name
from gui.models.headroom_table import HeadroomModel
from gui.widgets.card import Card
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_LEAST_NAME, _AMPLE_NAME = 180, 440
_WIDER_SLOT = 90
"""Pixels that the slots get beside their own where the names have plenty."""
_GO_FIRST = ("dtype", "evidence", "slot")
"""Columns that go, one after the other, where the names would have less than that."""


class HeadroomTableCard(Translated, Card):
    """Selecting a row looks at its slot; Enter shows it in the comparison."""

    entered_on = Signal()

    def __init__(self, context: Context, state: HeadroomState) -> None:
        super().__init__()
        self._session, self._state = context.session, state
        self._following = False
        self.model = HeadroomModel(self)
        self.table = RowTable(context.theme)
        self.table.setModel(self.model)
        self.body.addWidget(self.table)
        self.table.viewport().installEventFilter(self)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.table.horizontalHeader().sectionClicked.connect(self.sort_by)
        self.table.entered_on.connect(self.entered_on)
        self.table.doubleClicked.connect(self.entered_on)
        self.table.customContextMenuRequested.connect(self._menu)
        state.changed.connect(self._load)
        state.row_changed.connect(self._follow_row)
        self.retranslate()
        self._load()

    # ---- content

    def _load(self) -> None:
        room, cell = self._state.room, self._session.cell
        self._following = True
        if room is None or cell is None:
            self.model.set_rows(None, None)
        else:
            self.model.set_rows(room.headroom.rows, cell.target)
        self._following = False
        self._heading()
        self.table.setAutoScroll(False)  # what is tightest is what one comes for, whatever is selected
        self._follow(bring=False)
        self.table.setAutoScroll(True)
        self.table.scrollToTop()

    def sort_by(self, column: int) -> None:
        """Sort by *column*: the worst first, then the other way round, then the tightest first again."""
        model, first_down = self.model, ROOM_COLUMNS[column].largest_first
        if model.sort_column != column:
            wanted, down = column, first_down
        elif model.sort_descending == first_down:
            wanted, down = column, not first_down
        else:
            wanted, down = BITS, False
        self.model.sort(wanted, Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
        self.table.scrollToTop()
        self._heading()

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._following = True
            self._state.choose(int(self.model.order[current.row()]))
            self._following = False

    def _follow(self, bring: bool = True) -> None:
        if self._following:
            return
        at = self.model.view_row(self._state.row)
        self._following = True
        if at < 0:
            self.table.clearSelection()
            self.table.selectionModel().clearCurrentIndex()
        else:
            index = self.model.index(at, 0)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, flags)
            if bring:
                left = self.table.horizontalScrollBar().value()
                self.table.scrollTo(index)
                self.table.horizontalScrollBar().setValue(left)
        self._following = False

    def _follow_row(self) -> None:
        self._follow()

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        if not may_be_copied(self._session, len(rows)):
            return ""
        return self.model.tab_separated(rows)

    def _menu(self, position: QPoint) -> None:
        index = self.table.indexAt(position)
        room, cell = self._state.room, self._session.cell
        if not index.isValid() or room is None or cell is None:
            return
        menu = QMenu(self.table)
        show, copy = menu.addAction(text("gui.overflow.show")), menu.addAction(text("gui.action.copy"))
        name = menu.addAction(text("gui.table.copy_name"))
        chosen = menu.exec(self.table.viewport().mapToGlobal(position))
        menu.deleteLater()
        if chosen is show:
            self.entered_on.emit()
        elif chosen is copy:
            QGuiApplication.clipboard().setText(self.copied_text())
        elif chosen is name:
            row = int(self.model.order[index.row()])
            QGuiApplication.clipboard().setText(call_name(room.headroom.rows, cell.target, row))

    # ---- looks

    def fit(self) -> None:
        """Give the names what the other columns leave; hide those that would leave too little."""
        room = self.table.viewport().width()
        widths = {number: column.width for number, column in enumerate(ROOM_COLUMNS)}
        hidden: set[str] = set()
        for key in ("", *_GO_FIRST):
            hidden |= {key}
            taken = sum(
                w for number, w in widths.items() if number and ROOM_COLUMNS[number].key not in hidden
            )
            if room - taken >= _LEAST_NAME:
                break
        spare = min(max(room - taken - _AMPLE_NAME, 0), _WIDER_SLOT)
        taken += spare
        for number, column in enumerate(ROOM_COLUMNS):
            widths[number] += spare if column.key == "slot" else 0
            self.table.setColumnHidden(number, column.key in hidden)
            self.table.setColumnWidth(number, widths[number] if number else max(room - taken, _LEAST_NAME))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.table.viewport():
            self.fit()
        return False

    def _heading(self) -> None:
        room = self._state.room
        first = self.model.sort_column == BITS and not self.model.sort_descending
        column = ROOM_COLUMNS[self.model.sort_column].title
        title = text("gui.headroom.tightest") if first else text("gui.headroom.sorted", column=column)
        subtitle = ""
        if room is not None:
            counts = {name: numbers.grouped(count) for name, count in room.counts.items()}
            subtitle = text("gui.headroom.counts", **counts)
        self.set_title(title, subtitle)

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("gui.headroom.table"))
        self.model.retranslate()
        self._heading()
