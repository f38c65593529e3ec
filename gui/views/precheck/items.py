"""The table of what a check compared, with places that lead to the files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontMetrics, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView

from core.messages import text
from gui.looks.theme import Theme
from gui.models.precheck.copied import markdown, tab_separated
from gui.models.precheck.items import ItemColumn, ItemTable
from gui.models.precheck.words import whole_place
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.translated import Translated

_HEADER, _ROW, _LEAST, _MOST = 28, 26, 60, 260
"""Pixels of headings and a row, and the least and the most that a column wants."""
_PLACES = (ItemColumn.TARGET_PLACE, ItemColumn.GOLDEN_PLACE)
_VALUES = (ItemColumn.TARGET, ItemColumn.GOLDEN)
_KEPT = {ItemColumn.NAME: 150, ItemColumn.TARGET: 76, ItemColumn.GOLDEN: 76, ItemColumn.REMARK: 110}
"""Pixels that these have, if they want so many, before others get more than that."""
_GO_FIRST = (*_PLACES, ItemColumn.REMARK)
"""Columns that go where there is no room, and come back with it; tool tips say the same."""


class ItemsTable(Translated, QTableView):
    """A click on a place, or Enter, offers to go there."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.rows = ItemTable(self)
        self._fixed = QFontMetrics(theme.fixed_font())
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
            known = [self.rows.index(row, column) for column in _PLACES if row >= 0]
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
        at = index.siblingAtColumn(ItemColumn.NAME) if self.isColumnHidden(index.column()) else index
        menu.popup(self.viewport().mapToGlobal(self.visualRect(at).bottomLeft()))

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
        """Share the room: names and values first, then the last column; what has no room goes."""
        wants = {column: self._wanted(column) for column in ItemColumn}
        least = {column: min(wants[column], _KEPT.get(column, _MOST)) for column in ItemColumn}
        listed = [column for column in ItemColumn if column not in _GO_FIRST or self._is_said(column)]
        room = self.viewport().width()
        for column in _GO_FIRST:
            if sum(least[other] for other in listed) <= room:
                break
            listed = [other for other in listed if other is not column]
        spare = max(room - sum(least[column] for column in listed), 0)
        widths = dict(least)
        first = sorted((ItemColumn.NAME, *_VALUES), key=lambda column: wants[column] - least[column])
        for left, column in zip((3, 2, 1), first):  # alike: what one does not want the others have
            more = min(spare // left, wants[column] - least[column])
            widths[column] += more
            spare -= more
        widths[listed[-1]] += spare
        for column in ItemColumn:
            self.setColumnHidden(column, column not in listed)
            self.setColumnWidth(column, widths[column])

    def _wanted(self, column: ItemColumn) -> int:
        words = [str(self.rows.index(row, column).data()) for row in range(self._measured)]
        values = self._fixed if column in (ItemColumn.NAME, *_VALUES) else self.fontMetrics()
        widest = max((values.horizontalAdvance(each) for each in words), default=0)
        mark = 22 if column is ItemColumn.NAME else 0
        title = self.fontMetrics().horizontalAdvance(column.title)
        return max(min(max(widest + mark, title) + 24, _MOST), _LEAST)

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
