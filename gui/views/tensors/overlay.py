"""What lies over a picture: the cross hair, what is marked, what a pattern speaks of."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLineF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.metrics.pictures.plane import Region
from gui.looks.theme import Theme

_VISIBLE = 7
"""Pixels from which on the element under the cursor is framed."""
_AROUND = 2.5
"""Pixels between a frame and what it is around, which stays to be seen."""
_CASED = (("card", 0.55, 3.0), ("text", 0.8, 1.0))
"""Colour, opacity and width of the cross hair's lines: seen on dark and on light."""


class Overlay:
    """Drawn over any colours so that it is seen, and hides no element."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.cursor: tuple[int, int] | None = None
        self.rectangle: Region | None = None
        self.boxes: tuple[Region, ...] = ()

    def paint(self, painter: QPainter, size: QSizeF, rect_of: Callable[[Region], QRectF]) -> None:
        """Draw all of it over a picture of *size*; *rect_of* says where a region is."""
        whole = QRectF(0, 0, size.width(), size.height())
        for box in self.boxes:
            self._outline(painter, rect_of(box), whole, "inherited", Qt.PenStyle.DashLine)
        if self.rectangle is not None:
            self._outline(painter, rect_of(self.rectangle), whole, "accent", Qt.PenStyle.SolidLine)
        if self.cursor is not None:
            row, column = self.cursor
            self._cross(painter, rect_of(Region(row, row + 1, column, column + 1)), whole)

    def _outline(
        self, painter: QPainter, frame: QRectF, whole: QRectF, role: str, style: Qt.PenStyle
    ) -> None:
        wide = _AROUND + max(1 - frame.width(), 0) / 2
        tall = _AROUND + max(1 - frame.height(), 0) / 2
        frame = frame.adjusted(-wide, -tall, wide, tall)
        if not frame.intersects(whole.adjusted(1.5, 1.5, -1.5, -1.5)):
            return
        frame = frame.intersected(whole.adjusted(-9, -9, 9, 9))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.colour("card"), 3.5))
        painter.drawRect(frame)
        painter.setPen(QPen(self._theme.colour(role), 1.6, style))
        painter.drawRect(frame)

    def _cross(self, painter: QPainter, cell: QRectF, whole: QRectF) -> None:
        centre = cell.center()
        half_x = cell.width() / 2 if cell.width() >= _VISIBLE else 0
        half_y = cell.height() / 2 if cell.height() >= _VISIBLE else 0
        x, y = round(centre.x()) + 0.5, round(centre.y()) + 0.5
        lines = (
            QLineF(x, 0, x, centre.y() - half_y), QLineF(x, centre.y() + half_y, x, whole.height()),
            QLineF(0, y, centre.x() - half_x, y), QLineF(centre.x() + half_x, y, whole.width(), y),
        )  # fmt: skip
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for role, opacity, width in _CASED:
            colour = QColor(self._theme.colour(role))
            colour.setAlphaF(opacity)
            painter.setPen(QPen(colour, width))
            painter.drawLines(lines)
            if half_x and half_y:
                painter.drawRect(cell)
