"""All that is left out of account, with the reasons, and the way back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.messages import text
from core.records.ignoring import IgnoreRule
from gui import numbers
from gui.context import Context
from gui.models.pair.ignoring import rows_taken
from gui.models.pair.scopes import scope_words
from gui.names import shown
from gui.widgets.card_dialog import card_of
from gui.widgets.empty_note import EmptyNote
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated

_SIZE, _WIDEST = (980, 380), 460
_ROW, _HEADER = 28, 29


class IgnoredDialog(Translated, QDialog):
    """A row a decision; stays open beside the work."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session = context.session
        self._explanation = wrapped_label("dim")
        self.table = QTableWidget(0, 4)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(_ROW)
        header = self.table.horizontalHeader()
        header.setFixedHeight(_HEADER)
        header.setHighlightSections(False)
        header.setMaximumSectionSize(_WIDEST)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, mode in enumerate(
            (QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.ResizeToContents,
             QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch)
        ):  # fmt: skip
            header.setSectionResizeMode(column, mode)
        self._note = EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._note)
        self.stop, self.close_button = QPushButton(), QPushButton()
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.stop)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        outer = card_of(self)
        outer.setContentsMargins(18, 16, 18, 16)
        outer.setSpacing(12)
        outer.addWidget(self._explanation)
        outer.addWidget(self._stack, 1)
        outer.addLayout(buttons)
        self.stop.clicked.connect(self._stop)
        self.close_button.clicked.connect(self.accept)
        for button in (self.stop, self.close_button):
            button.setAutoDefault(False)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table, self._stop)
        self.table.itemSelectionChanged.connect(self._enable)
        self._session.cell_changed.connect(self._fill)
        self.resize(*_SIZE)
        self.retranslate()

    @property
    def rules(self) -> tuple[IgnoreRule, ...]:
        """What is listed, in this order."""
        return self._session.suspects.notes.ignored

    def _fill(self) -> None:
        facts = self._session.facts
        self.table.setRowCount(len(self.rules))
        for line, rule in enumerate(self.rules):
            count = 0 if facts is None else int(rows_taken(facts, rule).sum())
            cells = (
                scope_words(rule.kind), shown(rule.value),
                numbers.grouped(count), shown(rule.reason),
            )  # fmt: skip
            for at, words in enumerate(cells):
                item = QTableWidgetItem(words)
                item.setToolTip(words)
                self.table.setItem(line, at, item)
        self._stack.setCurrentIndex(0 if self.rules else 1)
        if self.rules and not self.table.selectedItems():
            self.table.selectRow(0)
        self._enable()

    def _enable(self) -> None:
        self.stop.setEnabled(bool(self.table.selectedItems()))

    def _stop(self) -> None:
        """Take account again of what the selected rules left out."""
        chosen = sorted({item.row() for item in self.table.selectedItems()})
        for rule in [self.rules[line] for line in chosen]:
            self._session.suspects.heed(rule)

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.ignored.title"))
        self._explanation.setText(text("gui.ignored.explanation"))
        self._note.set_texts(text("gui.ignored.none"))
        titles = ("gui.ignored.kind", "gui.ignored.value", "gui.ignored.rows", "gui.ignored.reason")
        self.table.setHorizontalHeaderLabels([text(code) for code in titles])
        self.table.setAccessibleName(text("gui.ignored.title"))
        self.stop.setText(text("gui.ignored.stop"))
        self.stop.setToolTip(text("gui.ignored.stop.help"))
        self.close_button.setText(text("gui.close"))
        self._fill()
