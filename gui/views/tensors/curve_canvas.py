"""A single row of elements as a curve, one line a side; values that are the largest around them are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.metrics.pictures.extremes import MINUS_INF, NAN, PLUS_INF
from core.metrics.pictures.reduction import Picture
from gui.looks.theme import Theme
from gui.tensors.scales import Shades
from gui.tensors.sight import Sight
from gui.tensors.ticks import APART_DOWN, Tick, value_ticks
from gui.views.tensors.plane_canvas import PlaneCanvas

_MARGIN = 9
"""Pixels above and below the curves; there stand the marks of special values."""
_DOTS = 6
"""Pixels an element from which on each has a dot."""
_APART_LOW = 12
"""Pixels between two values where it is too low for four at their usual distance."""
_POINT = 2.0
"""Half the size in pixels of what the cross hair leaves free around the point under it."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A picture of one row, and the role of its colour."""

    picture: Picture
    role: str


class CurveCanvas(PlaneCanvas):
    """Upwards is larger; the range and its scale are those of the colours."""

    def __init__(self, theme: Theme, sight: Sight) -> None:
        super().__init__(theme, sight)
        self._curves: tuple[Curve, ...] = ()
        self._parts: tuple[Curve, ...] = ()
        self._shades: Shades | None = None

    @property
    def filled(self) -> bool:
        return bool(self._curves)

    def pixels(self) -> tuple[int, int]:
        """Return the most rows and columns that a picture of all in sight may have."""
        return 8, max(int(self.width() * self.devicePixelRatioF()) - 2, 8)

    def show_curves(self, curves: tuple[Curve, ...], part: bool = False) -> None:
        """Draw *curves* of all elements, or (*part*) finer ones of those in sight."""
        if part:
            self._parts = curves
        else:
            self._curves, self._parts = curves, ()
        self.update()

    def set_shades(self, shades: Shades) -> None:
        """Draw in another range."""
        self._shades = shades
        self.update()

    def _paint_picture(self, painter: QPainter) -> None:
        if self._shades is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        for curve in self._drawn():
            self._paint_curve(painter, curve, self._shades)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _drawn(self) -> list[Curve]:
        """Return the curves, finer ones where they are there."""
        return [
            next((part for part in self._parts if part.role == curve.role and self._holds(part)), curve)
            for curve in self._curves
        ]

    def element_rect(self) -> QRectF | None:
        """Return where the point under the cursor is: the target's, or the only one that is finite."""
        cell = super().element_rect()
        if cell is None or self._over.cursor is None or self._shades is None:
            return cell
        column, x = self._over.cursor[1], cell.center().x()
        for curve in reversed(self._drawn()):
            picture = curve.picture
            at = (column - picture.region.left) // picture.block[1]
            if 0 <= at < picture.values.shape[1] and np.isfinite(picture.values[0, at]):
                y = self._height_of(self._shades, float(picture.values[0, at]))
                return QRectF(x - _POINT, y - _POINT, 2 * _POINT, 2 * _POINT)
        return QRectF(x, 0, 0, self.height())  # no height to point at: nothing but its column

    def ticks_down(self) -> list[Tick]:
        """Return the values beside the curves."""
        if self._shades is None or not self.filled:
            return []
        room = self.height() - 2 * _MARGIN
        apart = min(max(room / 4, _APART_LOW), APART_DOWN)
        return [
            Tick(_MARGIN + room - tick.at, tick.words, tick.zero)
            for tick in value_ticks(self._shades, room, apart)
        ]

    def _holds(self, part: Curve) -> bool:
        """Whether *part* has all that is in sight, and the screen has the room for it."""
        sight, region = self.sight, part.picture.region
        inside = region.left <= sight.left and sight.left + sight.width <= region.right
        return inside and sight.width / part.picture.block[1] <= self.pixels()[1] + 2

    def _height_of(self, shades: Shades, value: float) -> float:
        room = self.height() - 2 * _MARGIN
        return _MARGIN + (1 - min(max(shades.position(value), -1.0), 2.0)) * room

    def _paint_ground(self, painter: QPainter) -> None:
        """Draw a faint line at each value beside the curves, and a dashed one at zero."""
        faint, dim = QColor(self._theme.colour("line")), self._theme.colour("dim")
        faint.setAlphaF(0.5)
        for tick in self.ticks_down():
            y = round(tick.at) + 0.5
            painter.setPen(QPen(dim, 1, Qt.PenStyle.DashLine) if tick.zero else QPen(faint, 1))
            painter.drawLine(QPointF(0, y), QPointF(self.width(), y))

    def _paint_curve(self, painter: QPainter, curve: Curve, shades: Shades) -> None:
        picture, sight = curve.picture, self.sight
        if not picture.values.size:
            return
        block, left = picture.block[1], picture.region.left
        first = max(int((sight.left - left) // block) - 1, 0)
        last = min(int((sight.left + sight.width - left) // block) + 2, picture.values.shape[1])
        scale = self.width() / sight.width
        colour = self._theme.colour(curve.role)
        dotted = block * scale >= _DOTS
        run: list[QPointF] = []
        for at in range(first, last):
            value = float(picture.values[0, at])
            begin = left + at * block
            end = min(begin + block, picture.region.right)
            x = ((begin + end) / 2 - sight.left) * scale
            if np.isfinite(value):
                run.append(QPointF(x, self._height_of(shades, value)))
            else:
                self._draw_run(painter, run, colour, dotted)
                run = []
            self._mark_special(painter, x, int(picture.classes[0, at]))
        self._draw_run(painter, run, colour, dotted)

    def _draw_run(self, painter: QPainter, run: list[QPointF], colour: QColor, dotted: bool) -> None:
        if len(run) == 1 or dotted:
            painter.setPen(QPen(colour, 4.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPoints(QPolygonF(run))
        if len(run) > 1:
            painter.setPen(QPen(colour, 1.3))
            painter.drawPolyline(QPolygonF(run))

    def _mark_special(self, painter: QPainter, x: float, bits: int) -> None:
        height = self.height()
        for bit, role, y in (
            (NAN, "nan", height / 2), (PLUS_INF, "plus_infinity", 4.0),
            (MINUS_INF, "minus_infinity", height - 4.0),
        ):  # fmt: skip
            if bits & bit:
                colour = self._theme.colour(role)
                if bit == NAN:
                    painter.fillRect(QRectF(x - 1, 1, 2, height - 2), colour)
                painter.fillRect(QRectF(x - 3, y - 3, 6, 6), colour)
