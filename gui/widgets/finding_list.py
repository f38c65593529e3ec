"""Findings under each other, in a page that scrolls; one of them may be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.records.training import Weight
from gui import numbers
from gui.looks.theme import Theme
from gui.widgets.empty_note import EmptyNote
from gui.widgets.finding_row import FindingRow
from gui.widgets.labels import unbroken
from gui.widgets.page_area import page_area


class ListedFinding(NamedTuple):
    """One of them."""

    weight: Weight
    sentence: str
    step: int | None


class FindingList(QObject):
    """Fills :attr:`area`; rows are kept and filled anew."""

    chosen = Signal(int)
    """The number of the finding that was pressed."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[FindingRow] = []
        self._findings: Sequence[ListedFinding] = ()
        page = QWidget()
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(6, 8, 6, 8)
        self._column.setSpacing(2)
        self._none = EmptyNote()
        self._column.addWidget(self._none)
        self._column.addStretch(1)
        self.area = page_area(page)

    @property
    def sentences(self) -> list[str]:
        """What the findings say."""
        return [unbroken(row.words.text()) for row in self.rows if not row.isHidden()]

    def show_findings(self, findings: Sequence[ListedFinding], nothing: str) -> None:
        """List *findings*; where there are none, say *nothing*."""
        self._findings = findings
        while len(self.rows) < len(findings):
            row = FindingRow(self._theme)
            row.pressed.connect(partial(self.chosen.emit, len(self.rows)))
            self._column.insertWidget(len(self.rows), row)
            self.rows.append(row)
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(findings))
            if number < len(findings):
                row.show_finding(*findings[number])
        self._none.setVisible(not findings)
        self._none.set_texts(nothing)

    def mark(self, chosen: int, bring: bool) -> None:
        """Mark the finding that is looked at, and scroll to it with *bring*."""
        for number, (row, found) in enumerate(zip(self.rows, self._findings)):
            step = numbers.grouped(found.step) if found.step is not None else ""
            row.show_place(step, number == chosen)
            if bring and number == chosen:
                self.area.ensureWidgetVisible(row)
