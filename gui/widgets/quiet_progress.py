"""How far an answer is, said only once it takes long enough to be noticed."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer

from core.messages import text
from core.progress import Progress
from gui import numbers
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.translated import Translated

PATIENCE = 300
"""Milliseconds before anything is said."""


class QuietProgress(Translated, ElidedLabel):
    """A dim word and a share; it keeps its place when it says nothing, so that nothing moves."""

    def __init__(self) -> None:
        super().__init__(mode=Qt.TextElideMode.ElideRight)
        self.setObjectName("dim")
        self._share: float | None = None
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self.retranslate)
        self._telling = False

    @property
    def waiting(self) -> bool:
        """Whether something is asked for and not yet there."""
        return self._telling

    def begin(self) -> None:
        """Something is asked for."""
        self._share, self._telling = None, True
        self.setText("")
        self._patience.start()

    def show_progress(self, progress: Progress) -> None:
        """Say how far it is, if it is time to say anything."""
        self._share = progress.fraction
        if self._telling and not self._patience.isActive():
            self.retranslate()

    def end(self) -> None:
        """Say nothing more: the answer is there, or nobody wants it."""
        self._telling = False
        self._patience.stop()
        self.setText("")

    def retranslate(self) -> None:
        if self._telling and not self._patience.isActive():
            share = "" if self._share is None else f" {numbers.percent(self._share)}"
            self.setText(text("gui.asking.reading") + share)
