"""The answer on top of the page, and chips that count and filter."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.messages import render, text
from core.records.emulation import EmulationVerdict
from gui import numbers
from gui.context import Context
from gui.models.emulation.calls import VERDICTS, Replayed
from gui.models.emulation.words import MARKS, reason_word, verdict_help, verdict_word
from gui.models.pair.suspects import cell_label
from gui.names import shown
from gui.widgets.card import Card
from gui.widgets.category_mark import CategoryMark
from gui.widgets.chips import CountChip
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import marked_up, unbroken, wrapped_label
from gui.widgets.translated import Translated


class EmulationHeadline(Translated, Card):
    """Sentence, verdicts, reasons why calls were not replayed."""

    filtered = Signal()
    """Other verdicts or reasons are wanted."""
    otherwise_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(heading=False)
        self._theme, self._state = context.theme, context.session.emulation
        self._shown: Replayed | None = None
        self._mark, self._sentence = CategoryMark(context.theme, 14), wrapped_label("title")
        self._sentence.setTextFormat(Qt.TextFormat.RichText)
        self._words = wrapped_label("dim")
        self.otherwise = QPushButton()
        self.chips = {verdict: CountChip(MARKS[verdict], context.theme) for verdict in VERDICTS}
        self.reasons: dict[str, CountChip] = {}
        self._reasons_word = QLabel()
        self._reasons_word.setObjectName("dim")
        self._reasons_word.setFixedHeight(28)
        self._verdict_row, self._reason_row = QWidget(), QWidget()
        self._verdict_flow, self._reason_flow = FlowLayout(6), FlowLayout(6)
        self._verdict_row.setLayout(self._verdict_flow)
        self._reason_row.setLayout(self._reason_flow)
        for chip in self.chips.values():
            chip.clicked.connect(self.filtered)
            self._verdict_flow.addWidget(chip)
        self._reason_flow.addWidget(self._reasons_word)
        words = QVBoxLayout()
        words.setSpacing(7)
        for part in (self._sentence, self._words):
            words.addWidget(part)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.otherwise, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self._verdict_row)
        column.addWidget(self._reason_row)
        self.body.addLayout(column)
        self.otherwise.clicked.connect(self.otherwise_wanted)
        context.theme.changed.connect(self.retranslate)
        self.retranslate()

    # ---- content

    def show_found(self, found: Replayed) -> None:
        """Show another emulation; nothing is filtered."""
        if found is not self._shown:
            self._shown = found
            self._make_reasons(found)
            self.clear()
        self.retranslate()

    def _make_reasons(self, found: Replayed) -> None:
        for chip in self.reasons.values():
            self._reason_flow.removeWidget(chip)
            chip.deleteLater()
        self.reasons = {}
        for reason in found.calls.reason_counts:
            chip = self.reasons[reason] = CountChip(None, self._theme)
            chip.clicked.connect(self.filtered)
            self._reason_flow.addWidget(chip)
        self._reason_row.setVisible(bool(self.reasons))

    @property
    def wanted(self) -> tuple[frozenset[EmulationVerdict], frozenset[str]]:
        """The verdicts and reasons that are checked."""
        verdicts = frozenset(verdict for verdict, chip in self.chips.items() if chip.isChecked())
        return verdicts, frozenset(reason for reason, chip in self.reasons.items() if chip.isChecked())

    def clear(self) -> None:
        """Check no chip."""
        for chip in (*self.chips.values(), *self.reasons.values()):
            chip.setChecked(False)

    @property
    def sentence(self) -> str:
        """The sentence on show."""
        return shown(render(self._shown.headline)) if self._shown is not None else ""

    @property
    def details(self) -> str:
        """What stands under it."""
        return self._words.text()

    def copied_text(self) -> str:
        """Return the sentence."""
        return unbroken(self.sentence)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.emulation.headline"))
        self.otherwise.setText(text("gui.emulation.otherwise"))
        self.otherwise.setToolTip(text("gui.emulation.otherwise.help"))
        self._reasons_word.setText(text("gui.emulation.why_not"))
        found = self._shown
        if found is None:
            return
        counts = found.calls.counts
        at = {verdict: int(counts[place]) for place, verdict in enumerate(VERDICTS)}
        replayed = len(found.calls) - at[EmulationVerdict.NOT_REPLAYED]
        worst = EmulationVerdict.OUTSIDE if at[EmulationVerdict.OUTSIDE] else EmulationVerdict.INSIDE_ENVELOPE
        self._mark.show_category(MARKS[worst if replayed else EmulationVerdict.NOT_REPLAYED])
        self._sentence.setText(marked_up(self.sentence, self._theme.fixed_font(15)))
        remarks = [shown(render(remark)) for remark in found.remarks]
        self._words.setText("\n".join([self._share(found, replayed, at[EmulationVerdict.OUTSIDE]), *remarks]))
        for verdict, chip in self.chips.items():
            chip.show_count(at[verdict], at[verdict], verdict_word(verdict), verdict_help(verdict))
        for reason, count in found.calls.reason_counts.items():
            self.reasons[reason].show_count(count, count, reason_word(reason), "")

    @staticmethod
    def _share(found: Replayed, replayed: int, outside: int) -> str:
        cells = found.calls.cells
        where = cell_label(cells[0]) if len(cells) == 1 else ""
        if len(cells) > 1:
            number = numbers.grouped(len(cells))
            where = text("gui.emulation.cells", count=len(cells), number=number)
        share = numbers.percent((replayed - outside) / replayed) if replayed else "—"
        return text("gui.emulation.share", share=share, all=numbers.grouped(len(found.calls)), where=where)
