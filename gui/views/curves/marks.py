"""Marks in the picture: findings above it, values that are not finite at its edges, resumes, the span."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.records.curves import Track
from core.records.training import Weight
from gui.looks.theme import Colours
from gui.models.curves.places import Mark, broken_places
from gui.views.curves.scene import CurvesScene
from gui.widgets.finding_row import WEIGHT_MARKS
from gui.widgets.verdict_icon import paint_category

LANE = 20
"""Pixels above the upper field for the marks of findings."""
_REACH = 8
_TRIANGLE = 9.0
_ROWS = 3
"""Rows of triangles of different runs, under each other."""


def lane_height(scene: CurvesScene) -> float:
    """Return where the middle of the marks of findings is."""
    return scene.top - LANE - 8


def paint_findings(painter: QPainter, scene: CurvesScene, colours: Colours) -> None:
    """Draw the marks of findings in their lane, and a line down from the one that is looked at."""
    y = lane_height(scene)
    bottom = (scene.lower if scene.difference is not None else scene.upper).bottom()
    for mark in scene.marks:
        x = scene.x(mark.place)
        if not scene.upper.left() - 1 <= x <= scene.upper.right() + 1:
            continue
        if mark.number == scene.chosen:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.drawLine(QLineF(x, y + 8, x, bottom))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colours.accent), 1.5))
            painter.setBrush(QColor(colours.selection))
            painter.drawEllipse(QPointF(x, y), 8.5, 8.5)
        elif mark.weight is Weight.FAULT:
            faint = QColor(colours.introduces)
            faint.setAlphaF(0.35)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(faint, 1))
            painter.drawLine(QLineF(x, y + 6, x, bottom))
        paint_category(painter, QPointF(x, y), WEIGHT_MARKS[mark.weight], colours, 11)


def mark_at(scene: CurvesScene, where: QPointF) -> Mark | None:
    """Return the mark of a finding at a point, the heaviest where they lie on each other."""
    if abs(where.y() - lane_height(scene)) > 11:
        return None
    near = [mark for mark in scene.marks if abs(scene.x(mark.place) - where.x()) <= _REACH]
    return near[-1] if near else None


def paint_broken(painter: QPainter, scene: CurvesScene, pixels: int) -> None:
    """Mark points that are not finite at the upper edge, minus infinity at the lower one."""
    row = 0
    for curve in scene.curves:
        track, colour = curve.raw, curve.look.colour
        if len(track.broken) and _paint_triangles(painter, scene, scene.upper, track, colour, pixels, row):
            row = (row + 1) % _ROWS


def paint_broken_difference(painter: QPainter, scene: CurvesScene, colours: Colours, pixels: int) -> None:
    """Mark where the difference is not finite."""
    if scene.difference is not None and len(scene.difference.broken):
        _paint_triangles(painter, scene, scene.lower, scene.difference, colours.nan, pixels, 0)


def _paint_triangles(
    painter: QPainter, scene: CurvesScene, box: QRectF, track: Track, colour: str, pixels: int, row: int
) -> bool:
    places, values = broken_places(track, *scene.axis.seen, pixels)
    if not len(places):
        return False
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    offset = row * (_TRIANGLE + 1)
    half = _TRIANGLE / 2
    for x, value in zip(scene.xs(places).tolist(), values.tolist()):
        if value == -math.inf:
            base = box.bottom() - 1 - offset
            tip = base - _TRIANGLE
        else:
            base = box.top() + 1 + offset
            tip = base + _TRIANGLE
        # towards the edge that the value is beyond, away from it where it is no number at all
        if not math.isnan(value):
            base, tip = tip, base
        corners = (QPointF(x - half, base), QPointF(x + half, base), QPointF(x, tip))
        painter.drawPolygon(QPolygonF(corners))
    return True


def paint_resumes(painter: QPainter, scene: CurvesScene) -> None:
    """Mark where logs go back: a dotted line, and a triangle that points back at its foot."""
    box = scene.upper
    for place, colour in scene.resumes:
        x = scene.x(place)
        if not box.left() <= x <= box.right():
            continue
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(colour), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(x, box.top(), x, box.bottom()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        y = box.top() + 6
        corners = (QPointF(x - 8, y), QPointF(x, y - 4.5), QPointF(x, y + 4.5))
        painter.drawPolygon(QPolygonF(corners))


def paint_span(painter: QPainter, scene: CurvesScene, span: tuple[float, float], colours: Colours) -> None:
    """Shade what is selected."""
    bottom = (scene.lower if scene.difference is not None else scene.upper).bottom()
    left = max(scene.x(span[0]), scene.upper.left())
    right = min(scene.x(span[1]), scene.upper.right())
    if right < scene.upper.left() or left > scene.upper.right():
        return
    colour = QColor(colours.accent)
    colour.setAlphaF(0.13)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(
        QRectF(left, scene.upper.top(), max(right - left, 1), bottom - scene.upper.top()), colour
    )
    painter.setPen(QPen(QColor(colours.accent), 1))
    for x in (left, right):
        painter.drawLine(QLineF(x, scene.upper.top(), x, bottom))
