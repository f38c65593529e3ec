"""The slots of the selected call: what each side was given and gave back."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTableView, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.models.arguments import ArgumentTable
from gui.models.details import arguments_of
from gui.widgets.cell_delegate import CellDelegate
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated


class ArgumentsView(Translated, QWidget):
    """A table of three columns; what differs between the sides is drawn as an alarm."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session = context.session
        self.model = ArgumentTable(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setItemDelegate(CellDelegate(context.theme, self.table))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setMouseTracking(True)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(27)
        header = self.table.horizontalHeader()
        header.setFixedHeight(29)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, 240)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.table.doubleClicked.connect(self._select)
        self._session.row_changed.connect(self._load)
        self._session.cell_changed.connect(self._load)
        self.retranslate()

    def _load(self) -> None:
        session = self._session
        found = (
            arguments_of(session.cell, session.facts, session.row)
            if session.cell is not None and session.facts is not None and session.row >= 0
            else []
        )
        self.model.set_arguments(found)
        self.table.setColumnHidden(2, session.is_exploring())
        self._stack.setCurrentIndex(0 if found else 1)

    def _select(self, index: QModelIndex) -> None:
        self._session.select(self.model.arguments[index.row()].row)

    def copied_text(self) -> str:
        """Return the table as tab-separated text."""
        lines = ["\t".join(text(code) for code in ("gui.arguments.slot", "gui.target", "gui.golden"))]
        lines += [f"{item.slot}\t{item.target}\t{item.golden}" for item in self.model.arguments]
        return "\n".join(lines) + "\n"

    def retranslate(self) -> None:
        self.table.setAccessibleName(text("gui.tab.arguments"))
        self._note.set_texts(text("gui.detail.nothing_selected"))
        self.model.retranslate()
