"""A note on a call: written beside the work, kept with the pair of runs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from core.messages import text
from gui.context import Context
from gui.names import shown
from gui.widgets.card_dialog import card_of
from gui.widgets.labels import breakable, wrapped_label
from gui.widgets.translated import Translated

_SIZE = (440, 230)


class NoteDialog(Translated, QDialog):
    """Stays with the call it was opened for, whatever is selected meanwhile."""

    def __init__(self, context: Context, operator: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._suspects = context.session.suspects
        self.operator = operator
        self._name = wrapped_label("strong")
        self._name.setText(breakable(shown(operator)))
        self.words = QPlainTextEdit()
        self.words.setTabChangesFocus(True)
        self.words.setPlainText(self._suspects.notes.remarks.get(operator, ""))
        self.remove, self.cancel, self.save = QPushButton(), QPushButton(), QPushButton()
        self.save.setObjectName("primary")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        for button in (self.cancel, self.save):
            buttons.addWidget(button)
        column = card_of(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(self._name)
        column.addWidget(self.words, 1)
        column.addLayout(buttons)
        self.remove.clicked.connect(self._remove)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.accept)
        for button in (self.remove, self.cancel, self.save):
            button.setAutoDefault(False)
        self.remove.setVisible(bool(self.words.toPlainText()))
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self.accept)
        self.resize(*_SIZE)
        self.retranslate()
        self.words.setFocus()
        self.words.moveCursor(self.words.textCursor().MoveOperation.End)

    def accept(self) -> None:
        """Keep the words with the pair."""
        self._suspects.remark(self.operator, self.words.toPlainText())
        super().accept()

    def _remove(self) -> None:
        self.words.clear()
        self.accept()

    def retranslate(self) -> None:
        self.setWindowTitle(text("gui.note.title"))
        self.words.setPlaceholderText(text("gui.note.placeholder"))
        self.words.setAccessibleName(text("gui.note.title"))
        self.remove.setText(text("gui.note.remove"))
        self.cancel.setText(text("gui.cancel"))
        self.save.setText(text("gui.note.save"))
        self.save.setToolTip(text("gui.note.save.help"))
