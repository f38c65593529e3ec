"""Paints the curve of one layer: values of both sides, and under them their relative difference."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.curves.drawing.tracks import extent, polyline, value_at
from core.records.columns import Float64
from core.records.curves import Track
from gui.looks.theme import Colours
from gui.models.curves.scale import ValueScale, around_zero, value_scale
from gui.trends.grids import LayerCurve
from gui.widgets.lane_axis import LaneAxis

LOWER_SHARE = 0.36
_LINE = 19
"""Points between two numbers beside a field, at least."""
_WIDE = 1000.0
"""Of the largest to the smallest value, from which heights are logarithms."""
_FAR = 4000.0
_THICK, _DENSE = 400, 1.5
"""Points up to which a curve is thick, or dashed; points a pixel from which its strokes are not smooth."""
_FEW = 120
"""Points in sight up to which each is a dot."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass
class CurveScene:
    """Two fields, one over the other, along the columns of the heat map."""

    columns: LaneAxis
    curve: LayerCurve | None = None
    limit: float = 0.0
    upper: QRectF = field(default_factory=QRectF)
    lower: QRectF = field(default_factory=QRectF)
    """Empty where nothing is compared."""
    scale: ValueScale = ValueScale(0.0, 1.0)
    lower_scale: ValueScale = ValueScale(-1.0, 1.0, share=True)

    def x(self, column: float) -> float:
        """Return where a column begins on the widget."""
        return self.upper.left() + self.columns.x(column)

    def y(self, box: QRectF, scale: ValueScale, values: Float64) -> Float64:
        """Return the heights of *values* on the widget."""
        return box.bottom() - (scale.heights(values) - scale.low) / (scale.high - scale.low) * box.height()

    def tracks(self, colours: Colours) -> list[tuple[Track, str, bool]]:
        """Return the curves of values with their colours, and whether they are dashed; the lowest first."""
        if self.curve is None:
            return []
        target = (self.curve.target, colours.target, False)
        return [*([(self.curve.golden, colours.golden, True)] if self.curve.golden else []), target]

    def measure(self) -> None:
        """Fit both scales to what is in sight."""
        if self.curve is None:
            return
        seen = self.columns.left, self.columns.right
        extents = [extent(track, *seen) for track in (self.curve.target, self.curve.golden) if track]
        low = min((low for low, _ in extents if low == low), default=0.0)
        high = max((high for _, high in extents if high == high), default=0.0)
        self.scale = value_scale(extents, logarithmic=low > 0 and high > low * _WIDE)
        if self.curve.relative is not None:
            found = extent(self.curve.relative, *seen)
            most = max(abs(found[0]), abs(found[1])) if found[0] == found[0] else 0.0
            limit = self.limit if most > self.limit / 50 else 0.0
            self.lower_scale = around_zero([found, (-limit, limit)], share=most < 100)


def paint_numbers(painter: QPainter, box: QRectF, scale: ValueScale, colours: Colours) -> None:
    """Write values at the left of *box*, with lines through it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for tick in scale.ticks(max(int(box.height() // _LINE), 2)):
        y = box.bottom() - (tick.height - scale.low) / (scale.high - scale.low) * box.height()
        if box.top() - 1 <= y <= box.bottom() + 1:
            painter.setPen(QColor(colours.line))
            painter.drawLine(QLineF(box.left(), y, box.right(), y))
            painter.setPen(QColor(colours.dim))
            painter.drawText(QRectF(0, y - 9, box.left() - 8, 18), _RIGHT, tick.words)


def paint_limit(painter: QPainter, scene: CurveScene, colours: Colours) -> None:
    """Shade what is allowed of the difference."""
    box = scene.lower
    ends = scene.y(box, scene.lower_scale, np.array((scene.limit, -scene.limit)))
    top, bottom = max(float(ends[0]), box.top()), min(float(ends[1]), box.bottom())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if bottom > top:
        painter.fillRect(QRectF(box.left(), top, box.width(), bottom - top), QColor(colours.band))
    painter.setPen(QPen(QColor(colours.close), 1, Qt.PenStyle.DashLine))
    for y in ends.tolist():
        if box.top() <= y <= box.bottom():
            painter.drawLine(QLineF(box.left(), y, box.right(), y))


def paint_track(
    painter: QPainter, scene: CurveScene, box: QRectF, scale: ValueScale, track: Track, colour: str,
    dashed: bool, pixels: int,
) -> None:  # fmt: skip
    """Draw what is in sight of *track*; it breaks where values are not finite."""
    x, y = polyline(track, scene.columns.left, scene.columns.right, pixels)
    with np.errstate(invalid="ignore"):
        ys = np.clip(scene.y(box, scale, y), box.top() - _FAR, box.bottom() + _FAR)
    xs = scene.upper.left() + (x - scene.columns.left) / scene.columns.span * scene.columns.pixels
    thick = len(x) < _THICK  # such strokes take painters many times as long
    pen = QPen(QColor(colour), 1.7 if thick else 1.0)
    pen.setCosmetic(not thick)
    pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
    if dashed and thick:
        pen.setDashPattern([4, 2.5])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(x) < _DENSE * pixels)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    breaks = np.flatnonzero(~np.isfinite(ys))
    starts, ends = np.concatenate(([0], breaks + 1)).tolist(), np.append(breaks, len(ys)).tolist()
    few = len(x) <= _FEW
    for start, end in zip(starts, ends):
        if end - start > 1:
            painter.drawPolyline(pg.functions.arrayToQPolygonF(xs[start:end], ys[start:end]))
        if end > start and (few or end - start == 1):
            painter.setPen(QPen(QColor(colour), 4.5, c=Qt.PenCapStyle.RoundCap))
            points = zip(xs[start:end].tolist(), ys[start:end].tolist())
            painter.drawPoints(QPolygonF([QPointF(*point) for point in points]))
            painter.setPen(pen)


def paint_broken(painter: QPainter, scene: CurveScene, box: QRectF, track: Track, colours: Colours) -> None:
    """Mark where values are NaN or infinite with strokes at the top of *box*."""
    first, last = np.searchsorted(track.x[track.broken], (scene.columns.left, scene.columns.right)).tolist()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    drawn: set[int] = set()
    for at in track.broken[first:last].tolist():
        x = scene.x(float(track.x[at]))
        if round(x) in drawn:
            continue
        drawn.add(round(x))
        value = float(track.y[at])
        role = (
            colours.nan if value != value else colours.plus_infinity if value > 0 else colours.minus_infinity
        )
        painter.fillRect(QRectF(x - 1, box.top() + 1, 2.5, 9), QColor(role))


def paint_place(painter: QPainter, scene: CurveScene, column: int, colours: Colours, strong: bool) -> None:
    """Draw the line of a place through both fields, and rings on the curves where it is chosen."""
    x = scene.x(column + 0.5)
    bottom = scene.lower.bottom() if scene.lower.height() > 1 else scene.upper.bottom()
    if not scene.upper.left() - 1 <= x <= scene.upper.right() + 1:
        return
    colour = QColor(colours.text)
    colour.setAlphaF(1.0 if strong else 0.4)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(colour, 1))
    painter.drawLine(QLineF(x, scene.upper.top(), x, bottom))
    if not strong:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rings = [(scene.upper, scene.scale, track, ink) for track, ink, _ in scene.tracks(colours)]
    if scene.curve is not None and scene.curve.relative is not None and scene.lower.height() > 1:
        rings.append((scene.lower, scene.lower_scale, scene.curve.relative, colours.text))
    for box, scale, track, ink in rings:
        place = column + 0.5
        there = bool((track.x == place).any())
        y = float(scene.y(box, scale, np.array([value_at(track, place)]))[0]) if there else np.nan
        if box.top() - 2 <= y <= box.bottom() + 2:
            painter.setPen(QPen(QColor(ink), 2))
            painter.setBrush(QColor(colours.card))
            painter.drawEllipse(QPointF(x, y), 3.5, 3.5)
