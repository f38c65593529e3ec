"""What a view shows while there is no answer: that it is being worked out, was stopped, or failed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from core.messages import text
from core.progress import Progress
from gui.widgets.card import Card
from gui.widgets.labels import wrapped_label
from gui.widgets.progress_strip import ProgressStrip
from gui.widgets.translated import Translated


class WorkNote(Translated, Card):
    """A quiet card: a title, a sentence, progress with cancel, a button to go on."""

    cancelled = Signal()
    pressed = Signal()

    def __init__(self) -> None:
        super().__init__(heading=False)
        self._title = QLabel()
        self._title.setObjectName("title")
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words = wrapped_label("dim")
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.progress = ProgressStrip()
        self.progress.setMaximumWidth(560)
        self.button, self.copy_details = QPushButton(), QPushButton()
        self._details = ""
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.button)
        buttons.addWidget(self.copy_details)
        buttons.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self.progress, 4)
        middle.addStretch(1)
        column = QVBoxLayout()
        column.setContentsMargins(40, 16, 40, 16)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._words)
        column.addLayout(middle)
        column.addLayout(buttons)
        column.addStretch(3)
        self.body.addLayout(column)
        self.progress.cancelled.connect(self.cancelled)
        self.button.clicked.connect(self.pressed)
        self.copy_details.clicked.connect(self._copy)
        self.retranslate()

    def say(
        self, title: str, words: str = "", working: bool = False, button: str = "", details: str = ""
    ) -> None:
        """Show a state; *details* is a traceback that can be copied."""
        if working and not self.progress.isVisibleTo(self):
            self.progress.begin()
        self._title.setText(title)
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self.progress.setVisible(working)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self._details = details
        self.copy_details.setVisible(bool(details))
        self.setAccessibleName(title)

    @property
    def sentences(self) -> tuple[str, str]:
        """What it says."""
        return self._title.text(), self._words.text()

    @property
    def focused(self) -> bool:
        """Whether one of its buttons has the focus."""
        widget = QApplication.focusWidget()
        return widget is not None and self.isAncestorOf(widget)

    def show_progress(self, progress: Progress) -> None:
        """Show how far the work is."""
        self.progress.show_progress(progress)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)

    def retranslate(self) -> None:
        self.copy_details.setText(text("gui.notice.copy"))
