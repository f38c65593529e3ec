"""A quiet box of names and values, values to the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QWidget

from gui import numbers
from gui.widgets.elided_label import ElidedLabel

Fact = tuple[str, ...]
"""A name and one value a column; a value that begins with ``!`` is drawn as an alarm."""

_LEAST_NAME = 56
"""Pixels that the names get at least beside many columns."""


class FactsPanel(QFrame):
    """Rows of facts; the labels are kept and filled anew.

    Values of more than *longest* signs are cut, with all of them in the tool tip; 0 leaves them whole.
    """

    def __init__(
        self, parent: QWidget | None = None, columns: int = 1, longest: int = 0, small: bool = False
    ) -> None:
        """*small* is for many columns in a narrow place."""
        super().__init__(parent)
        self.setObjectName("panel")
        self._columns, self._longest = columns, longest
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 9, 12, 9)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1 if columns == 1 else 0)
        for column in range(1, columns + 1):
            self._grid.setColumnStretch(column, 0 if columns == 1 else 1)
        self._rows: list[list[QLabel]] = []
        if small:
            font = QFont(self.font())
            font.setPixelSize(11)
            self.setFont(font)
            self._grid.setContentsMargins(9, 8, 9, 8)
            self._grid.setHorizontalSpacing(8)
            self._grid.setColumnMinimumWidth(0, _LEAST_NAME)

    def set_facts(self, facts: list[Fact]) -> None:
        """Show *facts*; none hides the box."""
        self.setVisible(bool(facts))
        while len(self._rows) < len(facts):
            self._rows.append(self._new_row(len(self._rows)))
        for number, labels in enumerate(self._rows):
            used = number < len(facts)
            for label in labels:
                label.setVisible(used)
            if not used:
                continue
            for label, value in zip(labels, facts[number]):
                alarm = value.startswith("!")
                wanted = "error" if alarm else "dim" if label is labels[0] else ""
                words = value.removeprefix("!")
                if self._longest and len(words) > self._longest and label is not labels[0]:
                    label.setText(numbers.shortened(words, self._longest))
                    label.setToolTip(words)
                else:
                    label.setText(words)
                    if self._longest and label is not labels[0]:
                        label.setToolTip("")
                if label.objectName() != wanted:
                    label.setObjectName(wanted)
                    label.style().unpolish(label)
                    label.style().polish(label)
                font = self.font()
                font.setWeight(font.Weight.DemiBold if alarm else font.Weight.Normal)
                label.setFont(font)

    def texts(self) -> list[list[str]]:
        """Return what is shown."""
        return [[label.text() for label in row] for row in self._rows if not row[0].isHidden()]

    def _new_row(self, number: int) -> list[QLabel]:
        made: list[QLabel] = []
        line = QHBoxLayout()
        line.setSpacing(10)
        if self._columns == 1:  # each line by itself: a long value in one leaves the names of others alone
            self._grid.addLayout(line, number, 0)
        for column in range(self._columns + 1):
            label = ElidedLabel(parent=self, mode=Qt.TextElideMode.ElideRight) if not column else QLabel(self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            if column:
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            if self._columns == 1:
                line.addWidget(label, 0 if column else 1)
            else:
                self._grid.addWidget(label, number, column)
            made.append(label)
        return made
