"""What became of all calls in a few words, and chips that filter them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.messages import render, text
from core.records.rounds import RoundStatus
from gui.comparison.rounds_work import FoundRounds
from gui.looks.theme import Theme
from gui.models.pair.rounds_table import MARKS, status_word
from gui.names import shown
from gui.widgets.chips import CountChip
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import wrapped_label

_NAMED = 3
"""Calls that are named in a sentence."""
_ALWAYS = (RoundStatus.NEW, RoundStatus.FIXED)
"""Told also where there are none."""


class RoundsSummary(QWidget):
    """The sentence, where origins went, what to doubt, and how many calls have each status."""

    filtered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.sentence, self.origins = wrapped_label("strong"), wrapped_label("dim")
        self.doubts = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self.doubts.setObjectName("dim")
        self.chips = {status: CountChip(MARKS[status], theme) for status in RoundStatus}
        chips, flow = QWidget(), FlowLayout(6)
        chips.setLayout(flow)
        for chip in self.chips.values():
            flow.addWidget(chip)
            chip.clicked.connect(self.filtered)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 14, 8)
        column.setSpacing(6)
        for widget in (self.sentence, self.origins, self.doubts, chips):
            column.addWidget(widget)

    @property
    def wanted(self) -> list[RoundStatus]:
        """The statuses that are asked for; none: all."""
        return [status for status, chip in self.chips.items() if chip.isChecked()]

    @property
    def words(self) -> str:
        """What is said, line by line."""
        return "\n".join(line for line in (self.sentence.text(), self.origins.text()) if line)

    def ask_for_all(self) -> None:
        """Uncheck all chips."""
        for chip in self.chips.values():
            chip.setChecked(False)

    def show_found(self, found: FoundRounds) -> None:
        """Tell of *found*, in the language in force."""
        self.sentence.setText(render(found.sentence))
        lines = [
            text(code, count=len(names), names=", ".join(names[:_NAMED]) + (" …" if names[_NAMED:] else ""))
            for code, names in (("rounds.origins_gone", found.gone), ("rounds.origins_new", found.new))
            if names
        ]
        self.origins.setText("\n".join(map(shown, lines)))
        self.origins.setVisible(bool(lines))
        self.doubts.setText("  ".join(problem.sentence() for problem in found.problems))
        self.doubts.setVisible(bool(found.problems))
        for status, chip in self.chips.items():
            count, meaning = found.counts[status], text(f"round.{status.name.lower()}.help")
            chip.show_count(count, count, status_word(status), meaning)
            chip.setVisible(count > 0 or status in _ALWAYS)
