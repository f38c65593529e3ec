"""The card with all that is wrong between two data sets."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QToolButton

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.copying import copied_rows
from gui.looks.icons import icon
from gui.models.dataset.rows import DatasetAnswer, Fault
from gui.models.dataset.table import DATASET_COLUMNS, DatasetTable
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.filter_field import FilterField
from gui.widgets.row_menu import Commands, offer_commands
from gui.widgets.row_table import RowTable
from gui.widgets.translated import Translated

_FAULT = 170
"""Pixels of the first column; names get half of what it leaves."""


class RowsCard(Translated, Card):
    """Rows of one kind or of all; some words of them may be wanted."""

    export_wanted = Signal()
    clear_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self._counted = 0
        self.model = DatasetTable(self)
        self.table = RowTable(context.theme, self.model)
        self.field = FilterField(220)
        self.export = QToolButton()
        self.export.setObjectName("link")
        self.export.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for widget in (self.field, self.export):
            self.header.add(widget)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self.body.addWidget(self._stack)
        self.field.textChanged.connect(self._search)
        self.export.clicked.connect(self.export_wanted)
        self._note.pressed.connect(self.clear_wanted)
        self.table.resized.connect(self.fit)
        self.table.sorted_anew.connect(self._heading)
        self.table.customContextMenuRequested.connect(self._menu)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def show_answer(self, answer: DatasetAnswer) -> None:
        """Show the rows of another answer."""
        with QSignalBlocker(self.field):
            self.field.clear()
        self._counted = sum(answer.counts.values())
        self.model.set_rows(answer.rows)
        self.fit()
        self._heading()

    def show_fault(self, fault: Fault | None) -> None:
        """Show the rows of *fault* alone, ``None`` for all."""
        self.model.set_filter(fault, self.field.text())
        self._heading()

    def clear(self) -> None:
        """Want no words any more."""
        self.field.clear()

    def _search(self, words: str) -> None:
        self.model.set_filter(self.model.fault, words)
        self._heading()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headings and rows as they are listed, for a file."""
        titles = tuple(column.title for column in DATASET_COLUMNS)
        cells = [
            tuple(self.model.plain_text(self.model.index(row, column)) for column in range(len(titles)))
            for row in range(self.model.rowCount())
        ]
        return titles, cells

    def copied_text(self) -> str:
        """Return the selected rows as tab-separated text with headings; empty when there are too many."""
        return copied_rows(self._session, self.model, self.table.selected_rows())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())

    def _menu(self, position: QPoint) -> None:
        if self.table.indexAt(position).isValid():
            commands: Commands = {"gui.action.copy": self._copy}
            offer_commands(self.table, position, commands)

    def fit(self) -> None:
        """Give names half of the room, and each side a quarter."""
        room = max(self.table.viewport().width() - _FAULT, 400)
        for column, width in enumerate((_FAULT, room // 2, room // 4, room - room // 2 - room // 4)):
            self.table.setColumnWidth(column, width)

    def _heading(self) -> None:
        shown, total = self.model.rowCount(), self._counted
        code = "gui.table.some" if shown != total else "gui.table.all"
        self.set_title(
            text("gui.dataset.rows"), text(code, shown=numbers.grouped(shown), total=numbers.grouped(total))
        )
        self.export.setEnabled(shown > 0)
        self._stack.setCurrentIndex(0 if shown else 1)
        if total:
            self._note.set_texts(text("gui.dataset.none_passes"), text("gui.table.clear_filter"))
        else:
            self._note.set_texts(text("gui.dataset.nothing_wrong"))

    def _restyle(self) -> None:
        self.export.setIcon(icon("export", self._theme.colours.dim))

    def retranslate(self) -> None:
        self.export.setText(text("gui.table.export"))
        self.export.setToolTip(text("gui.dataset.export.help"))
        self.table.setAccessibleName(text("gui.dataset.rows"))
        self.field.setPlaceholderText(text("gui.dataset.filter"))
        self.field.setAccessibleName(text("gui.dataset.filter"))
        self.model.retranslate()
        self._heading()
