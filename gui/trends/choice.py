"""Which heat map of layers is wanted: metric, side, axis, rank or step; and what there is to choose from."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from core.records.columns import Int64
from core.records.trends import GridAxis, TrendsReport
from gui.models.trends.metrics import Metrics
from gui.models.trends.scale import TrendSide
from gui.trends.planes import Chosen
from gui.trends.work import Reading


class GridChoice(QObject):
    """Holds what is chosen; it asks nobody for anything."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reading: Reading | None = None
        self._shift = 0
        self.metrics = Metrics(())
        self.ranks: Int64 = np.empty(0, np.int64)
        """To choose from, as the target numbers them."""
        self.steps: Int64 = np.empty(0, np.int64)
        self.metric = ""
        self.side = TrendSide.TARGET
        self.axis = GridAxis.STEP
        self.rank = self.step = 0

    def _offer(self, reading: Reading | None, report: TrendsReport | None, shift: int) -> None:
        """Offer what was read, and choose the first of all; the metric stays where there is such a one."""
        self._reading, self._shift = reading, shift
        if reading is None:
            self.metrics = Metrics(())
            return
        target, golden = reading.target, reading.golden
        self.metrics = Metrics.of(target, golden, report)
        one = golden is None or len(target.ranks) == len(golden.ranks) == 1
        others = () if golden is None or one else golden.ranks
        self.ranks = np.unique(np.array((*target.ranks, *others), np.int64))
        steps = [target.steps] if golden is None else [target.steps, golden.steps - shift]
        self.steps = np.unique(np.concatenate(steps))
        self.side = TrendSide.TARGET if golden is None else TrendSide.DIFFERENCE
        self.axis = GridAxis.STEP
        if self.metric not in self.metrics.names:
            self.metric = self.metrics.first
        self.rank, self.step = int(self.ranks[0]), int(self.steps[0])

    @property
    def sides(self) -> tuple[TrendSide, ...]:
        """Sides to choose from."""
        alone = self._reading is None or self._reading.golden is None
        return (TrendSide.TARGET,) if alone else tuple(TrendSide)

    @property
    def at(self) -> int:
        """The rank, or the step, of all cells."""
        return self.rank if self.axis is GridAxis.STEP else self.step

    @property
    def chosen(self) -> Chosen | None:
        """The grid that is wanted."""
        reading = self._reading
        if reading is None or not self.metric:
            return None
        return Chosen(
            reading.target_table, reading.golden_table, self.metric, self.axis, self.at, self._shift,
            reading.limit,
        )  # fmt: skip
