"""A quiet box of names and values, values to the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFont, QHelpEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QToolTip, QWidget

from gui import numbers
from gui.widgets.elided_label import ElidedLabel

Fact = tuple[str, ...]
"""A name and one value a column; a value that begins with ``!`` is drawn as an alarm."""

_LEAST_NAME = 56
"""Pixels that the names get at least beside many columns."""
_MOST_NAME = 110
"""And at most."""


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
        self._tips: list[str] = []
        if small:
            font = QFont(self.font())
            font.setPixelSize(11)
            self.setFont(font)
            self._grid.setContentsMargins(9, 8, 9, 8)
            self._grid.setHorizontalSpacing(8)

    def set_facts(self, facts: list[Fact]) -> None:
        """Show *facts*; none hides the box."""
        self.setVisible(bool(facts))
        self._make_room(facts)
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

    def _make_room(self, facts: list[Fact]) -> None:
        """Give the names beside many columns what the longest needs, as long as the numbers have theirs."""
        if self._columns > 1 and facts:
            longest = max(self.fontMetrics().horizontalAdvance(fact[0]) for fact in facts)
            self._grid.setColumnMinimumWidth(0, min(max(longest + 2, _LEAST_NAME), _MOST_NAME))

    def set_tips(self, tips: Sequence[str]) -> None:
        """Say of each fact what it is, where the pointer rests on it."""
        self._tips = list(tips)

    def tip_at(self, place: QPoint) -> str:
        """Return what is told of the fact at *place*; empty where nothing is."""
        for labels, tip in zip(self._rows, self._tips):
            lines = [label.geometry() for label in labels if label.isVisible()]
            if lines and min(line.top() for line in lines) <= place.y() <= max(
                line.bottom() for line in lines
            ):
                return tip
        return ""

    def event(self, event: QEvent) -> bool:
        """Tell of the fact under the pointer; a label that is cut tells the whole of itself."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tip = self.tip_at(event.pos())
            QToolTip.showText(event.globalPos(), tip, self) if tip else QToolTip.hideText()
            return True
        return super().event(event)

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
            cut = not column and self._columns > 1
            label = ElidedLabel(parent=self, mode=Qt.TextElideMode.ElideRight) if cut else QLabel(self)
            label.setWordWrap(not column and not cut)  # half a name may be that of another
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
