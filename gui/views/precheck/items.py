"""The table of what a check compared, with places that lead to the files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView

from core.messages import text
from gui.looks.theme import Theme
from gui.models.precheck.copied import markdown, tab_separated
from gui.models.precheck.items import ItemColumn, ItemTable
from gui.models.precheck.words import whole_place
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.translated import Translated

_HEADER, _ROW, _LEAST, _MOST = 28, 26, 70, 230
"""Pixels of headings and a row, and the least and the most that a column wants."""
_GO_FIRST = (ItemColumn.REMARK, ItemColumn.GOLDEN_PLACE, ItemColumn.TARGET_PLACE)
"""Columns that go where there is no room, and come back when the table is wider."""


class ItemsTable(Translated, QTableView):
    """A click on a place, or Enter, offers to go there."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.rows = ItemTable(self)
        self.setModel(self.rows)
        self.setItemDelegate(CellDelegate(theme, self, _ROW))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setFixedHeight(_HEADER)
        self.horizontalHeader().setMinimumSectionSize(40)
        self.setMinimumHeight(self.height_of(2))
        self.viewport().installEventFilter(self)
        self.clicked.connect(self._clicked)
        self.rows.modelReset.connect(self.fit)
        self.retranslate()

    @staticmethod
    def height_of(rows: int) -> int:
        """Return the pixels that so many rows take, with their headings."""
        return _HEADER + rows * _ROW + 4

    # ---- places

    def _clicked(self, index: QModelIndex) -> None:
        if self.rows.place_at(index) is not None:
            self._offer(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            row = self.currentIndex().row()
            places = (ItemColumn.TARGET_PLACE, ItemColumn.GOLDEN_PLACE)
            known = [self.rows.index(row, column) for column in places if row >= 0]
            here = self.currentIndex()
            wanted = [index for index in (here, *known) if self.rows.place_at(index) is not None]
            if wanted:
                self._offer(wanted[0])
        else:
            super().keyPressEvent(event)

    def _offer(self, index: QModelIndex) -> None:
        """Offer to open the folder of the place at *index*, or to copy it."""
        place = self.rows.place_at(index)
        if place is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        folder = QUrl.fromLocalFile(str(Path(place.path).parent))
        menu.addAction(text("gui.precheck.place.folder"), partial(QDesktopServices.openUrl, folder))
        copy = partial(QGuiApplication.clipboard().setText, whole_place(place))
        menu.addAction(text("gui.precheck.place.copy"), copy)
        menu.popup(self.viewport().mapToGlobal(self.visualRect(index).bottomLeft()))

    # ---- copying

    def _chosen(self) -> list[int]:
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return rows or list(range(self.rows.rowCount()))

    def copied_text(self) -> str:
        """Return the selected rows, or all, as tab-separated text with headings."""
        return tab_separated(self.rows.lines(self._chosen()))

    def copied_markdown(self) -> str:
        """Return the selected rows, or all, as a table of Markdown."""
        return markdown(self.rows.lines(self._chosen()))

    # ---- looks

    def fit(self) -> None:
        """Share the room: the remark gets what is left; what has no room goes."""
        wants = {column: self._wanted(column) for column in ItemColumn}
        said = {column for column in ItemColumn if self._is_said(column)}
        hidden = {column for column in _GO_FIRST if column not in said}
        room = self.viewport().width()
        for column in _GO_FIRST:
            if sum(wants[other] for other in ItemColumn if other not in hidden) <= room:
                break
            if column is not ItemColumn.REMARK:
                hidden.add(column)
        taken = sum(wants[other] for other in ItemColumn if other not in hidden)
        for column in (ItemColumn.NAME, ItemColumn.TARGET, ItemColumn.GOLDEN):
            less = min(max(taken - room, 0), wants[column] - _LEAST)
            wants[column] -= less
            taken -= less
        last = max(column for column in ItemColumn if column not in hidden)
        for column in ItemColumn:
            self.setColumnHidden(column, column in hidden)
            self.setColumnWidth(column, wants[column] + (max(room - taken, 0) if column is last else 0))

    def _wanted(self, column: ItemColumn) -> int:
        words = [column.title, *(str(self.rows.index(row, column).data()) for row in range(self._measured))]
        widest = max(self.fontMetrics().horizontalAdvance(each) for each in words)
        mark = 22 if column is ItemColumn.NAME else 0
        return max(min(widest * 11 // 10 + 22 + mark, _MOST), _LEAST)

    @property
    def _measured(self) -> int:
        return min(self.rows.rowCount(), 40)

    def _is_said(self, column: ItemColumn) -> bool:
        return any(self.rows.index(row, column).data() for row in range(self.rows.rowCount()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.viewport():
            self.fit()
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.precheck.items"))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(ItemColumn) - 1)
        self.fit()
