"""One line that says whose answer is on show, when it is not ours."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton

from core.messages import render, text
from gui.context import Context
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated


class OfficialLine(Translated, QFrame):
    """Names the file of the official analyser, and leads back to our own answer."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._overflow = context.session.overflow
        self._words = wrapped_label("")
        self.back = QToolButton()
        self.back.setObjectName("elsewhere")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.addWidget(self._words, 1)
        row.addWidget(self.back)
        self.back.clicked.connect(self._overflow.leave_official)
        self._overflow.changed.connect(self.retranslate)
        self.retranslate()

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._words.text()

    def retranslate(self) -> None:
        official = self._overflow.official
        if official is not None:
            said = [render(remark) for remark in official.remarks]
            said.append(text("gui.overflow.official", name=Path(official.path).name))
            self._words.setText(" ".join(said))
            self._words.setToolTip(official.path)
        self.back.setText(text("gui.overflow.own_answer"))
        self.back.setVisible(bool(self._overflow.own))
