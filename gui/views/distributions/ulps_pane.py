"""Distances of both sides in units in the last place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.models.tensors.element_table import distance_words
from gui.models.tensors.heights import CountHeights
from gui.views.distributions.pane import PlotPane
from gui.views.distributions.plots import UlpsCanvas, ulp_words
from gui.views.distributions.sides import why_no_pairs, why_nothing
from gui.views.distributions.words import GAP

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions


class UlpsPane(PlotPane):
    """Distances in ULP."""

    special_wanted = Signal()
    """The next element is looked for that is NaN or infinite on a side."""

    name = "ulps"

    def __init__(self, context: Context) -> None:
        self.canvas = UlpsCanvas(context.theme)
        super().__init__(self.canvas)
        self._settings = context.settings
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(self._choose)
        self.retranslate()

    def _fill(self, found: Distributions) -> str:
        ulps = found.ulps
        if ulps is None:
            return why_no_pairs(found) or text("gui.ulps.exact")
        counts = np.concatenate([[ulps.equal], ulps.counts, [ulps.special]]).astype(float)
        if not counts.any():
            return why_nothing(found)
        heights = CountHeights(float(counts.max()), self._settings.distributions_log)
        self.canvas.show_ulps(ulps.edges, ulps.quantiles, counts, heights)
        return ""

    def _point(self, at: int) -> None:
        if at < 0 or self._found is None or self._found.ulps is None:
            self._read("")
            return
        ulps, last = self._found.ulps, self.canvas.bins - 1
        count = ulps.equal if at == 0 else ulps.special if at == last else int(ulps.counts[at - 1])
        number = numbers.grouped(count)
        if at in (0, last):
            self._read(
                text("gui.ulps.bar.special", count=count, number=number)
                if at
                else text("gui.ulps.bar.equal", count=count, number=number)
            )
            return
        low, high = ulps.edges[at - 1 : at + 1].tolist()
        self._read(text("gui.ulps.bar", count=count, number=number, low=ulp_words(low), high=ulp_words(high)))

    def _choose(self, at: int) -> None:
        from core.metrics.distributions.records import ValueRange

        if at == self.canvas.bins - 1:
            self.special_wanted.emit()
            return
        low, high = (0.0, 0.0) if at == 0 else self.canvas.edges[at - 1 : at + 1].tolist()
        self.value_wanted.emit(ValueRange("ulps", low, high))

    def _facts(self) -> str:
        assert self._found is not None
        assert self._found.ulps is not None
        ulps = self._found.ulps
        quantiles = [
            f"{share:g} % ≤ {distance_words(value)}"
            for share, value in sorted(ulps.quantiles.items())
            if np.isfinite(value)
        ]
        within = text("gui.ulps.within_one", share=numbers.percent(ulps.within_one))
        return GAP.join([within, *quantiles, ulps.dtype])

    def _title_words(self) -> str:
        return text("gui.ulps.title")

    def _tip(self) -> str:
        return text("gui.ulps.help")
