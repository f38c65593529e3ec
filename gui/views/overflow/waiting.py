"""What the page shows while there is no answer: progress, that it was stopped, or that it failed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from core.errors import Problem
from core.messages import render, text
from core.progress import Progress
from gui.context import Context
from gui.overflow import Stage
from gui.widgets.card import Card
from gui.widgets.labels import wrapped_label
from gui.widgets.progress_strip import ProgressStrip
from gui.widgets.translated import Translated


class WaitingView(Translated, Card):
    """One quiet card; nothing else of the page is there before there is something to show."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._overflow = context.session.overflow
        self._title = QLabel()
        self._title.setObjectName("title")
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words = wrapped_label("dim")
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.progress = ProgressStrip()
        self.progress.setMaximumWidth(560)
        self.again, self.copy_details = QPushButton(), QPushButton()
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.again)
        buttons.addWidget(self.copy_details)
        buttons.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self.progress, 4)
        middle.addStretch(1)
        column = QVBoxLayout()
        column.setContentsMargins(40, 20, 40, 20)
        column.setSpacing(12)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._words)
        column.addLayout(middle)
        column.addLayout(buttons)
        column.addStretch(3)
        self.body.addLayout(column)
        self.progress.cancelled.connect(self._overflow.cancel)
        self.again.clicked.connect(self._overflow.start)
        self.copy_details.clicked.connect(self._copy)
        self._overflow.changed.connect(self._load)
        self._overflow.progressed.connect(self._go_on)
        self.retranslate()

    @property
    def sentences(self) -> tuple[str, str]:
        """What it says."""
        return self._title.text(), self._words.text()

    def _load(self) -> None:
        overflow = self._overflow
        working = overflow.stage is Stage.WORKING
        if working and not self.progress.isVisibleTo(self):
            self.progress.begin()
        self.progress.setVisible(working)
        self.again.setVisible(overflow.stage in (Stage.STOPPED, Stage.FAILED))
        self.copy_details.setVisible(bool(overflow.details))
        failure = overflow.failure
        if overflow.stage is Stage.FAILED:
            title = text("gui.overflow.failed")
            words = failure.sentence() if isinstance(failure, Problem) else render(failure) if failure else ""
        elif overflow.stage is Stage.STOPPED:
            title, words = text("gui.overflow.stopped"), text("gui.overflow.stopped.help")
        elif working:
            title, words = text("gui.overflow.working"), text("gui.overflow.working.help")
        else:
            title, words = text("gui.overflow.nothing"), text("gui.overflow.nothing.help")
        self._title.setText(title)
        self._words.setText(words)

    def _go_on(self, progress: Progress) -> None:
        self.progress.show_progress(progress)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._overflow.details)

    def retranslate(self) -> None:
        self.again.setText(text("gui.overflow.again"))
        self.copy_details.setText(text("gui.notice.copy"))
        self._load()
