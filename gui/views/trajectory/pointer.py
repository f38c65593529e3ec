"""What the pointer is at in the plot: a point, or the line of another cell."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF

from core.records.result import CellResult
from gui.models.pair.facts import Facts
from gui.models.trajectory.lines import Line, Overlay, drawn_heights
from gui.models.trajectory.points import Trajectory
from gui.models.trajectory.seen import nearest_point
from gui.views.trajectory.tips import line_tip, point_tip

_REACH = 14
"""How near, in pixels, the pointer must be to mean a point; half as near for a line behind them."""


class Pointer:
    """Knows what is drawn in *box*, and looks only at what is near the pointer."""

    def __init__(self, box: pg.ViewBox) -> None:
        self._box = box
        self._points: Trajectory | None = None
        self._overlay: Overlay | None = None

    def show(self, points: Trajectory, overlay: Overlay | None) -> None:
        """Look at other points and lines."""
        self._points, self._overlay = points, overlay

    def _scale(self) -> tuple[float, float]:
        """Return how many pixels a call takes, and a decade."""
        (left, right), (low, high) = self._box.viewRange()
        wide = max(self._box.width(), 1) / max(right - left, 1e-9)
        return wide, max(self._box.height(), 1) / max(high - low, 1e-9)

    def point_at(self, where: QPointF) -> tuple[int, float]:
        """Return the point that is meant at a place of the scene, -1 if none, and how far it is."""
        if self._points is None:
            return -1, np.inf
        here = self._box.mapSceneToView(where)
        return nearest_point(self._points, here.x(), here.y(), *self._scale(), _REACH)

    def _line_at(self, where: QPointF, least: float) -> tuple[Line, int] | None:
        """Return the line that is nearer than *least*, and its point there."""
        if self._points is None or self._overlay is None:
            return None
        here, (wide, tall) = self._box.mapSceneToView(where), self._scale()
        found = None
        for line in self._overlay.lines:
            at = line.nearest(here.x())
            if at < 0:
                continue
            height = float(drawn_heights(line.y[at : at + 1], self._points.heights)[0])
            away = float(np.hypot((line.x[at] - here.x()) * wide, (height - here.y()) * tall))
            if away < least:
                found, least = (line, at), away
        return found

    def tip(self, where: QPointF, cell: CellResult, facts: Facts) -> str:
        """Return what is said at a place of the scene; empty where there is nothing."""
        if self._points is None or not self._box.sceneBoundingRect().contains(where):
            return ""
        at, away = self.point_at(where)
        line = self._line_at(where, min(away, _REACH / 2))
        if line is not None:
            return line_tip(*line, facts)
        return point_tip(cell, facts, int(self._points.row[at])) if at >= 0 else ""
