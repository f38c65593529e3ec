"""The diagnosis folded to one line, for windows without room beside the table."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel

from core.messages import text
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.models.pair.suspects import outcome_of, sentence_of
from gui.widgets.category_mark import CategoryMark
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.pressable import Pressable
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons


class DiagnosisStrip(Translated, Pressable):
    """Mark, sentence, which of how many; a click unfolds it."""

    def __init__(self, context: Context) -> None:
        super().__init__("strip")
        self._session, self._theme = context.session, context.theme
        self._suspects = context.session.suspects
        self._mark = CategoryMark(context.theme, 12)
        self._sentence = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._sentence.setObjectName("strong")
        self._sentence.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.turn = TurnButtons()
        self._arrow = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self._sentence, 1)
        row.addWidget(self.turn)
        row.addWidget(self._arrow)
        self.setFixedHeight(38)
        self.turn.turned.connect(self._suspects.turn)
        self._suspects.changed.connect(self.retranslate)
        self._session.cell_changed.connect(self.retranslate)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._sentence.text()

    def _restyle(self) -> None:
        self._arrow.setPixmap(icon("chevron-down", self._theme.colours.dim).pixmap(QSize(12, 12)))

    def retranslate(self) -> None:
        suspects, facts = self._suspects, self._session.facts
        self.turn.set_place(suspects.position, len(suspects.open))
        if suspects.current is not None:
            self._mark.show_category(Category.INTRODUCED)
            self._sentence.setText(sentence_of(suspects.current))
        elif facts is not None:
            outcome = outcome_of(facts, len(suspects.explained))
            self._mark.show_category(outcome.category)
            self._sentence.setText("  ·  ".join((outcome.sentence, *outcome.details)))
        self.setAccessibleName(f"{text('gui.diagnosis.title')}: {self.sentence}")
        self.setToolTip(text("gui.diagnosis.unfold"))
