"""Births as a shape and a colour: the shape says how bad values came in, the colour how severe it is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.records.overflow import BirthKind, Level, Special
from gui.looks.theme import Colours

_LEVEL_ROLES = {Level.CRITICAL: "introduces", Level.HIGH: "inherited", Level.MEDIUM: "golden_invalid"}
_VALUE_ROLES = {
    Special.NAN: "nan",
    Special.PLUS_INF: "plus_infinity",
    Special.MINUS_INF: "minus_infinity",
    Special.SATURATED: "golden_invalid",
}


def level_colour(level: Level, colours: Colours) -> QColor:
    """Return the colour of *level*."""
    return QColor(getattr(colours, _LEVEL_ROLES[level]))


def value_colour(value: Special, colours: Colours) -> QColor:
    """Return the colour of one kind of value."""
    return QColor(getattr(colours, _VALUE_ROLES[value]))


def paint_birth(
    painter: QPainter, centre: QPointF, kind: BirthKind, colour: QColor, size: float = 10.0, halo: str = ""
) -> None:
    """Draw the mark of *kind* around *centre*, with a line of the colour *halo* around it if given.

    Triangle: an output. Hollow triangle: in place. Diamond: an input. Hollow diamond: a parameter. Hourglass:
    communication. Triangle under a bar: saturation.
    """
    half = size / 2
    x, y = centre.x(), centre.y()
    triangle = [(0.0, -0.95), (1.05, 0.85), (-1.05, 0.85)]
    diamond = [(0.0, -1.1), (1.1, 0.0), (0.0, 1.1), (-1.1, 0.0)]
    hourglass = [(-1.0, -0.95), (1.0, -0.95), (-1.0, 0.95), (1.0, 0.95)]
    points = {
        BirthKind.OUTPUT: triangle,
        BirthKind.IN_PLACE: triangle,
        BirthKind.SATURATION: [(0.0, -0.5), (1.05, 0.95), (-1.05, 0.95)],
        BirthKind.INPUT: diamond,
        BirthKind.PARAMETER: diamond,
        BirthKind.COMMUNICATION: hourglass,
    }[kind]
    shape = QPolygonF([QPointF(x + half * dx, y + half * dy) for dx, dy in points])
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if halo:
        painter.setPen(
            QPen(QColor(halo), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )
        painter.setBrush(QColor(halo))
        painter.drawPolygon(shape)
    if kind in (BirthKind.IN_PLACE, BirthKind.PARAMETER):
        painter.setBrush(QColor(halo) if halo else Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1.8))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
    painter.drawPolygon(shape)
    if kind is BirthKind.SATURATION:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRect(QRectF(x - half * 1.05, y - half * 1.05, 2.1 * half, max(half * 0.3, 1.2)))
    painter.restore()
