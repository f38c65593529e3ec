"""What is known of a rectangle, or of the whole tensor, on both sides, and of their difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

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

    def __init__(self) -> None:
        super().__init__()
        self._found: RegionStatistics | None = None
        self._marked = self._single = False
        self._title, self.reading = QLabel(), QuietProgress()
        self._title.setObjectName("strong")
        self.sides = FactsPanel(columns=2, small=True)
        self.apart = FactsPanel(small=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for part in (self._title, self.sides, self.apart, self.reading):
            column.addWidget(part)
        column.addStretch(1)
        self.retranslate()

    def show_found(self, found: RegionStatistics, marked: bool, single: bool) -> None:
        """Show the answer of the service, of what is *marked* or of the whole."""
        self._found, self._marked, self._single = found, marked, single
        self.reading.end()
        self.retranslate()

    def clear(self) -> None:
        """Show nothing."""
        self._found = None
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
        rows: list[Fact] = []
        if found.differing is not None:
            rows.append((text("gui.statistics.differing"), numbers.grouped(found.differing)))
        rows += [(name, numbers.scientific(value, 3)) for name, value in told if value is not None]
        if found.cosine is not None:
            rows.append((text("gui.statistics.cosine"), numbers.cosine(found.cosine) or numbers.NOTHING))
        if found.max_ulp is not None:
            rows.append((text("gui.statistics.max_ulp"), numbers.compact(found.max_ulp, _DIGITS)))
        return rows

    def retranslate(self) -> None:
        found = self._found
        self.sides.setVisible(found is not None)
        self.apart.setVisible(found is not None)
        if found is None:
            self._title.setText("")
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
