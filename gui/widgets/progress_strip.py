"""How far a long piece of work is, with a way to stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from core.messages import Message, render, text
from core.progress import Progress
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

_STEPS = 1000


class ProgressStrip(Translated, QWidget):
    """One line: what is being done, a bar, cancel."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message: Message | None = None
        self._label = ElidedLabel()
        self._label.setObjectName("dim")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.cancel = QPushButton()
        self.cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(12)
        row.addWidget(self._label, 2)
        row.addWidget(self.bar, 3, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.cancel)
        self.retranslate()

    def begin(self) -> None:
        """Show that work goes on of which nothing is known yet."""
        self._message = None
        self.bar.setRange(0, 0)
        self.retranslate()

    def show_progress(self, progress: Progress) -> None:
        """Show *progress*."""
        fraction = progress.fraction
        if fraction is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(round(fraction * _STEPS))
        self._message = progress.message
        self._label.setText(render(progress.message))

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._label.text()

    def retranslate(self) -> None:
        self.cancel.setText(text("gui.cancel"))
        self._label.setText(render(self._message) if self._message else text("gui.progress.starting"))
