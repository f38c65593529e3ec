"""The values under the cursor, of all runs, in a small box that keeps out of its way."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from core.messages import text
from core.records.curves import Axis
from gui import numbers
from gui.looks.theme import Colours
from gui.models.curves.places import nearest_place, point_before
from gui.models.curves.roles import Look
from gui.names import shown
from gui.views.curves.scene import CurvesScene

_ROW, _PAD, _SWATCH = 18, 9, 22
_MOST_ROWS = 14
_NAME_ROOM = 190


@dataclass(frozen=True)
class ReadoutRow:
    """One value."""

    look: Look | None
    name: str
    value: str
    alarm: bool = False


def snapped(scene: CurvesScene, place: float) -> float:
    """Return the place of the point nearest to *place*, the target's where it is in sight."""
    for curve in scene.curves:
        found = nearest_place(curve.raw, place)
        if found == found:
            return found
    return place


def written_place(place: float) -> str:
    """Return a place as it is read: a whole number in groups."""
    whole = place == round(place) and abs(place) < 1e15
    return numbers.grouped(round(place)) if whole else numbers.compact(place, 6)


def rows_at(scene: CurvesScene, place: float, axis: Axis) -> list[ReadoutRow]:
    """Return what all curves say at *place*."""
    made = [ReadoutRow(None, text(f"gui.curves.axis.{axis.value}"), written_place(place))]
    for curve in scene.curves[:_MOST_ROWS]:
        at, value = point_before(curve.raw, place)
        known = at == at
        words = numbers.compact(value, 7) if known else "—"
        if known and at != place:  # the log has nothing here: what it said last, and where
            words = text("gui.curves.value_at", value=words, place=written_place(at))
        made.append(ReadoutRow(curve.look, shown(curve.name), words, known and value != value))
    if len(scene.curves) > _MOST_ROWS:
        made.append(ReadoutRow(None, text("gui.curves.more_runs", count=len(scene.curves) - _MOST_ROWS), ""))
    if scene.difference is not None:
        at, value = point_before(scene.difference, place)
        words = _difference(value, scene.relative) if at == place else "—"
        made.append(ReadoutRow(None, text("gui.curves.difference"), words))
    return made


def _difference(value: float, relative: bool) -> str:
    sign = "+" if value > 0 else ""
    if relative and abs(value) < 1e6:
        return f"{sign}{numbers.compact(value * 100, 4)}{numbers.THIN_SPACE}%"
    return sign + numbers.compact(value, 5)


def paint_cursor(painter: QPainter, scene: CurvesScene, place: float, axis: Axis, colours: Colours) -> None:
    """Draw the line of the cursor, a ring on each curve, and the box."""
    x = scene.x(place)
    bottom = (scene.lower if scene.difference is not None else scene.upper).bottom()
    if not scene.upper.left() - 1 <= x <= scene.upper.right() + 1:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(colours.text), 1))
    painter.drawLine(QLineF(x, scene.upper.top(), x, bottom))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for curve in reversed(scene.curves):
        at, value = point_before(curve.raw, place)
        if at == place and value - value == 0:
            y = scene.y(scene.upper, scene.scale, value)
            if scene.upper.top() - 2 <= y <= scene.upper.bottom() + 2:
                painter.setPen(QPen(QColor(curve.look.colour), 2))
                painter.setBrush(QColor(colours.card))
                painter.drawEllipse(QPointF(x, y), 3.5, 3.5)
    _paint_box(painter, scene, rows_at(scene, place, axis), x, colours)


def _paint_box(
    painter: QPainter, scene: CurvesScene, rows: list[ReadoutRow], x: float, colours: Colours
) -> None:
    metrics = QFontMetrics(painter.font())
    names = [metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, _NAME_ROOM) for row in rows]
    left_room = max(map(metrics.horizontalAdvance, names))
    right_room = max(metrics.horizontalAdvance(row.value) for row in rows)
    width = 2 * _PAD + _SWATCH + left_room + 14 + right_room
    height = 2 * _PAD + _ROW * len(rows) - 4
    on_left = x > scene.upper.center().x()
    left = scene.upper.left() + 8 if on_left else scene.upper.right() - width - 8
    box = QRectF(left, scene.upper.top() + 8, width, height)
    fill = QColor(colours.card)
    fill.setAlphaF(0.94)
    painter.setPen(QPen(QColor(colours.line), 1))
    painter.setBrush(fill)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
    for number, (row, name) in enumerate(zip(rows, names)):
        line = QRectF(box.left() + _PAD, box.top() + _PAD - 2 + number * _ROW, width - 2 * _PAD, _ROW)
        if row.look is not None:
            paint_swatch(painter, QPointF(line.left(), line.center().y()), row.look, 15)
        inside = line.adjusted(_SWATCH if row.look is not None else 0, 0, 0, 0)
        painter.setPen(QColor(colours.dim))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(QColor(colours.nan if row.alarm else colours.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, row.value)


def paint_swatch(painter: QPainter, left: QPointF, look: Look, width: float) -> None:
    """Draw a short piece of a curve."""
    pen = QPen(QColor(look.colour), 2.4, c=Qt.PenCapStyle.FlatCap)
    if look.dashes:
        pen.setDashPattern([part * 0.7 for part in look.dashes])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    painter.drawLine(left, QPointF(left.x() + width, left.y()))
