"""Verdicts as a colour and a shape, so that neither alone carries the meaning."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from gui.looks.theme import Colours
from gui.models.pair.categories import Category


def paint_category(
    painter: QPainter, centre: QPointF, category: int, colours: Colours, size: float = 10.0
) -> None:
    """Draw the mark of *category* around *centre*.

    Triangle: introduces. Diamond: differs. Square: differs, inherited. Ring: close. Disc: equal. Dash: not
    compared. Hollow square: the golden is invalid. Crossed ring: ignored.
    """
    colour = QColor(colours.of(category))
    half = size / 2
    x, y = centre.x(), centre.y()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if category == Category.INTRODUCED:
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(x, y - half * 0.95),
                    QPointF(x + half * 1.05, y + half * 0.85),
                    QPointF(x - half * 1.05, y + half * 0.85),
                ]
            )
        )
    elif category == Category.DIFFERS:
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(x, y - half * 1.1),
                    QPointF(x + half * 1.1, y),
                    QPointF(x, y + half * 1.1),
                    QPointF(x - half * 1.1, y),
                ]
            )
        )
    elif category == Category.INHERITED:
        painter.drawRoundedRect(QRectF(x - half * 0.85, y - half * 0.85, half * 1.7, half * 1.7), 1.5, 1.5)
    elif category == Category.EQUAL:
        painter.drawEllipse(centre, half * 0.9, half * 0.9)
    elif category == Category.NOT_COMPARED:
        painter.drawRoundedRect(QRectF(x - half * 0.9, y - 1, half * 1.8, 2), 1, 1)
    else:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1.8))
        inner = half * 0.85 - 0.5
        if category == Category.CLOSE:
            painter.drawEllipse(centre, inner, inner)
        elif category == Category.IGNORED:
            painter.setPen(QPen(colour, 1.3))
            painter.drawEllipse(centre, inner, inner)
            reach = inner * 0.7
            painter.drawLine(QPointF(x - reach, y + reach), QPointF(x + reach, y - reach))
        else:
            painter.drawRoundedRect(QRectF(x - inner, y - inner, 2 * inner, 2 * inner), 1, 1)
    painter.restore()


def category_icon(category: Category, colours: Colours, size: int = 14) -> QIcon:
    """Return the mark of *category* as an icon, sharp at twice the pixels too."""
    made = QIcon()
    for scale in (1, 2):
        picture = QPixmap(size * scale, size * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        paint_category(painter, QPointF(size / 2, size / 2), category, colours, size * 0.7)
        painter.end()
        made.addPixmap(picture)
    return made
