"""Powers of two of both sides, and what a number format holds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.models.tensors.heights import CountHeights
from gui.models.tensors.zones import FORMATS, zones_of
from gui.views.distributions.pane import PlotPane
from gui.views.distributions.plots import ExponentsCanvas
from gui.views.distributions.sides import series_of, side_of, why_nothing
from gui.views.distributions.words import GAP, both
from gui.widgets.powers import power_of_two

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions


_LARGEST = float(np.finfo(np.float64).max)


class ExponentsPane(PlotPane):
    """Powers of two, and what a chosen format does not hold of them."""

    name = "exponents"

    def __init__(self, context: Context) -> None:
        self.canvas = ExponentsCanvas(context.theme)
        super().__init__(self.canvas)
        self._settings = context.settings
        self.formats = QComboBox()
        self.formats.setFixedHeight(24)
        for word, shown in FORMATS.items():
            self.formats.addItem(shown, word)
        self.formats.setCurrentIndex(max(self.formats.findData(context.settings.distributions_format), 0))
        self.formats.activated.connect(self._choose_format)
        self.formats.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._heading.addWidget(self.formats, 0, Qt.AlignmentFlag.AlignVCenter)
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(self._choose)
        self.retranslate()

    def _choose_format(self) -> None:
        self._settings.distributions_format = str(self.formats.currentData())
        self.canvas.show_zones(zones_of(self.formats.currentData()))
        self._read("")

    def _fill(self, found: Distributions) -> str:
        told = found.exponents
        sides = None if told is None else [
            np.concatenate([[zeros], counts]).astype(float) if counts is not None else None
            for counts, zeros in ((told.target, told.target_zeros), (told.golden, told.golden_zeros))
        ]  # fmt: skip
        if told is None or sides is None or not any(side is not None and side.any() for side in sides):
            return why_nothing(found)
        series = series_of(*sides)
        heights = CountHeights(
            max(float(side.values.max()) for side in series), self._settings.distributions_log
        )
        keep = self.canvas.first == told.first
        self.canvas.first = told.first
        self.canvas.zones = zones_of(str(self.formats.currentData()))
        self.canvas.show_series(series, heights, keep)
        return ""

    def _counts(self, at: int) -> tuple[int | None, int | None]:
        assert self._found is not None
        assert self._found.exponents is not None
        told = self._found.exponents
        target, golden = (
            None if side is None else zeros if at == 0 else int(side[at - 1])
            for side, zeros in ((told.target, told.target_zeros), (told.golden, told.golden_zeros))
        )
        return target, golden

    def _point(self, at: int) -> None:
        if at < 0 or self._found is None:
            self._read("")
            return
        exponent = self.canvas.first + at - 1
        what = f"{power_of_two(exponent)} ≤ |x| < {power_of_two(exponent + 1)}" if at else "x = 0"
        self._read(f"{what}{GAP}{both(*self._counts(at))}")

    def _choose(self, at: int) -> None:
        from core.metrics.distributions.records import ValueRange

        exponent = self.canvas.first + at - 1
        low, high = (0.0, 5e-324) if at == 0 else (2.0**exponent, _power(exponent + 1))
        self.value_wanted.emit(ValueRange(side_of(*self._counts(at)), low, high, magnitude=True))

    def _facts(self) -> str:
        """Tell which shares of both sides the chosen format loses, holds badly, or overflows at."""
        assert self._found is not None
        assert self._found.exponents is not None
        told, zones = self._found.exponents, self.canvas.zones
        if zones is None:
            return ""
        shares = [
            zones.shares(told.first, counts, zeros)
            for counts, zeros in ((told.target, told.target_zeros), (told.golden, told.golden_zeros))
            if counts is not None
        ]
        parts = [
            f"{words} {' | '.join(dict.fromkeys(_share(side[at]) for side in shares))}"
            for at, words in enumerate(
                (text("gui.exponents.lost"), text("gui.exponents.subnormal"), text("gui.exponents.overflow"))
            )
            if any(side[at] for side in shares)
        ]
        return GAP.join(parts) or text("gui.exponents.all_held", format=self.formats.currentText())

    def _title_words(self) -> str:
        return text("gui.exponents.title")

    def _tip(self) -> str:
        return text("gui.exponents.help")

    def retranslate(self) -> None:
        super().retranslate()
        self.formats.setToolTip(text("gui.exponents.format.help"))
        self.formats.setAccessibleName(text("gui.exponents.format"))


def _power(exponent: int) -> float:
    return 2.0**exponent if exponent < 1024 else _LARGEST


def _share(share: float) -> str:
    return numbers.percent(share) if share >= 1e-3 or not share else f"< {numbers.percent(1e-3)}"
