"""Asking in place why a suspect is no reason to worry."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout

from core.messages import text
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated


class ReasonField(Translated, QFrame):
    """A line for the reason; Enter gives it, Escape takes everything back."""

    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._question = wrapped_label("dim")
        self.field = QLineEdit()
        self.save, self.cancel = QPushButton(), QPushButton()
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.save)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 12, 10)
        column.setSpacing(8)
        column.addWidget(self._question)
        column.addWidget(self.field)
        column.addLayout(buttons)
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(self._give)
        self.save.clicked.connect(self._give)
        self.cancel.clicked.connect(self.hide)
        self._typed("")
        self.retranslate()
        self.hide()

    def ask(self) -> None:
        """Show the field, empty."""
        self.field.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _typed(self, typed: str) -> None:
        self.save.setEnabled(bool(typed.strip()))

    def _give(self) -> None:
        reason = self.field.text().strip()
        if reason:
            self.hide()
            self.given.emit(reason)

    def retranslate(self) -> None:
        self._question.setText(text("gui.diagnosis.why"))
        self.field.setPlaceholderText(text("gui.diagnosis.why.example"))
        self.field.setAccessibleName(text("gui.diagnosis.why"))
        self.save.setText(text("gui.diagnosis.ignore"))
        self.cancel.setText(text("gui.cancel"))
