"""The diagnosis: who is held responsible, and why; what was explained; what is merely remarkable."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.looks.icons import icon
from gui.models.pair.suspects import outcome_of
from gui.views.diagnosis.answer import Answer
from gui.views.diagnosis.lists import ExplainedList, OutcomeLines, RemarkList
from gui.views.diagnosis.quotes import Quotes
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.labels import wrapped_label
from gui.widgets.page_area import page_area
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons


class DiagnosisView(Translated, Card):
    """The card at the right."""

    fold_wanted = Signal()
    precheck_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self._suspects = context.session.suspects
        self.turn = TurnButtons()
        self.fold = QToolButton()
        self.answer = Answer(context)
        self._mark = CategoryMark(context.theme, 13)
        self._outcome = wrapped_label("title")
        self._lines = OutcomeLines()
        self.explained, self.remarks = ExplainedList(context), RemarkList(context)
        self.quotes = Quotes(context)
        self._nobody = QWidget()
        self._lay_out()
        self.setMinimumWidth(240)
        self.turn.turned.connect(self._suspects.turn)
        self.fold.clicked.connect(self.fold_wanted)
        self.quotes.pressed.connect(self.precheck_wanted)
        self._suspects.changed.connect(self.retranslate)
        self._session.cell_changed.connect(self.retranslate)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _lay_out(self) -> None:
        self.header.add(self.turn)
        self.header.add(self.fold)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self._outcome, 1)
        nobody = QVBoxLayout(self._nobody)
        nobody.setContentsMargins(8, 0, 8, 0)
        nobody.setSpacing(9)
        nobody.addLayout(top)
        nobody.addWidget(self._lines)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(6, 12, 6, 14)  # rows reach out further than texts
        column.setSpacing(10)
        for widget in (self.answer, self._nobody, self.explained, self.remarks):
            column.addWidget(widget)
        column.addStretch(1)
        self.area = page_area(page)
        self.body.addWidget(self.area, 1)
        self.body.addWidget(self.quotes)

    @property
    def outcome(self) -> list[str]:
        """What is said when nothing is held responsible: sentence, then details."""
        return [] if self._nobody.isHidden() else [self._outcome.text(), *self._lines.texts]

    @property
    def outcome_category(self) -> object:
        """The mark before the outcome."""
        return self._mark.category

    def take_focus(self) -> None:
        """Give the focus to the first button there is."""
        wanted = self.answer.show_button if self._suspects.current is not None else self.fold
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def copied_text(self) -> str:
        """Return the evidence as Markdown."""
        return self.answer.copied_text() if self._suspects.current is not None else ""

    def _restyle(self) -> None:
        self.fold.setIcon(icon("close", self._theme.colours.dim))

    def retranslate(self) -> None:
        suspects = self._suspects
        self.set_title(text("gui.diagnosis.title"))
        self.fold.setToolTip(text("gui.diagnosis.fold"))
        self.fold.setAccessibleName(text("gui.diagnosis.fold"))
        self.turn.set_place(suspects.position, len(suspects.open))
        current = suspects.current
        self.answer.setVisible(current is not None)
        self._nobody.setVisible(current is None)
        if current is not None:
            self.answer.show_suspect(current)
        elif self._session.facts is not None:
            outcome = outcome_of(self._session.facts, len(suspects.explained))
            self._mark.show_category(outcome.category)
            self._outcome.setText(outcome.sentence)
            self._lines.fill(outcome.details)
        self.explained.fill(suspects.explained)
        self.remarks.fill([(suspect, "") for suspect in suspects.remarks])
