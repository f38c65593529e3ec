"""What is known of a rectangle, or of the whole tensor, on both sides, and of their difference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from core.messages import text
from gui import numbers
from gui.widgets.facts_panel import Fact, FactsPanel
from gui.widgets.quiet_progress import QuietProgress
from gui.widgets.translated import Translated

if TYPE_CHECKING:
    from core.metrics.inspection.elements import RegionStatistics, SideStatistics

_DIGITS = 5


class StatisticsPanel(Translated, QWidget):
    """Two boxes of facts under a heading that says of what they are."""

    whole_wanted = Signal()
    """The user looks at the whole tensor again."""

    def __init__(self) -> None:
        super().__init__()
        self._found: RegionStatistics | None = None
        self._marked = self._single = False
        self.reason = QLabel()
        """Why nothing is known."""
        self.reason.setObjectName("dim")
        self.reason.setWordWrap(True)
        self._title, self.reading = QLabel(), QuietProgress()
        self._title.setObjectName("strong")
        self.whole = QToolButton()
        self.whole.setObjectName("link")
        self.whole.clicked.connect(self.whole_wanted)
        heading = QHBoxLayout()
        heading.addWidget(self._title, 1)
        heading.addWidget(self.whole)
        self.sides = FactsPanel(columns=2, small=True)
        self.apart = FactsPanel(small=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(heading)
        for part in (self.reason, self.sides, self.apart, self.reading):
            column.addWidget(part)
        column.addStretch(1)
        self.retranslate()

    def show_found(self, found: RegionStatistics, marked: bool, single: bool) -> None:
        """Show the answer of the service, of what is *marked* or of the whole."""
        self._found, self._marked, self._single = found, marked, single
        self.reason.setText("")
        self.reading.end()
        self.retranslate()

    def show_reason(self, sentence: str, marked: bool) -> None:
        """Say why nothing is known of what is *marked*, or of the whole."""
        self._found, self._marked = None, marked
        self.reason.setText(sentence)
        self.reading.end()
        self.retranslate()

    def clear(self) -> None:
        """Show nothing."""
        self._found = None
        self.reason.setText("")
        self.retranslate()

    def copied_text(self) -> str:
        """Return all facts as tab-separated text."""
        return "\n".join("\t".join(row) for row in [*self.sides.texts(), *self.apart.texts()])

    def _facts_of_sides(self, target: SideStatistics | None, golden: SideStatistics | None) -> list[Fact]:
        there = [side for side in (target, golden) if side is not None]
        sides = (text("gui.run"), "") if self._single else (text("gui.target"), text("gui.golden"))
        rows: list[Fact] = [("", *sides)]
        names = {
            "count": text("gui.statistics.count"), "minimum": text("gui.statistics.minimum"),
            "maximum": text("gui.statistics.maximum"), "mean": text("gui.statistics.mean"),
            "std": text("gui.statistics.std"), "norm": text("gui.statistics.norm"),
            "zeros": text("gui.statistics.zeros"), "nan": "NaN", "plus_inf": "+Inf",
            "minus_inf": f"{numbers.MINUS}Inf",
        }  # fmt: skip
        for field, name in names.items():
            special = field in ("zeros", "nan", "plus_inf", "minus_inf")
            if special and not any(getattr(side, field) for side in there):
                continue
            alarm = field in ("nan", "plus_inf", "minus_inf")
            rows.append((name, *(_told(side, field, alarm) for side in (target, golden))))
        return rows

    def _facts_of_difference(self, found: RegionStatistics) -> list[Fact]:
        told = (
            (text("gui.statistics.max_abs"), found.max_abs),
            (text("gui.statistics.mean_abs"), found.mean_abs), ("RMSE", found.rmse),
            (text("gui.statistics.relative_l2"), found.relative_l2),
        )  # fmt: skip
        measured = [
            (name, numbers.NOTHING if math.isnan(value) else numbers.scientific(value, 3))
            for name, value in told
            if value is not None
        ]
        if found.cosine is not None:
            measured.append((text("gui.statistics.cosine"), numbers.cosine(found.cosine) or numbers.NOTHING))
        if found.max_ulp is not None:
            largest = (
                numbers.NOTHING if math.isnan(found.max_ulp) else numbers.compact(found.max_ulp, _DIGITS)
            )
            measured.append((text("gui.statistics.max_ulp"), largest))
        rows: list[Fact] = []
        if found.differing is not None:
            rows.append((text("gui.statistics.differing"), numbers.grouped(found.differing)))
        if found.special:
            rows.append((text("gui.statistics.special"), f"!{numbers.grouped(found.special)}"))
            if found.max_abs:
                rows.append((text("gui.statistics.of_finite"), ""))
            else:  # no number says how far they are apart
                measured = [(name, numbers.NOTHING) for name, _ in measured]
        return [*rows, *measured]

    def retranslate(self) -> None:
        found = self._found
        told = found is not None or bool(self.reason.text())
        self.whole.setVisible(self._marked and told)
        self.whole.setText(text("gui.part.whole"))
        self.whole.setToolTip(text("gui.part.whole.back"))
        self.whole.setAccessibleName(text("gui.part.whole"))
        self.sides.setVisible(found is not None)
        self.apart.setVisible(found is not None)
        self.reason.setVisible(bool(self.reason.text()))
        if found is None:
            of_what = text("gui.part.rectangle") if self._marked else text("gui.part.whole")
            self._title.setText(of_what if told else "")
            return
        size = " × ".join(map(numbers.grouped, found.shape))
        self._title.setText(
            text("gui.statistics.of_rectangle", size=size) if self._marked else text("gui.part.whole")
        )
        self._title.setToolTip(text("gui.statistics.help"))
        self.sides.set_facts(self._facts_of_sides(found.target, found.golden))
        self.apart.set_facts(self._facts_of_difference(found))


def _told(side: SideStatistics | None, field: str, alarm: bool) -> str:
    if side is None:
        return ""
    value = getattr(side, field)
    if isinstance(value, int):
        return ("!" if alarm and value else "") + numbers.grouped(value)
    return numbers.NOTHING if value != value else numbers.compact(value, _DIGITS)
