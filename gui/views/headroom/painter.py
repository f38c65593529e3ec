"""What the picture of exponents is made of: zones, pixels, limits with their names, passes, the mark."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPen

from gui.looks.theme import Colours
from gui.models.headroom.picture import RangePicture, in_pixels
from gui.views.headroom.colours import pixels_of
from gui.widgets.lane_axis import LaneAxis
from gui.widgets.powers import paint_power, power_width

_STEPS = (1, 2, 4, 8, 16, 32)
BAND = 7
"""Pixels above the picture for marks of NaN and Inf."""
_FEW_RUNS = 200
"""Alternations of the passes up to which each is shaded."""


@dataclass(frozen=True)
class Limit:
    """A line across the picture; numbers above it, or below it, meet their fate."""

    exponent: float
    name: str
    value: str
    """Written after the name; empty: two to the power of the exponent."""
    role: str
    """The colour of the zone that it bounds."""
    above: bool
    strength: float


@dataclass
class RangeScene:
    """The picture, where it is on the widget, and which part of it is seen."""

    axis: LaneAxis
    picture: RangePicture | None = None
    box: QRectF = field(default_factory=QRectF)
    limits: tuple[Limit, ...] = ()

    def y(self, exponent: float) -> float:
        """Return the height of *exponent* on the widget."""
        assert self.picture is not None
        share = (self.picture.high - exponent) / (self.picture.high - self.picture.low)
        return self.box.top() + share * self.box.height()

    def exponent(self, y: float) -> float:
        """Return the exponent at a height of the widget."""
        assert self.picture is not None
        share = (y - self.box.top()) / max(self.box.height(), 1)
        return self.picture.high - share * (self.picture.high - self.picture.low)

    def x(self, column: float) -> float:
        """Return the left edge of *column* on the widget."""
        return self.box.left() + self.axis.x(column)


def paint_zones(painter: QPainter, scene: RangeScene, colours: Colours) -> None:
    """Tint what lies beyond each limit, and shade the backward pass."""
    picture, box = scene.picture, scene.box
    if picture is None:
        return
    for limit in scene.limits:
        edge = min(max(scene.y(limit.exponent), box.top()), box.bottom())
        tint = QColor(getattr(colours, limit.role))
        tint.setAlphaF(limit.strength)
        zone = QRectF(box)
        if limit.above:
            zone.setBottom(edge)
        else:
            zone.setTop(edge)
        painter.fillRect(zone, tint)
    shade = QColor(colours.text)
    shade.setAlphaF(0.05)
    for begin, end in _runs(picture.backward):
        left, right = max(scene.x(begin), box.left()), min(scene.x(end), box.right())
        if right > left:
            painter.fillRect(QRectF(left, box.top(), right - left, box.height()), shade)


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """Return where *flags* are set, as runs; none where they alternate too often to be told apart."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    if len(edges) > 2 * _FEW_RUNS:
        return []
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


def image_of(scene: RangeScene, colours: Colours, ratio: float) -> QImage:
    """Return the exponents in sight, one pixel for each of the device's."""
    picture = scene.picture
    width, height = round(scene.box.width() * ratio), round(scene.box.height() * ratio)
    if picture is None or not picture.columns or width < 1 or height < 1:
        return QImage()
    seen, span = (scene.axis.left, scene.axis.right), (picture.low, picture.high)
    levels = in_pixels(picture, seen, span, width, height)
    pixels = np.ascontiguousarray(pixels_of(levels, colours, ratio))
    made = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
    made.setDevicePixelRatio(ratio)
    return made


def paint_axis(painter: QPainter, scene: RangeScene, colours: Colours) -> None:
    """Write the exponents at the left, with lines through the picture."""
    picture, box = scene.picture, scene.box
    if picture is None:
        return
    metrics = painter.fontMetrics()
    each = box.height() / (picture.high - picture.low)
    step = next((step for step in _STEPS if step * each >= metrics.height() + 4), 64)
    first = int(np.ceil(picture.low / step)) * step
    for exponent in range(first, int(picture.high) + 1, step):
        y = scene.y(exponent)
        painter.setPen(QColor(colours.line))
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setPen(QColor(colours.dim))
        paint_power(painter, box.left() - 8 - power_width(painter.font(), exponent), y, exponent)


def paint_special(painter: QPainter, scene: RangeScene, colours: Colours) -> None:
    """Mark above the picture the columns with NaN or Inf, which have no exponent."""
    picture, box = scene.picture, scene.box
    if picture is None:
        return
    begin, end = int(scene.axis.left), int(np.ceil(scene.axis.right))
    columns = begin + np.flatnonzero(picture.special[begin:end])
    wide = max(box.width() / scene.axis.span, 1.0)
    lefts = np.unique(np.floor(box.left() + (columns - scene.axis.left) * box.width() / scene.axis.span))
    for left in lefts.tolist():
        left = max(left, box.left())
        mark = QRectF(left, box.top() - BAND, min(wide, box.right() - left), BAND - 2)
        painter.fillRect(mark, QColor(colours.nan))


def paint_limits(painter: QPainter, scene: RangeScene, colours: Colours) -> None:
    """Draw the limits of the format over the picture, and their names beside it where there is room."""
    if scene.picture is None:
        return
    box, taken = scene.box, -100.0
    metrics = painter.fontMetrics()
    for limit in sorted(scene.limits, key=lambda limit: -limit.exponent):
        y = scene.y(limit.exponent)
        style = Qt.PenStyle.SolidLine if limit.above else Qt.PenStyle.DashLine
        painter.setPen(QPen(QColor(getattr(colours, limit.role)), 1.2, style))
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        place = max(y, taken + metrics.height())
        if place > y + 9 or place > box.bottom():
            continue
        taken = place
        name = f"{limit.name}  {limit.value}"
        painter.setPen(QColor(colours.text))
        room = QRectF(box.right() + 8, place - 9, 400, 18)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        if not limit.value:
            left = box.right() + 8 + metrics.horizontalAdvance(name)
            paint_power(painter, left, place, round(limit.exponent))


def limits_width(limits: tuple[Limit, ...], font: QFont) -> int:
    """Return how many pixels the names of *limits* take."""
    metrics = QFontMetrics(font)
    widths = [
        metrics.horizontalAdvance(f"{limit.name}  {limit.value}")
        + (0 if limit.value else power_width(font, round(limit.exponent)))
        for limit in limits
    ]
    return max(widths, default=0)


def paint_passes(painter: QPainter, scene: RangeScene, colours: Colours, names: tuple[str, str]) -> None:
    """Write the names of forward and backward under their longest stretch in sight."""
    picture, box = scene.picture, scene.box
    if picture is None:
        return
    painter.setPen(QColor(colours.dim))
    metrics = painter.fontMetrics()
    for flags, name in ((~picture.backward, names[0]), (picture.backward, names[1])):
        seen = [
            (max(scene.x(begin), box.left()), min(scene.x(end), box.right())) for begin, end in _runs(flags)
        ]
        left, right = max(seen, key=lambda run: run[1] - run[0], default=(0.0, 0.0))
        if right - left > metrics.horizontalAdvance(name) + 8:
            painter.drawText(
                QRectF(left, box.bottom() + 3, right - left, 18), Qt.AlignmentFlag.AlignCenter, name
            )


def paint_mark(painter: QPainter, scene: RangeScene, column: int, colour: str) -> None:
    """Frame *column*, however narrow it is."""
    box = scene.box
    left, right = scene.x(column), scene.x(column + 1)
    if column < 0 or right < box.left() or left > box.right():
        return
    middle, wide = (left + right) / 2, max(right - left, 5.0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(colour), 1.6))
    painter.drawRoundedRect(QRectF(middle - wide / 2, box.top() - 2, wide, box.height() + 4), 2, 2)
