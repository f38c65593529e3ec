"""What a view shows while there is no answer: that it is being worked out, was stopped, or failed."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.errors import Problem
from core.messages import render, text
from core.progress import Progress
from gui.processes.work_state import Stage, WorkState
from gui.widgets.card import Card
from gui.widgets.labels import wrapped_label
from gui.widgets.progress_strip import ProgressStrip
from gui.widgets.translated import Translated


@dataclass(frozen=True)
class WorkWords:
    """What is said of a piece of work, by how far it is."""

    working: tuple[str, str]
    """A title, and the sentence under it; so too where it was stopped."""
    stopped: tuple[str, str]
    failed: str
    again: str
    """Of the button that leads on where it was stopped or failed."""


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

    def tell(self, state: WorkState, words: WorkWords) -> None:
        """Show how far the work of *state* is, or why there is no answer."""
        failure = state.failure
        if state.stage is Stage.WORKING:
            self.say(*words.working, working=True)
        elif state.stage is Stage.STOPPED:
            self.say(*words.stopped, button=words.again)
        elif failure is not None:
            why = failure.sentence() if isinstance(failure, Problem) else render(failure)
            self.say(words.failed, why, button=words.again, details=state.details)

    @property
    def sentences(self) -> tuple[str, str]:
        """What it says."""
        return self._title.text(), self._words.text()

    @property
    def first(self) -> QWidget:
        """The button that answers to keys first."""
        return self.button if self.progress.isHidden() else self.progress.cancel

    def show_progress(self, progress: Progress) -> None:
        """Show how far the work is."""
        self.progress.show_progress(progress)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)

    def retranslate(self) -> None:
        self.copy_details.setText(text("gui.notice.copy"))
