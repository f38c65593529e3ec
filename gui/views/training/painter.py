"""What the plot of the loss scale is made of: grid, line, overflowed steps, start, collapse, cursor."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPolygonF

from gui import numbers
from gui.looks.theme import Colours
from gui.models.training.plot import ScalePlot, round_ticks, stairs
from gui.widgets.lane_axis import LaneAxis
from gui.widgets.powers import paint_power, power_width

LANE = 18
"""Pixels above the plot for the marks of overflowed steps."""
_AIR = 0.4
_STEPS = (1, 2, 4, 8, 16, 32)
_LABEL_ROOM = 84
_TRIANGLE = 9


@dataclass
class ScaleScene:
    """The plot, where it is on the widget, and which steps are seen."""

    axis: LaneAxis
    plot: ScalePlot | None = None
    box: QRectF = field(default_factory=QRectF)
    start: int | None = None
    """The first good step after overflows at the start."""
    collapse: int | None = None

    def x(self, step: float) -> float:
        """Return where *step* is on the widget."""
        assert self.plot is not None
        return self.box.left() + self.axis.x(step - self.plot.first + 0.5)

    def step(self, x: float) -> float:
        """Return the step, with fraction, at a place of the widget."""
        assert self.plot is not None
        return self.axis.row(x - self.box.left()) + self.plot.first - 0.5

    def y(self, height: float) -> float:
        """Return the place of a height, log2 of a scale."""
        assert self.plot is not None
        low, high = self.plot.low - _AIR, self.plot.high + _AIR
        return self.box.bottom() - (height - low) / (high - low) * self.box.height()


def labels_width(font: QFont, plot: ScalePlot) -> int:
    """Return how many pixels the scales at the axis take."""
    heights = range(int(plot.low), int(plot.high) + 1)
    if _are_written_out(plot):
        return max(QFontMetrics(font).horizontalAdvance(_written_out(height)) for height in heights)
    return max(power_width(font, height) for height in heights)


def _are_written_out(plot: ScalePlot) -> bool:
    """Whether scales are written as numbers; where some are too long for that, all are powers of two."""
    return plot.low >= -4 and plot.high <= 20


def _written_out(height: int) -> str:
    return numbers.grouped(2**height) if height >= 0 else numbers.compact(2.0**height)


def paint_grid(painter: QPainter, scene: ScaleScene, colours: Colours) -> None:
    """Write scales at the left and steps below, with lines through the plot."""
    plot, box = scene.plot, scene.box
    if plot is None:
        return
    metrics = painter.fontMetrics()
    right_aligned = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    each = box.height() / (plot.high - plot.low + 2 * _AIR)
    step = next((step for step in _STEPS if step * each >= metrics.height() + 4), 64)
    lowest = int(plot.low) if np.isnan(plot.zero) else int(np.ceil(plot.low + 1.5))
    heights = [float(height) for height in range(int(plot.high), lowest - 1, -step)]
    for height in heights if np.isnan(plot.zero) else [*heights, plot.zero]:
        y = scene.y(height)
        painter.setPen(QColor(colours.line))
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setPen(QColor(colours.dim))
        if height != plot.zero and not _are_written_out(plot):
            left = box.left() - 8 - power_width(painter.font(), round(height))
            paint_power(painter, left, y, round(height))
            continue
        words = "0" if height == plot.zero else _written_out(round(height))
        painter.drawText(QRectF(0, y - 9, box.left() - 8, 18), right_aligned, words)
    for tick in round_ticks(scene.step(box.left()), scene.step(box.right()), int(box.width() // _LABEL_ROOM)):
        x = scene.x(tick)
        if tick < plot.first or not box.left() <= x <= box.right():
            continue
        room = QRectF(x - 60, box.bottom() + 4, 120, 18)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, numbers.grouped(tick))


def paint_stretches(painter: QPainter, scene: ScaleScene, colours: Colours, names: tuple[str, str]) -> None:
    """Shade the start, and mark where the scale collapses."""
    box, metrics = scene.box, painter.fontMetrics()
    if scene.start is not None:
        edge = min(scene.x(scene.start - 0.5), box.right())
        if edge > box.left():
            shade = QColor(colours.text)
            shade.setAlphaF(0.05)
            painter.fillRect(QRectF(box.left(), box.top(), edge - box.left(), box.height()), shade)
            if metrics.horizontalAdvance(names[0]) + 10 < edge - box.left():
                painter.setPen(QColor(colours.dim))
                painter.drawText(QPointF(box.left() + 6, box.bottom() - 6), names[0])
    if scene.collapse is not None and box.left() <= scene.x(scene.collapse) <= box.right():
        x = scene.x(scene.collapse)
        painter.setPen(QPen(QColor(colours.introduces), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        width = metrics.horizontalAdvance(names[1])
        left = x + 6 if x + width + 12 < box.right() else x - width - 6
        painter.setPen(QColor(colours.introduces))
        painter.drawText(QPointF(left, box.bottom() - 6), names[1])


def paint_line(painter: QPainter, scene: ScaleScene, colours: Colours) -> None:
    """Draw the loss scale."""
    plot, box = scene.plot, scene.box
    if plot is None or not len(plot.steps):
        return
    left, right = scene.step(box.left()), min(scene.step(box.right()), plot.last + 0.5)
    steps, heights = stairs(plot, left, right, max(round(box.width()), 1))
    points = [QPointF(scene.x(x), scene.y(y)) for x, y in zip(steps.tolist(), heights.tolist())]
    painter.setPen(
        QPen(
            QColor(colours.accent),
            1.6,
            Qt.PenStyle.SolidLine,
            Qt.PenCapStyle.FlatCap,
            Qt.PenJoinStyle.BevelJoin,
        )
    )
    painter.drawPolyline(QPolygonF(points))


def overflow_places(scene: ScaleScene) -> list[float]:
    """Return where overflowed steps in sight are marked: one place a pixel, and none is left out."""
    plot, box = scene.plot, scene.box
    if plot is None:
        return []
    seen = plot.overflows[
        np.searchsorted(plot.overflows, scene.step(box.left())) : np.searchsorted(
            plot.overflows, scene.step(box.right()), "right"
        )
    ]
    if not len(seen):
        return []
    exact = box.left() + (seen - plot.first + 0.5 - scene.axis.left) / scene.axis.span * scene.axis.pixels
    _, first = np.unique(np.floor(exact), return_index=True)
    places: list[float] = exact[first].tolist()
    return places


def paint_overflows(painter: QPainter, scene: ScaleScene, colours: Colours) -> None:
    """Mark the overflowed steps above the plot: a triangle each, or a stroke each where they stand close."""
    box, places = scene.box, overflow_places(scene)
    colour = QColor(colours.introduces)
    gaps = np.diff(places, prepend=-np.inf, append=np.inf)
    alone = np.minimum(gaps[:-1], gaps[1:]) >= _TRIANGLE
    if len(places) <= box.width() / 24:
        faint = QColor(colour)
        faint.setAlphaF(0.35)
        painter.setPen(QPen(faint, 1))
        for x in places:
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
    top, half = box.top() - LANE + 5, _TRIANGLE / 2
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for x, one in zip(places, alone.tolist()):
        if one:
            corners = [QPointF(x - half, top), QPointF(x + half, top), QPointF(x, top + _TRIANGLE)]
            painter.drawPolygon(QPolygonF(corners))
        else:
            painter.drawRect(QRectF(x - 0.75, top, 1.5, _TRIANGLE))


def paint_cursor(painter: QPainter, scene: ScaleScene, step: int, colours: Colours) -> None:
    """Mark the step looked at."""
    plot, box = scene.plot, scene.box
    x = scene.x(step)
    if plot is None or not box.left() - 1 <= x <= box.right() + 1:
        return
    painter.setPen(QPen(QColor(colours.text), 1.2))
    painter.drawLine(QPointF(x, box.top() - LANE + 2), QPointF(x, box.bottom()))
    at = int(np.searchsorted(plot.steps, step, "right")) - 1
    if at >= 0:
        painter.setBrush(QColor(colours.card))
        painter.setPen(QPen(QColor(colours.text), 1.6))
        painter.drawEllipse(QPointF(x, scene.y(float(plot.heights[at]))), 4, 4)
