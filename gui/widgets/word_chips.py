"""Chips with a word or two each, beside a sentence that begins with a mark."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget


class WordChips:
    """At most so many; each is put where it belongs by whoever asks for them."""

    def __init__(self, most: int) -> None:
        self.labels = tuple(QLabel() for _ in range(most))
        for label in self.labels:
            label.setObjectName("chip")

    def say(self, *chips: tuple[str, str]) -> None:
        """Show the words of *chips*, each with its tool tip; what is left over is hidden."""
        for number, label in enumerate(self.labels):
            label.setVisible(number < len(chips))
            if number < len(chips):
                label.setText(chips[number][0])
                label.setToolTip(chips[number][1])

    @property
    def words(self) -> list[str]:
        """What those on show say."""
        return [label.text() for label in self.labels if not label.isHidden()]


def marked_row(mark: QWidget, sentence: QWidget) -> QHBoxLayout:
    """Return *sentence* beside its *mark*."""
    row = QHBoxLayout()
    row.setSpacing(6)
    row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(sentence, 1)
    return row
