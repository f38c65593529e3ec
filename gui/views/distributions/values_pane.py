"""Values of both sides on shared bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.messages import text
from gui.context import Context
from gui.models.tensors.heights import CountHeights
from gui.views.distributions.pane import PlotPane
from gui.views.distributions.plots import ValuesCanvas
from gui.views.distributions.sides import series_of, side_of, why_nothing
from gui.views.distributions.words import GAP, between, both, held, specials

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions


class ValuesPane(PlotPane):
    """Values of both sides."""

    name = "values"

    def __init__(self, context: Context) -> None:
        self.canvas = ValuesCanvas(context.theme)
        super().__init__(self.canvas)
        self._settings = context.settings
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(self._choose)
        self.retranslate()

    def _fill(self, found: Distributions) -> str:
        values = found.values
        if values is None or held(values) is None:
            return why_nothing(found)
        series = series_of(values.target, values.golden)
        most = max(float(side.values.max()) for side in series)
        heights = CountHeights(most, self._settings.distributions_log)
        self.canvas.show_bins(values.edges, found.request.bins == "linear", series, heights)
        return ""

    def _counts(self, at: int) -> tuple[int | None, int | None]:
        assert self._found is not None
        assert self._found.values is not None
        values = self._found.values
        target, golden = (None if side is None else int(side[at]) for side in (values.target, values.golden))
        return target, golden

    def _point(self, at: int) -> None:
        if at < 0 or self._found is None:
            self._read("")
            return
        low, high = self.canvas.edges[at : at + 2].tolist()
        self._read(f"{between(low, high)}{GAP}{both(*self._counts(at))}")

    def _choose(self, at: int) -> None:
        from core.metrics.distributions.records import ValueRange

        low, high = self.canvas.edges[at : at + 2].tolist()
        self.value_wanted.emit(ValueRange(side_of(*self._counts(at)), low, high))

    def _facts(self) -> str:
        assert self._found is not None
        assert self._found.values is not None
        ends = held(self._found.values)
        told = [between(*ends)] if ends is not None else []
        return GAP.join([*told, *filter(None, [specials(self._found.values)])])

    def _title_words(self) -> str:
        return text("gui.values.title")

    def _tip(self) -> str:
        return text("gui.values.help")
