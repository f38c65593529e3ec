"""The diagnosis folded to one line, for windows without room beside the table."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from core.messages import text
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.categories import Category
from gui.models.pair.suspects import caller_of, outcome_of, sentence_of
from gui.widgets.category_mark import CategoryMark
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.pressable import Pressable
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons

_ONE_LINE, _TWO_LINES = 38, 54
"""Pixels of height without and with the line of code."""


class DiagnosisStrip(Translated, Pressable):
    """Mark, sentence, which of how many, the line of code under it; a click unfolds it."""

    def __init__(self, context: Context) -> None:
        super().__init__("strip")
        self._session, self._theme = context.session, context.theme
        self._suspects = context.session.suspects
        self._mark = CategoryMark(context.theme, 12)
        self._sentence = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self._sentence.setObjectName("strong")
        self._sentence.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._place, self._code = ElidedLabel(), ElidedLabel()
        self._place.setObjectName("dim")
        self._code.setFont(context.theme.fixed_font())
        for label in (self._place, self._code):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.turn = TurnButtons()
        self._show, self._arrow, self._aside = QLabel(), QLabel(), QWidget()
        self._show.setObjectName("link")
        self._lay_out()
        self.turn.turned.connect(self._suspects.turn)
        self._suspects.changed.connect(self.retranslate)
        self._session.cell_changed.connect(self.retranslate)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _lay_out(self) -> None:
        line = QHBoxLayout(self._aside)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for widget in (self.turn, self._show, self._arrow):
            line.addWidget(widget)
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(12, 5, 12, 5)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(2, 1)
        grid.addWidget(self._mark, 0, 0)
        grid.addWidget(self._sentence, 0, 1, 1, 2)
        grid.addWidget(self._place, 1, 1)
        grid.addWidget(self._code, 1, 2)

    @property
    def caller(self) -> str:
        """The place and the code of the call on show; empty where they are not known."""
        return "" if self._code.isHidden() else f"{self._place.text()}  {self._code.text()}"

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
        self._show_caller()
        self._show.setText(text("gui.diagnosis.unfold.short"))
        name = f"{text('gui.diagnosis.title')}: {self.sentence}"
        self.setAccessibleName(f"{name} {self.caller}".strip())
        self.setToolTip(text("gui.diagnosis.unfold"))

    def _show_caller(self) -> None:
        """Show the user's line of code that made the call: it is what has to be mended."""
        suspect, cell, facts = self._suspects.current, self._session.cell, self._session.facts
        frame = None
        if suspect is not None and cell is not None and facts is not None:
            frame = caller_of(cell, facts, suspect, self._suspects.row_of(suspect)).frame
        for label in (self._place, self._code):
            label.setVisible(frame is not None)
        if frame is not None:
            name = frame.path.replace("\\", "/").rsplit("/", 1)[-1]
            self._place.setText(f"{name}:{frame.line}" if frame.line else name)
            self._code.setText(frame.code.strip() or frame.function)
        # the sentence has its line to itself where there are two
        self._grid.addWidget(self._sentence, 0, 1, 1, 2 if frame is None else 3)
        self._grid.addWidget(self._aside, 0 if frame is None else 1, 3)
        self.setFixedHeight(_ONE_LINE if frame is None else _TWO_LINES)
