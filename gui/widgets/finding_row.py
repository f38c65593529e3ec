"""A finding in a list: how much it matters, a sentence, and where it leads."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel

from core.messages import text
from core.records.training import Weight
from gui import numbers
from gui.looks.theme import Theme
from gui.models.pair.categories import Category
from gui.widgets.category_mark import CategoryMark
from gui.widgets.labels import wrapped_label
from gui.widgets.pressable import Pressable

WEIGHT_MARKS = {
    Weight.FAULT: Category.INTRODUCED, Weight.WARNING: Category.INHERITED, Weight.NOTE: Category.NOT_COMPARED,
}  # fmt: skip


class FindingRow(Pressable):
    """Pressed, the plot shows its step."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("listRow")
        self.mark = CategoryMark(theme, 11)
        self.words = wrapped_label("")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.place = QLabel()
        self.place.setObjectName("dim")
        self.place.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(6)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        row.addWidget(self.place, 0, Qt.AlignmentFlag.AlignTop)

    def show_finding(self, weight: Weight, sentence: str, step: int | None) -> None:
        """Show *sentence*, which is about *step*."""
        word = text(f"training.weight.{weight.value}")
        self.mark.show_category(WEIGHT_MARKS[weight])
        self.mark.setToolTip(word)
        self.words.setText(sentence)
        self.setAccessibleName(f"{word}: {sentence}")
        leads = step is not None
        self.setToolTip(text("gui.training.go_to", step=numbers.grouped(step)) if step is not None else "")
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if leads else Qt.FocusPolicy.NoFocus)

    def show_place(self, words: str, chosen: bool) -> None:
        """Write *words*, a step, at the right; *chosen* says that it is looked at."""
        self.place.setText(words)
        self.place.setVisible(bool(words))
        if self.property("chosen") != chosen:
            self.setProperty("chosen", chosen)
            self.style().unpolish(self)
            self.style().polish(self)
