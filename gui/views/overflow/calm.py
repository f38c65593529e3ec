"""The page of a run in which nothing is born: calm, and honest about what was not looked at."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.messages import text
from gui.context import Context
from gui.models.overflow.summary import calm_of
from gui.models.overflow.words import mode_word
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.labels import wrapped_label
from gui.widgets.translated import Translated


class CalmView(Translated, Card):
    """A sentence in the middle, and under it what was looked at and what could not be decided."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._overflow = context.session.overflow
        self._mark = CategoryMark(context.theme, 15)
        self._sentence, self._lines = wrapped_label("title"), wrapped_label("dim")
        self._lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = QVBoxLayout()
        words.setSpacing(8)
        words.addWidget(self._sentence)
        words.addWidget(self._lines)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(2)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 5)
        row.addStretch(1)
        self.body.addStretch(2)
        self.body.addLayout(row)
        self.body.addStretch(3)
        self._overflow.changed.connect(self.retranslate)
        self.retranslate()

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._sentence.text()

    @property
    def details(self) -> list[str]:
        """What stands under it."""
        return self._lines.text().split("\n")

    def copied_text(self) -> str:
        """Return all that is said."""
        return "\n".join((self.sentence, *self.details))

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.overflow"))
        report = self._overflow.report
        if report is None or report.origins:
            return
        calm = calm_of(report)
        self._mark.show_category(calm.category)
        self._sentence.setText(calm.sentence)
        self._lines.setText("\n".join((*calm.details, mode_word(report.mode))))
