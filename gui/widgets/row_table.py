"""A table of rows that are looked at one by one: selected as a whole, entered with Enter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from gui.looks.theme import Theme
from gui.models.table.column_table import UNSORTED, ColumnTable
from gui.models.table.table_column import Face
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.frozen_table import FrozenTable

_ROW, _HEADER = 27, 29
_PARTLY_SEEN = 28
"""Pixels at the lower edge where a row may be cut."""
_MOST_KEPT = 2_000
"""Selected rows that are found again one by one after sorting; of more, only all or the current one."""
_SHIFT, _CONTROL, _ALT = (
    Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier,
)  # fmt: skip
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RowTable(FrozenTable):
    """Shows a :class:`ColumnTable`; its rows are told of by their places in the model's source.

    Left and Right go from cell to cell; Ctrl+Enter sorts by the column of the current one, Shift+Enter by
    that one too, Alt+Down asks for the menu of its heading.
    """

    row_chosen = Signal(int)
    """The user looks at another row."""
    entered_on = Signal()
    """Enter is pressed, or a row is clicked twice, whatever the platform makes of that."""
    sorted_anew = Signal()
    resized = Signal()
    heading_menu_wanted = Signal(int)
    """The menu of a column is asked for by the keyboard."""

    def __init__(self, theme: Theme, rows: ColumnTable, least_rows: int = 2, around: int = 4) -> None:
        super().__init__(theme, [column.face for column in rows.columns].index(Face.OPERATOR))
        self._rows = rows
        self._following = False
        self.setModel(rows)
        # asked for each heading whether its whole column is selected, Qt would look at every row
        self.heading.setSelectionModel(QItemSelectionModel(rows, self.heading))
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
        header.sectionClicked.connect(self._heading_clicked)
        self.doubleClicked.connect(self.entered_on)
        self.selectionModel().currentRowChanged.connect(self._choose)
        rows.modelAboutToBeReset.connect(self._hold)
        rows.modelReset.connect(self._let_go)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pressed = event.modifiers() & (_SHIFT | _CONTROL | _ALT)
        column = self.currentIndex().column()
        if event.key() in _ENTER and pressed in (_SHIFT, _CONTROL) and column >= 0:
            self.sort_by(column, also=pressed == _SHIFT)
        elif event.key() in _ENTER:
            self.entered_on.emit()
        elif event.key() == Qt.Key.Key_Down and pressed == _ALT and column >= 0:
            self.heading_menu_wanted.emit(column)
        else:
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

    def follow(self, row: int, bring: bool = True, centre: bool = False, beside: bool = False) -> None:
        """Select *row*, nothing if it is not shown; :attr:`row_chosen` says nothing of that.

        *bring* it into view, to the *centre* if it is out of sight; the table does not move sideways.
        *beside*: what is selected stays so.
        """
        if self._following:
            return
        at = self._rows.view_row(row)
        self._following = True
        if at < 0:
            if not beside:
                self.clearSelection()
            self.selectionModel().clearCurrentIndex()
        else:
            flag = QItemSelectionModel.SelectionFlag
            flags = (flag.Select if beside else flag.ClearAndSelect) | flag.Rows
            current = self.currentIndex()
            index = self._rows.index(at, current.column() if current.isValid() else self.name_column)
            self.setAutoScroll(bring)
            if index != current or not self.selectionModel().isSelected(index):
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

    # ---- sorting

    def _heading_clicked(self, column: int) -> None:
        self.sort_by(column, also=bool(QGuiApplication.keyboardModifiers() & _SHIFT))

    def sort_by(self, column: int, also: bool = False) -> None:
        """Sort by *column*: the worst first, then the other way round, then as at first again.

        *also*: beside what is sorted by already. ``UNSORTED``: the rows as they come.
        """
        with self.selection_kept():
            if column == UNSORTED:
                self._rows.sort(UNSORTED)
            elif also:
                self._rows.sort_also(column)
            else:
                self._rows.sort_next(column)
        if self._rows.sort_column != UNSORTED:
            self.scrollToTop()
        self.sorted_anew.emit()

    # ---- what is selected

    def selected_rows(self) -> Sequence[int]:
        """Return where the selected rows are in the view, from the top."""
        spans = [range(span.top(), span.bottom() + 1) for span in self.selectionModel().selection().toList()]
        if len(spans) < 2:
            return spans[0] if spans else ()
        found: list[int] = np.unique(
            np.concatenate([np.arange(span.start, span.stop) for span in spans])
        ).tolist()
        return found

    @contextmanager
    def selection_kept(self) -> Iterator[None]:
        """Select the same rows again after the model was sorted or filtered, as far as they are shown."""
        chosen, order = self.selected_rows(), self._rows.order
        everything = len(chosen) > 1 and len(chosen) == len(order)
        kept = order[np.asarray(chosen)] if 0 < len(chosen) <= _MOST_KEPT else order[:0]
        index = self.currentIndex()
        item, column = (
            (int(order[index.row()]), index.column()) if index.isValid() else (-1, self.name_column)
        )
        self._following = True
        self.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.Clear)
        yield
        self._following = True  # a reset let go
        self._select(kept, everything)
        at = self._rows.view_row(item)
        if at >= 0:
            self.setAutoScroll(False)
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._rows.index(at, column), flag)
            self.setAutoScroll(True)
        self._following = False

    def _select(self, items: np.ndarray, everything: bool) -> None:
        if everything:
            self.selectAll()
            return
        places = np.array([self._rows.view_row(item) for item in items.tolist()], np.int64)
        places = np.sort(places[places >= 0])
        selection, last = QItemSelection(), len(self._rows.columns) - 1
        for run in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
            if len(run):
                selection.select(self._rows.index(int(run[0]), 0), self._rows.index(int(run[-1]), last))
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().select(selection, flags)
