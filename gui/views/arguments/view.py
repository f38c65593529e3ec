"""The slots of the selected call: what each side was given and gave back."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.arguments import FIRST_STATISTIC, ArgumentTable
from gui.models.call.details import argument_count, arguments_of
from gui.views.arguments.parts_delegate import PartsDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated

_FIRST, _SIDE, _NUMBER = (110, 280), (110, 420), (70, 230)
"""Pixels that a slot, a side and a statistic get at least and at most; tool tips have what is cut."""


class SlotTable(QTableView):
    """Enter, as two clicks, goes to the row of a slot."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.doubleClicked.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class ArgumentsView(Translated, QWidget):
    """A row a slot; only the parts that differ between the sides are drawn as an alarm."""

    def __init__(self, context: Context, focus: Focus) -> None:
        super().__init__()
        self._focus = focus
        self.model = ArgumentTable(self)
        self.table = SlotTable()
        self.table.setModel(self.model)
        self.table.setItemDelegate(PartsDelegate(context.theme, self.table))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setMouseTracking(True)
        self.table.setTabKeyNavigation(False)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(27)
        header = self.table.horizontalHeader()
        header.setFixedHeight(29)
        header.setHighlightSections(False)
        header.setMaximumSectionSize(4 * _SIDE[1])
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack, 1)
        self._more = QLabel()
        self._more.setObjectName("small")
        self._more.setContentsMargins(12, 4, 12, 6)
        layout.addWidget(self._more)
        self.table.doubleClicked.connect(self._select)
        context.theme.changed.connect(self.table.viewport().update)
        focus.row_changed.connect(self._load)
        focus.cell_changed.connect(self._load)
        self.retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load()

    def _load(self) -> None:
        if not self.isVisible():
            return  # looked up once it is seen
        selected, exploring = self._focus.selected, self._focus.exploring
        found = arguments_of(*selected) if selected is not None else []
        if found != self.model.arguments:
            self.model.set_arguments(found, exploring)
            self._fit()
        self.table.setColumnHidden(2, exploring)
        for column in range(FIRST_STATISTIC, self.model.columnCount()):
            self.table.setColumnHidden(column, not self.model.has_statistic(column))
        left = argument_count(*selected) - len(found) if selected is not None else 0
        self._more.setText(text("gui.arguments.more", count=left) if left > 0 else "")
        self._more.setVisible(left > 0)
        self._stack.setCurrentIndex(0 if found else 1)
        nothing = "gui.detail.nothing_selected" if selected is None else "gui.arguments.none"
        self._note.set_texts(text(nothing))
        self._mark()

    def _fit(self) -> None:
        """Give each column what its texts take, within bounds."""
        for column in range(self.model.columnCount()):
            least, most = _FIRST if column == 0 else _SIDE if column < FIRST_STATISTIC else _NUMBER
            self.table.setColumnWidth(column, min(max(self.table.sizeHintForColumn(column), least), most))

    def _mark(self) -> None:
        """Stand on the slot that is looked at."""
        row = self._focus.row
        at = [place for place, item in enumerate(self.model.arguments) if item.row == row]
        if at and self.table.currentIndex().row() not in at:
            self.table.setCurrentIndex(self.model.index(at[0], 0))

    def _select(self, index: QModelIndex) -> None:
        if index.isValid():
            self._focus.select(self.model.arguments[index.row()].row)

    def copied_text(self) -> str:
        """Return the table as tab-separated text."""
        columns = [
            column for column in range(self.model.columnCount()) if not self.table.isColumnHidden(column)
        ]
        horizontal = Qt.Orientation.Horizontal
        lines = ["\t".join(str(self.model.headerData(column, horizontal)) for column in columns)]
        lines += [
            "\t".join(str(self.model.index(row, column).data()) for column in columns)
            for row in range(self.model.rowCount())
        ]
        return "\n".join(lines) + "\n"

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("gui.tab.arguments"))
        self.model.retranslate()
        self._load()
