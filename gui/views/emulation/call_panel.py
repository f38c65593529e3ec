"""All that the emulation says of one call: sentence, distances, histogram, the worst element."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.messages import text
from core.records.emulation import CallEmulation, EmulationVerdict, GoldenVerdict, SlotEmulation, WorstElement
from gui.context import Context
from gui.models.emulation.details import as_table, distance_rows, fact_rows, place_text, worst_rows
from gui.models.emulation.words import (
    MARKS,
    call_sentence,
    golden_word,
    slot_sentence,
    slot_title,
    verdict_help,
    verdict_word,
)
from gui.models.pair.suspects import cell_label
from gui.widgets.category_mark import CategoryMark
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import heading_label, marked_up, wrapped_label
from gui.widgets.number_line import Mark, NumberLine
from gui.widgets.page_area import page_area, page_columns
from gui.widgets.translated import Translated
from gui.widgets.turn_buttons import TurnButtons
from gui.widgets.ulp_bars import UlpBars
from gui.widgets.word_chips import WordChips, marked_row

_LONGEST_VALUE = 44


class CallPanel(Translated, QWidget):
    """One output at a time; *wide* puts its parts beside each other, for a low and broad place.

    *beside* is put to what is said of the call.
    """

    def __init__(self, context: Context, wide: bool = False, beside: QWidget | None = None) -> None:
        super().__init__()
        self._theme, self._wide, self._beside = context.theme, wide, beside
        self._call: CallEmulation | None = None
        self._title, self._at = "", 0
        self._mark = CategoryMark(context.theme, 13)
        self._sentence = wrapped_label("strong")
        self._sentence.setTextFormat(Qt.TextFormat.RichText)
        self._chips = WordChips(3)
        self._slot, self._slot_words, self._profile = (
            wrapped_label("strong"),
            wrapped_label(""),
            wrapped_label("dim"),
        )
        self._slot.setFont(context.theme.fixed_font())
        self.turn = TurnButtons(("gui.emulation.previous_output", "gui.emulation.next_output"))
        self.distances, self.facts = FactsPanel(columns=5, small=True), FactsPanel(longest=_LONGEST_VALUE)
        self._bars_title, self._worst_title = heading_label(), heading_label()
        self.bars, self.line = UlpBars(context.theme), NumberLine(context.theme)
        self.worst = FactsPanel()
        self._lay_out()
        self.turn.turned.connect(self._turn)
        context.theme.changed.connect(self.retranslate)
        self.retranslate()

    def _lay_out(self) -> None:
        page = QWidget()
        words, middle, right = page_columns(page, self._wide, spacing=20, stretches=(5, 5, 4))
        chips = FlowLayout(6)
        for chip in self._chips.labels:
            chips.addWidget(chip)
        which = QHBoxLayout()
        which.addWidget(self._slot, 1)
        which.addWidget(self.turn, 0, Qt.AlignmentFlag.AlignTop)
        words.addLayout(marked_row(self._mark, self._sentence))
        words.addLayout(chips)
        if self._beside is not None:
            words.addWidget(self._beside)
        words.addWidget(self._profile)
        words.addLayout(which)
        words.addWidget(self._slot_words)
        if self._wide:
            words.addWidget(self.facts)
        middle.addWidget(self.distances)
        if not self._wide:
            middle.addWidget(self.facts)
        middle.addWidget(self._bars_title)
        middle.addWidget(self.bars)
        for widget in (self._worst_title, self.line, self.worst):
            right.addWidget(widget)
        for each in dict.fromkeys((words, middle, right)):
            each.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(page_area(page))

    # ---- content

    def show_call(self, call: CallEmulation, title: str) -> None:
        """Show *call*, replayed under the profile called *title*: the output explained least comes first."""
        self._call, self._title = call, title
        worst = call.worst_slot
        self._at = call.slots.index(worst) if worst is not None else 0
        self.retranslate()

    @property
    def call(self) -> CallEmulation | None:
        """The call on show."""
        return self._call

    @property
    def slot(self) -> SlotEmulation | None:
        """The output on show."""
        return self._call.slots[self._at] if self._call is not None and self._call.slots else None

    @property
    def sentences(self) -> tuple[str, str]:
        """What it says of the call, and of the output."""
        said = call_sentence(self._call, self._title) if self._call is not None else ""
        return said, self._slot_words.text()

    def _turn(self, forward: bool) -> None:
        if self._call is not None and self._call.slots:
            self._at = (self._at + (1 if forward else -1)) % len(self._call.slots)
            self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.emulation.call"))
        self._bars_title.setText(text("gui.emulation.histogram"))
        call = self._call
        if call is None:
            return
        self._mark.show_category(MARKS[call.verdict])
        self._sentence.setText(marked_up(call_sentence(call, self._title), self._theme.fixed_font(13)))
        self._fill_chips(call)
        self._profile.setText(text("gui.emulation.under", title=self._title))
        self._profile.setVisible(call.verdict is EmulationVerdict.NOT_REPLAYED)
        slot = self.slot
        parts = (self._slot, self._slot_words, self.turn, self.distances, self.facts, self._bars_title)
        for widget in (*parts, self.bars, self._worst_title, self.line, self.worst):
            widget.setVisible(slot is not None)
        if slot is not None:
            self._show_slot(call, slot)

    def _fill_chips(self, call: CallEmulation) -> None:
        chips = [(verdict_word(call.verdict), verdict_help(call.verdict)), (cell_label(call.cell), "")]
        if call.golden is not GoldenVerdict.UNKNOWN:
            said = text("gui.emulation.golden", verdict=golden_word(call.golden))
            chips.insert(1, (said, text("gui.emulation.golden.help")))
        self._chips.say(*chips)

    def _show_slot(self, call: CallEmulation, slot: SlotEmulation) -> None:
        self._slot.setText(slot_title(slot))
        self._slot_words.setText(slot_sentence(slot))
        self.turn.set_place(self._at, len(call.slots) if len(call.slots) > 1 else 0)
        self.distances.set_facts(distance_rows(slot))
        self.facts.set_facts(fact_rows(call, slot))
        self.bars.show_counts(slot.histogram)
        self._bars_title.setVisible(any(slot.histogram))
        worst = slot.worst
        for widget in (self._worst_title, self.line, self.worst):
            widget.setVisible(worst is not None)
        if worst is not None:
            self._show_worst(worst)

    def _show_worst(self, worst: WorstElement) -> None:
        self._worst_title.setText(text("gui.emulation.worst", place=place_text(worst)))
        outside = self.slot is not None and self.slot.verdict is EmulationVerdict.OUTSIDE
        marks = (
            Mark(text("gui.target"), worst.target, "introduces" if outside else "text", main=True),
            Mark(text("gui.emulation.to.reference"), worst.reference, "accent"),
            Mark(text("gui.emulation.to.profile"), worst.profile, "equal"),
            Mark(text("gui.emulation.to.control"), worst.control, "dim"),
        )
        bound = (worst.reference - worst.allowed, worst.reference + worst.allowed)
        self.line.show_numbers(marks, (worst.low, worst.high), bound)
        self.line.setAccessibleName(self._worst_title.text())
        self.worst.set_facts(worst_rows(worst))

    def copied_text(self) -> str:
        """Return the distances of the call as tab-separated text with headings."""
        return as_table(self._call) if self._call is not None else ""
