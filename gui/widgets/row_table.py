"""A table of rows that are looked at one by one: selected as a whole, entered with Enter."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView

from gui.models.column_table import UNSORTED, ColumnTable
from gui.models.table_column import Face
from gui.theme import Theme
from gui.widgets.cell_delegate import CellDelegate

_ROW, _HEADER = 27, 29
_PARTLY_SEEN = 28
"""Pixels at the lower edge where a row may be cut."""


class RowTable(QTableView):
    """Shows a :class:`ColumnTable`; its rows are told of by their places in the model's source."""

    row_chosen = Signal(int)
    """The user looks at another row."""
    entered_on = Signal()
    """Enter is pressed, or a row is clicked twice, whatever the platform makes of that."""
    sorted_anew = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, rows: ColumnTable, least_rows: int = 2, around: int = 4) -> None:
        super().__init__()
        self._rows = rows
        self._name = [column.face for column in rows.columns].index(Face.OPERATOR)
        self._following = False
        self.setModel(rows)
        self.setItemDelegate(CellDelegate(theme, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setMinimumHeight(_HEADER + least_rows * _ROW + around)
        beside = self.verticalHeader()
        beside.hide()
        beside.setSectionResizeMode(beside.ResizeMode.Fixed)
        beside.setDefaultSectionSize(_ROW)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setFixedHeight(_HEADER)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.sectionClicked.connect(self.sort_by)
        self.doubleClicked.connect(self.entered_on)
        self.selectionModel().currentRowChanged.connect(self._choose)
        rows.modelAboutToBeReset.connect(self._hold)
        rows.modelReset.connect(self._let_go)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    # ---- the row that is looked at

    def _hold(self) -> None:
        self._following = True

    def _let_go(self) -> None:
        self._following = False

    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._following and current.isValid():
            self._following = True
            self.row_chosen.emit(int(self._rows.order[current.row()]))
            self._following = False

    def follow(self, row: int, bring: bool = True, centre: bool = False) -> None:
        """Select *row*, nothing if it is not shown; :attr:`row_chosen` says nothing of that.

        *bring* it into view, to the *centre* if it is out of sight; the table does not move sideways.
        """
        if self._following:
            return
        at = self._rows.view_row(row)
        self._following = True
        if at < 0:
            self.clearSelection()
            self.selectionModel().clearCurrentIndex()
        else:
            index = self._rows.index(at, self._name)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.setAutoScroll(bring)
            self.selectionModel().setCurrentIndex(index, flags)
            self.setAutoScroll(True)
            if bring:
                self._bring(index, centre)
        self._following = False

    def _bring(self, index: QModelIndex, centre: bool) -> None:
        hint, bar = QAbstractItemView.ScrollHint, self.horizontalScrollBar()
        last = self.rowAt(self.viewport().height() - _PARTLY_SEEN)
        seen = self.rowAt(0) <= index.row() and (last < 0 or index.row() < last)
        left = bar.value()
        self.scrollTo(index, hint.PositionAtCenter if centre and not seen else hint.EnsureVisible)
        bar.setValue(left)

    # ---- sorting and copying

    def sort_by(self, column: int) -> None:
        """Sort by *column*: the worst first, then the other way round, then as at first again."""
        self._rows.sort_next(column)
        if self._rows.sort_column != UNSORTED:
            self.scrollToTop()
        self.sorted_anew.emit()

    def selected_rows(self) -> list[int]:
        """Return where the selected rows are in the view, from the top."""
        return sorted({index.row() for index in self.selectionModel().selectedRows()})
