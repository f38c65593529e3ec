"""What a view shows when it has nothing to show: a sentence in its middle, and perhaps a way out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from gui.widgets.page_area import page_area


class EmptyNote(QWidget):
    """A dim, centred sentence with an optional button."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        page = QWidget()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(page_area(page))  # where it is low, the sentence scrolls and is not cut
        layout = QVBoxLayout(page)
        layout.setContentsMargins(24, 8, 24, 8)
        layout.setSpacing(10)
        layout.addStretch(1)
        self._label = QLabel()
        self._label.setObjectName("dim")
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self._label)
        self._button = QPushButton()
        self._button.hide()
        self._button.clicked.connect(self.pressed)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def set_texts(self, sentence: str, button: str = "") -> None:
        """Set both; an empty *button* hides it."""
        self._label.setText(sentence)
        self._button.setText(button)
        self._button.setVisible(bool(button))

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._label.text()
