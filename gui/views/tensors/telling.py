"""What is said under the pictures: the values at the cursor, facts of the pair, and the pattern."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from core.metrics.inspection.values import ElementPair
from core.metrics.patterns.pattern import Pattern
from gui.looks.theme import Theme
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.facts_line import FactsLine
from gui.views.tensors.pattern_strip import PatternStrip, Search
from gui.views.tensors.readout import Readout

_STRIP_FROM, _LINES_FROM = 50, 140
"""Pixels to spare from which patterns are told, and facts on a line of their own."""
_APART = 40
"""Pixels between values and facts, and beside them."""


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
        column = QVBoxLayout(self)
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
        self.strip.show_search(Search.NONE if self._pair.focus.exploring else Search.RUNNING)
        self._show_rectangle()

    def show_values(self, values: ElementPair | None, stored: tuple[str, str] = ("", "")) -> None:
        """Tell an element; *stored* are the formats of target and golden."""
        self.values.show_values(values, stored)
        self._place()

    def show_patterns(self, patterns: tuple[Pattern, ...]) -> None:
        """Tell what was found."""
        self.strip.show_search(Search.DONE, patterns)
        self.facts.show_patterns(patterns)
        self._place()

    def arrange(self, spare: int, number: bool) -> None:
        """Use *spare* pixels of height; a single *number* is told elsewhere."""
        self._spare, self._number = spare, number
        self._place()

    def _show_rectangle(self) -> None:
        self.values.show_rectangle(self._pair.rectangle)
        self._place()

    def _place(self) -> None:
        """Put the facts beside the values, or on a line of their own where it is narrow."""
        self._widest = max(self._widest, self.values.sizeHint().width())  # nothing is to jump to and fro
        beside = self._widest + self.facts.sizeHint().width() + _APART <= self.width()
        self.values.setVisible(not self._number)
        self.facts.setVisible(bool(self.facts.words) and (beside or self._spare >= _LINES_FROM))
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._lines.setDirection(across if beside else down)
        side = Qt.AlignmentFlag.AlignRight if beside and not self._number else Qt.AlignmentFlag.AlignLeft
        self.facts.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self.strip.setVisible(self._spare >= _STRIP_FROM and not self._pair.focus.exploring)
