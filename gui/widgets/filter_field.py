"""A field for words that rows must hold."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

_HEIGHT = 26


class FilterField(QLineEdit):
    """Fits into the heading of a card; Escape empties it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)
        self.setProperty("compact", True)
        self.setFixedSize(width, _HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
