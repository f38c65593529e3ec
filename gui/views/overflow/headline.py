"""The answer on top of the page: the sentence of the first birth, or that there is none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.messages import render, text
from core.records.overflow import OverflowReport
from gui.context import Context
from gui.models.overflow.lanes import KINDS
from gui.models.overflow.summary import calm_of, first_line
from gui.models.overflow.words import kind_help, kind_word, level_help, level_word, mode_help, mode_word
from gui.models.pair.suspects import cell_label
from gui.widgets.birth_icon import BirthIcon
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import marked_up, unbroken, wrapped_label
from gui.widgets.translated import Translated
from gui.widgets.value_chip import ValueChip
from gui.widgets.word_chips import WordChips


class HeadlineView(Translated, Card):
    """Stays the same while other births are looked at."""

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._theme, self._overflow = context.theme, context.session.overflow
        self._birth, self._calm = BirthIcon(context.theme, 14), CategoryMark(context.theme, 14)
        self._lead, self._sentence, self._lines = QLabel(), wrapped_label("title"), wrapped_label("dim")
        self._lead.setObjectName("dim")
        self._sentence.setTextFormat(Qt.TextFormat.RichText)
        self._chips = WordChips(4)
        self._values = [ValueChip(context.theme, kind) for kind in KINDS]
        self._chip_row = QWidget()
        flow = FlowLayout(6)
        self._chip_row.setLayout(flow)
        for widget in (*self._chips.labels[:2], *self._values, *self._chips.labels[2:]):
            flow.addWidget(widget)
        words = QVBoxLayout()
        words.setSpacing(6)
        for part in (self._lead, self._sentence, self._lines, self._chip_row):
            words.addWidget(part)
        row = QHBoxLayout()
        row.setContentsMargins(14, 11, 16, 12)
        row.setSpacing(8)
        for mark in (self._birth, self._calm):
            row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.body.addLayout(row)
        self._overflow.changed.connect(self.retranslate)
        self._theme.changed.connect(self.retranslate)
        self.retranslate()

    @property
    def sentence(self) -> str:
        """The sentence on show."""
        return self._plain

    @property
    def chips(self) -> list[str]:
        """What the chips say."""
        return self._chips.words + [chip.words for chip in self._values if not chip.isHidden()]

    @property
    def details(self) -> str:
        """What stands under the sentence."""
        return self._lines.text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.overflow.headline"))
        report = self._overflow.report
        self._plain = ""
        if report is None:
            return
        birth = report.first
        self._birth.setVisible(birth is not None)
        self._calm.setVisible(birth is None)
        self._lead.setVisible(birth is not None)
        for chip in self._values:
            chip.setVisible(birth is not None and bool(birth.values & chip.value))
        if birth is None:
            self._say_calm(report)
            return
        self._birth.show_birth(birth)
        self._lead.setText(first_line(report))
        self._plain = render(birth.message).replace("`", "")
        self._sentence.setText(marked_up(render(birth.message), self._theme.fixed_font(15)))
        ours = report is not self._overflow.official
        remarks = [render(remark) for remark in report.remarks] if ours else []
        self._lines.setText("\n".join(remarks))
        self._lines.setVisible(bool(remarks))
        kind = [(kind_word(birth.kind), kind_help(birth.kind))] if report.tracks else []
        self._fill_chips(
            *kind,
            (level_word(birth.level), level_help(birth.level)),
            (cell_label(birth.cell), text("gui.overflow.where")),
            (mode_word(report.mode), mode_help(report.mode)),
        )

    def _say_calm(self, report: OverflowReport) -> None:
        calm = calm_of(report)
        self._calm.show_category(calm.category)
        self._plain = calm.sentence
        self._sentence.setText(calm.sentence)
        self._lines.setText("\n".join(calm.details))
        self._lines.setVisible(bool(calm.details))
        self._fill_chips((mode_word(report.mode), mode_help(report.mode)))

    def _fill_chips(self, *chips: tuple[str, str]) -> None:
        self._chips.say(*chips)
        self._chip_row.updateGeometry()

    def copied_text(self) -> str:
        """Return the sentence."""
        return unbroken(self._plain)
