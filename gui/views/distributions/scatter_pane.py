"""Target over golden, as a density."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.messages import text
from gui import numbers
from gui.context import Context
from gui.views.distributions.pane import PlotPane
from gui.views.distributions.scatter import ScatterCanvas
from gui.views.distributions.sides import why_no_pairs, why_nothing
from gui.views.distributions.words import between

if TYPE_CHECKING:
    from core.metrics.inspection.distributions import Distributions


class ScatterPane(PlotPane):
    """Target over golden."""

    name = "scatter"

    def __init__(self, context: Context) -> None:
        self.canvas = ScatterCanvas(context.theme)
        super().__init__(self.canvas)
        self.canvas.pointed.connect(self._point)
        self.canvas.chosen.connect(self._choose)
        self.retranslate()

    def _fill(self, found: Distributions) -> str:
        scatter = found.scatter
        if scatter is None:
            return why_no_pairs(found) or why_nothing(found)
        if not scatter.density.any():
            return why_nothing(found)
        even = scatter.bins == "linear"
        self.canvas.show_density(scatter.density, scatter.x_edges, scatter.y_edges, even)
        return ""

    def _point(self, column: int, row: int) -> None:
        if column < 0 or self._found is None or self._found.scatter is None:
            self._read("")
            return
        scatter = self._found.scatter
        count = int(scatter.density[row, column])
        golden = between(scatter.x_edges[column], scatter.x_edges[column + 1], 3)
        target = between(scatter.y_edges[row], scatter.y_edges[row + 1], 3)
        self._read(
            text("gui.scatter.cell", count=count, number=numbers.grouped(count), golden=golden, target=target)
        )

    def _choose(self, column: int, row: int) -> None:
        from core.metrics.distributions.records import ValueRange

        assert self._found is not None
        assert self._found.scatter is not None
        scatter = self._found.scatter
        target, golden = (
            scatter.y_edges[row : row + 2].tolist(),
            scatter.x_edges[column : column + 2].tolist(),
        )
        self.value_wanted.emit(ValueRange("both", *target, *golden))

    def _facts(self) -> str:
        return text("gui.scatter.facts")

    def _title_words(self) -> str:
        return text("gui.scatter.title")

    def _tip(self) -> str:
        return text("gui.scatter.help")
