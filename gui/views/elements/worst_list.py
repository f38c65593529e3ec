"""The elements that differ most, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.models.tensors.element_table import Column, ElementTable
from gui.tensors.value_words import value_words
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.segments import Segments
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from core.metrics.inspection.elements import WorstElements

_ROW = 22
_MEASURES = {"absolute": Column.DIFFERENCE, "relative": Column.RELATIVE, "ulp": Column.ULPS}
"""The column of each measure."""
FIRST, _MOST = 100, 10_000
"""Elements that are told of at first, and at most."""


class WorstList(Translated, QWidget):
    """A table; whoever moves in it looks at the element."""

    wanted = Signal()
    """Others are to be ranked: by another measure, or more of them."""
    place_chosen = Signal(object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._settings = context.settings
        self._found: WorstElements | None = None
        self.empty = False
        """Whether the tensor has no elements."""
        self.count = FIRST
        self.by = Segments(("absolute", "relative", "ulp"))
        self.by.choose(self._settings.elements_by)
        self.line, self.more = ElidedLabel(mode=Qt.TextElideMode.ElideRight), QToolButton()
        self.line.setObjectName("dim")
        self.more.setObjectName("link")
        self.more.hide()
        self.rows = ElementTable(value_words, self)
        self.table = QTableView()
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self._following = False
        self._set_up_table()
        heading, under = QHBoxLayout(), QHBoxLayout()
        heading.addWidget(self.by)
        heading.addStretch(1)
        under.addWidget(self.line, 1)
        under.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(heading)
        column.addWidget(self._stack, 1)
        column.addLayout(under)
        self.by.chosen.connect(self._choose_by)
        self.more.clicked.connect(self._want_more)
        self.table.selectionModel().currentRowChanged.connect(self._look_at)
        self.table.clicked.connect(self._look_at)
        self.retranslate()

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.rows)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(_ROW)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setResizeContentsPrecision(FIRST)

    # ---- content

    def show_found(self, found: WorstElements) -> None:
        """Show the answer of the service."""
        self._found = found
        self._following = True
        self.rows.show_elements(found.rows)
        self._following = False
        self._order_columns()
        self.table.resizeColumnsToContents()
        self._stack.setCurrentIndex(0 if found.rows else 1)
        self._say()

    def clear(self) -> None:
        """Show nothing."""
        self._found, self.count = None, FIRST
        self.rows.show_elements(())
        self._say()

    def _order_columns(self) -> None:
        """Put the measure that ranks right after the index, where it is in sight however little room."""
        header = self.table.horizontalHeader()
        wanted = [Column.PLACE, *(one for one in Column if one is not Column.PLACE)]
        wanted.remove(_MEASURES[self.by.word])
        wanted.insert(1, _MEASURES[self.by.word])
        for visual, column in enumerate(wanted):
            header.moveSection(header.visualIndex(column), visual)

    def show_sentence(self, sentence: str) -> None:
        """Say in the place of the rows why there are none."""
        self.clear()
        self._note.set_texts(sentence)

    def mark(self, place: tuple[int, ...] | None) -> None:
        """Select the row of *place*, if it is among them."""
        current = self.table.currentIndex().row()
        if 0 <= current < len(self.rows.elements) and self.rows.elements[current].index == place:
            return
        found = next((at for at, row in enumerate(self.rows.elements) if row.index == place), -1)
        self._following = True
        if found < 0:
            self.table.clearSelection()
        else:
            self.table.selectRow(found)
        self._following = False

    def copied_text(self) -> str:
        """Return the selected rows, or all, as tab-separated text."""
        chosen = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        if len(chosen) < 2:
            chosen = list(range(len(self.rows.elements)))
        return self.rows.tab_separated(chosen) if chosen else ""

    # ---- choosing

    def _choose_by(self, word: str) -> None:
        self._settings.elements_by = word
        self.wanted.emit()

    def _want_more(self) -> None:
        self.count = min(self.count * 10, _MOST)
        self.wanted.emit()

    def _look_at(self, index: QModelIndex) -> None:
        if not self._following and index.isValid():
            self.place_chosen.emit(self.rows.elements[index.row()].index)

    # ---- words

    def _say(self) -> None:
        found = self._found
        if found is None:
            self.line.setText("")
            self.more.hide()
            self._note.set_texts("")
            self._stack.setCurrentIndex(1)
            return
        if not found.total:
            self._note.set_texts(text("gui.values.empty") if self.empty else text("gui.elements.no_pairs"))
        elif not found.rows:
            self._note.set_texts(text("gui.elements.none_differs", number=numbers.grouped(found.total)))
        self.line.setText(
            text(
                "gui.elements.differ",
                shown=numbers.grouped(len(found.rows)),
                number=numbers.grouped(found.differing),
                total=numbers.grouped(found.total),
            )
            if found.rows
            else ""
        )
        there = found.request.count <= len(found.rows) < found.differing  # a result keeps few
        self.more.setVisible(there and len(found.rows) < _MOST)

    def retranslate(self) -> None:
        self.by.say(
            text("gui.elements.by"),
            (text("gui.elements.by.absolute"), text("gui.elements.by.relative"), "ULP"),
            (
                text("gui.elements.difference.help"),
                text("gui.elements.relative.help"),
                text("gui.elements.ulps.help"),
            ),
        )
        self.more.setText(text("gui.elements.more"))
        self.more.setToolTip(text("gui.elements.more.help"))
        self.more.setAccessibleName(text("gui.elements.more.help"))
        self.table.setAccessibleName(text("gui.elements.worst"))
        self.rows.retranslate()
        self._say()
