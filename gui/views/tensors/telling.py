"""What is said under the pictures: the values at the cursor, facts of the pair, and the pattern."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from core.messages import text
from core.metrics.inspection.values import ElementPair
from core.metrics.patterns.pattern import Pattern
from core.records.result import Verdict
from gui.looks.theme import Theme
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.facts_line import FactsLine
from gui.views.tensors.pattern_strip import PatternStrip, Search
from gui.views.tensors.readout import Readout

_STRIP_FROM, _LINES_FROM = 50, 140
"""Pixels to spare from which patterns are told here, and facts on a line of their own."""
_APART = 40
"""Pixels between values and facts, and beside them."""


_ANY = (1 << 24) - 1
"""Pixels: as wide as Qt lets a widget be."""


class Telling(QWidget):
    """Gives way to the pictures where it is low."""

    def __init__(self, theme: Theme, pair: ShownPair) -> None:
        super().__init__()
        self._pair = pair
        self._widest = 0
        """Pixels that the values of this pair took at most."""
        self._spare, self._number = 0, False
        self.values, self.facts, self.strip = Readout(theme), FactsLine(theme, pair), PatternStrip()
        self._lines = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lines.setSpacing(4)
        self._lines.addWidget(self.values, 1)
        self._lines.addWidget(self.facts)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self._lines)
        column.addWidget(self.strip)
        pair.rectangle_changed.connect(self._show_rectangle)

    def minimumSizeHint(self) -> QSize:
        """Ask for the values; facts and patterns are told where there is more room."""
        return QSize(super().minimumSizeHint().width(), self.values.minimumSizeHint().height())

    def begin(self) -> None:
        """Say nothing yet of another pair."""
        self._widest = 0
        self.values.show_values(None)
        self.facts.show_patterns(())
        self.strip.show_search(Search.RUNNING if self._is_pair() else Search.NONE)
        self._show_rectangle()

    def show_values(self, values: ElementPair | None, stored: tuple[str, str] = ("", "")) -> None:
        """Tell an element; *stored* are the formats of target and golden."""
        self.values.show_values(values, stored)
        self._place()

    def show_patterns(self, patterns: tuple[Pattern, ...], same_shapes: bool = True) -> None:
        """Tell what was found; of nothing, why."""
        self.strip.show_search(Search.DONE, patterns, self._none_words(same_shapes))
        self.facts.show_patterns(patterns)
        self._place()

    def show_no_search(self) -> None:
        """Say why there is nothing to search for patterns."""
        alone = self._pair.alone
        self.strip.show_search(
            Search.NONE, none_words=text(f"gui.heat.pattern.only.{alone.value}") if alone else ""
        )
        self._place()

    def has_room_for_strip(self, spare: int) -> bool:
        """Whether patterns are told here where there are *spare* pixels of height."""
        return spare >= _STRIP_FROM

    def take_strip(self) -> None:
        """Have the patterns told here."""
        self._column.addWidget(self.strip)
        self.strip.set_width(_ANY, 0)

    def arrange(self, spare: int, number: bool) -> None:
        """Use *spare* pixels of height; a single *number* is told elsewhere."""
        self._spare, self._number = spare, number
        self._place()

    def _show_rectangle(self) -> None:
        self.values.show_rectangle(self._pair.rectangle)
        self._place()

    def _is_pair(self) -> bool:
        return not self._pair.focus.exploring and self._pair.alone is None

    def _none_words(self, same_shapes: bool) -> str:
        """Return what is said where no pattern was found."""
        selected = self._pair.focus.selected
        if not same_shapes:
            return text("gui.heat.pattern.other_shapes")
        if selected is not None and selected[0].rows.verdict[selected[2]] == Verdict.EQUAL:
            return text("gui.heat.pattern.equal")
        return text("gui.heat.pattern.none")

    def _place(self) -> None:
        """Put the facts beside the values, or on a line of their own where it is narrow."""
        self._widest = max(self._widest, self.values.sizeHint().width())  # nothing is to jump to and fro
        wanted = self.facts.sizeHint().width()
        room = self.width() - (0 if self._number else self._widest + _APART)
        below = room < wanted and self._spare >= _LINES_FROM
        width = min(wanted, self.width() if below else room)
        self.values.setVisible(not self._number)
        self.facts.setFixedWidth(max(width, 0))
        self.facts.setVisible(bool(self.facts.words) and width >= self.facts.least_width())
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._lines.setDirection(down if below else across)
        side = Qt.AlignmentFlag.AlignLeft if below or self._number else Qt.AlignmentFlag.AlignRight
        self.facts.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self.strip.setVisible(not self._pair.focus.exploring and self.strip.has_words)
