"""What was wrong with the input, and what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTableView, QToolButton

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.problems import ProblemTable
from gui.widgets.card import Card
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated


class ProblemsView(Translated, Card):
    """The card with the list."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self.model = ProblemTable(self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setWordWrap(True)
        self.table.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setMouseTracking(True)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header = self.table.horizontalHeader()
        header.setFixedHeight(29)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self.body.addWidget(self._stack)
        self.close_button = QToolButton()
        self.header.add(self.close_button)
        self._session.problems_changed.connect(self._load)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _load(self) -> None:
        self.model.set_problems(self._session.problems)
        self._stack.setCurrentIndex(0 if self.model.rowCount() else 1)
        self._heading()

    def copied_text(self) -> str:
        """Return all problems as text."""
        return self.model.as_text()

    def _heading(self) -> None:
        count = self.model.rowCount()
        self.set_title(text("gui.problems.title"), numbers.grouped(count) if count else "")

    def _restyle(self) -> None:
        self.close_button.setIcon(icon("close", self._theme.colours.dim))

    def retranslate(self) -> None:
        self._heading()
        self.table.setAccessibleName(text("gui.problems.title"))
        self._note.set_texts(text("gui.problems.none"))
        self.close_button.setToolTip(text("gui.close"))
        self.close_button.setAccessibleName(text("gui.close"))
        self.model.retranslate()
