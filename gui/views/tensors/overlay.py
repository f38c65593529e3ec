"""What lies over a picture: the cross hair, what is marked, what a pattern speaks of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPoint, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QRegion

from core.metrics.pictures.plane import Region
from gui.looks.theme import Theme

_VISIBLE = 7
"""Pixels from which on the element under the cursor is framed."""
_AROUND = 3
"""Pixels between an outline and what it is around. Outlines that would touch become one."""
_THIN = 6
"""Pixels below which rows and columns from edge to edge have ticks at the edges, and no outline."""
_TICK, _LEAST_TICK = 7, 2
"""Length of a tick, and how thick it is at least."""
_CLEAR = 5
"""Pixels around the element under the cursor that its cross hair leaves free."""
_ARM, _AT_EDGE = 22, 6
"""Pixels of each arm of the cross hair, and of its marks at the edges: what lies in the row and the column
of the element is to be seen, as often it differs too."""
_CASED = (("card", 0.55, 3.0), ("text", 0.8, 1.0))
"""Colour, opacity and width of the cross hair's lines: seen on dark and on light."""


@dataclass(frozen=True, slots=True)
class Outline:
    """How some regions are shown on the screen."""

    path: QPainterPath
    """Lines around regions."""
    ticks: tuple[QRectF, ...]
    """At the edges of the picture, beside what is too thin for lines around it."""


class Overlay:
    """Drawn over any colours so that it is seen, and hides no element that it speaks of."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.cursor: tuple[int, int] | None = None
        self.rectangle: Region | None = None
        self.boxes: tuple[Region, ...] = ()
        self._outlined: tuple[object, Outline] | None = None
        """The outline of the boxes, and what it was made for: the pointer moves more often than they do."""

    def paint(
        self,
        painter: QPainter,
        size: QSizeF,
        rect_of: Callable[[Region], QRectF],
        element: QRectF | None,
    ) -> None:
        """Draw all of it over a picture of *size*.

        *rect_of* says where a region is; *element* is where the one under the cursor is drawn.
        """
        whole = QRectF(0, 0, size.width(), size.height())
        made_for = self.boxes, whole, rect_of(Region(0, 1, 0, 1))
        if self._outlined is None or self._outlined[0] != made_for:
            self._outlined = made_for, outline(map(rect_of, self.boxes), whole)
        self._outline(painter, self._outlined[1], "inherited")
        if self.rectangle is not None:
            self._outline(painter, outline([rect_of(self.rectangle)], whole), "accent")
        if element is not None:
            self._cross(painter, element, whole)

    def _outline(self, painter: QPainter, shown: Outline, role: str) -> None:
        colour = self._theme.colour(role)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line, width in ((self._theme.colour("card"), 3), (colour, 1)):
            painter.setPen(QPen(line, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawPath(shown.path)
        for tick in shown.ticks:
            painter.fillRect(tick.adjusted(-1, -1, 1, 1), self._theme.colour("card"))
            painter.fillRect(tick, colour)

    def _cross(self, painter: QPainter, element: QRectF, whole: QRectF) -> None:
        centre = element.center()
        x, y = round(centre.x()) + 0.5, round(centre.y()) + 0.5
        clear = element.adjusted(-_CLEAR, -_CLEAR, _CLEAR, _CLEAR)
        lines = [
            *(
                QLineF(x, start, x, stop)
                for start, stop in _arms(clear.top(), clear.bottom(), whole.height())
            ),
            *(QLineF(start, y, stop, y) for start, stop in _arms(clear.left(), clear.right(), whole.width())),
        ]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for role, opacity, width in _CASED:
            colour = QColor(self._theme.colour(role))
            colour.setAlphaF(opacity)
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLines(lines)
            if element.width() >= _VISIBLE and element.height() >= _VISIBLE:
                painter.drawRect(element.adjusted(-1, -1, 1, 1))


def _arms(before: float, behind: float, room: float) -> list[tuple[float, float]]:
    """Return from where to where the lines of one direction go, beside what is free of them."""
    arms = [
        (0.0, min(_AT_EDGE, before)), (max(before - _ARM, 0.0), before),
        (behind, min(behind + _ARM, room)), (max(room - _AT_EDGE, behind), room),
    ]  # fmt: skip
    return [(start, stop) for start, stop in arms if stop > start]


def outline(frames: Iterable[QRectF], whole: QRectF) -> Outline:
    """Return how *frames* are shown in a picture that is *whole*; those near each other are one."""
    seen = [frame & whole for frame in frames if frame.intersects(whole)]
    ticks: list[QRectF] = []
    across, down, around = [], [], []
    for frame in seen:
        if frame.width() >= whole.width() - 0.5:
            across.append(frame)
        elif frame.height() >= whole.height() - 0.5:
            down.append(frame)
        else:
            around.append(frame)
    for top, bottom in _runs((frame.top(), frame.bottom()) for frame in across):
        if bottom - top >= _THIN:
            around.append(QRectF(whole.left(), top, whole.width(), bottom - top))
            continue
        tall = max(bottom - top, _LEAST_TICK)
        top = min(max((top + bottom - tall) / 2, whole.top()), whole.bottom() - tall)
        ticks += [QRectF(left, top, _TICK, tall) for left in (whole.left(), whole.right() - _TICK)]
    for left, right in _runs((frame.left(), frame.right()) for frame in down):
        if right - left >= _THIN:
            around.append(QRectF(left, whole.top(), right - left, whole.height()))
            continue
        wide = max(right - left, _LEAST_TICK)
        left = min(max((left + right - wide) / 2, whole.left()), whole.right() - wide)
        ticks += [QRectF(left, top, wide, _TICK) for top in (whole.top(), whole.bottom() - _TICK)]
    return Outline(_around(around, whole), tuple(ticks))


def _runs(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return *spans* with those near each other made one."""
    merged: list[tuple[float, float]] = []
    for start, stop in sorted(spans):
        if merged and start - merged[-1][1] < 2 * _AROUND:
            merged[-1] = merged[-1][0], max(merged[-1][1], stop)
        else:
            merged.append((start, stop))
    return merged


def _around(frames: list[QRectF], whole: QRectF) -> QPainterPath:
    """Return lines around *frames*, one for all that lie near each other."""
    region = QRegion()
    for frame in frames:
        start = QPoint(round(frame.left()) - _AROUND, round(frame.top()) - _AROUND)
        stop = QPoint(round(frame.right()) + _AROUND - 1, round(frame.bottom()) + _AROUND - 1)
        region += QRect(start, stop)
    path = QPainterPath()
    path.addRegion(region & whole.toAlignedRect().adjusted(1, 1, -2, -2))
    return path.simplified().translated(0.5, 0.5)
