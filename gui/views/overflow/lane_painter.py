"""Draws lanes: grooves, bad calls, births, and the way of the values from lane to lane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from core.records.overflow import Birth, Spread
from gui import numbers
from gui.looks.theme import Colours
from gui.models.overflow.lanes import Lanes, Link, links_of
from gui.views.overflow.lane_bands import band_image
from gui.widgets.birth_mark import level_colour, paint_birth
from gui.widgets.lane_axis import LaneAxis

_NARROW = (5, 12, 30, 80, 400)
"""Pixels within which births of a lane are drawn as one, the more the wider, where there are many."""
_MANY = 400


@dataclass
class LaneScene:
    """What there is to draw, and where lanes stand."""

    lanes: Lanes
    axis: LaneAxis
    left: int = 0
    """Pixels before the lanes."""
    pitch: float = 24.0
    """From one lane to the next."""
    offset: float = 0.0
    """Pixels that are scrolled away at the top."""
    height: int = 0
    """Of the viewport, without the axis."""

    def middle(self, lane: int) -> float:
        """Return the middle of a lane."""
        return lane * self.pitch + self.pitch / 2 - self.offset

    def x(self, row: float) -> float:
        """Return where the middle of a call is."""
        return self.left + self.axis.x(row + 0.5)

    def groove(self, lane: int) -> QRectF:
        """Return the box of a lane's calls, as far as it is seen."""
        tall = min(self.pitch * 0.66, 36.0)
        begin = self.left + max(self.axis.x(0), 0.0)
        end = self.left + min(self.axis.x(self.lanes.tracks[lane].operators), float(self.axis.pixels))
        return QRectF(begin, self.middle(lane) - tall / 2, max(end - begin, 0.0), tall)

    def seen(self) -> range:
        """Return the lanes in sight."""
        first = int(max(self.offset // self.pitch, 0))
        return range(first, min(int((self.offset + self.height) // self.pitch) + 1, len(self.lanes.tracks)))

    def lane_at(self, y: float) -> int:
        """Return the lane at a height, -1 for none."""
        lane = int((y + self.offset) // self.pitch)
        return lane if y < self.height and 0 <= lane < len(self.lanes.tracks) else -1

    def visible_marks(self) -> list[int]:
        """Return which marks to draw, the most important last; births close together become one."""
        lanes, axis = self.lanes, self.axis
        if not len(lanes.mark_row):
            return []
        seen = self.seen()
        inside = (
            (lanes.mark_lane >= seen.start)
            & (lanes.mark_lane < seen.stop)
            & (lanes.mark_row >= axis.left - 1)
            & (lanes.mark_row < axis.right + 1)
        )
        found = np.flatnonzero(inside)
        x = (lanes.mark_row - axis.left) / axis.span * axis.pixels
        kept = found
        for narrow in _NARROW if len(found) > _MANY else ():
            cluster = lanes.mark_lane[found].astype(np.int64) << 32 | (x[found] / narrow).astype(np.int64)
            _, last = np.unique(cluster[::-1], return_index=True)  # the most important of each
            kept = np.sort(found[::-1][last])
            if len(kept) <= _MANY:
                break
        found = kept
        return [int(at) for at in found]

    def mark_size(self, at: int) -> float:
        """Return how large a mark is drawn."""
        mark = self.lanes.marks[at]
        if mark.expected:
            return 6.0
        return min(12.0 if mark.birth.earliest else 9.5, self.pitch * 0.7)


def paint_lanes(painter: QPainter, scene: LaneScene, colours: Colours, ratio: float) -> None:
    """Draw grooves and bad calls of the lanes in sight; *ratio* is that of device pixels."""
    seen, lanes, axis = scene.seen(), scene.lanes, scene.axis
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colours.line), 1))
    painter.setBrush(QColor(colours.second))
    for lane in seen:
        painter.drawRoundedRect(scene.groove(lane).adjusted(-0.5, -0.5, 0.5, 0.5), 3, 3)
    tracks, kinds = lanes.tracks[seen.start : seen.stop], lanes.kinds
    if not tracks or not kinds:
        return
    pixels = max(round(axis.pixels * ratio), 1)
    picture = band_image(tracks, kinds, axis.left, axis.right, pixels, max(round(2 * ratio), 1), colours)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    for number, lane in enumerate(seen):
        groove = scene.groove(lane)
        target = QRectF(scene.left, groove.top(), axis.pixels, groove.height())
        painter.drawImage(target, picture, QRectF(0, number * len(kinds), pixels, len(kinds)))


def paint_spread(painter: QPainter, scene: LaneScene, spread: Spread, colours: Colours) -> None:
    """Draw the stations of *spread*, and its lines from lane to lane."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ink = QColor(colours.text)
    links = links_of(spread, scene.lanes)
    ink.setAlphaF(0.8)
    painter.setPen(QPen(ink, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for link in links:
        painter.drawPath(_curve(scene, link))
    painter.setPen(QPen(QColor(colours.card), 1))
    painter.setBrush(QColor(colours.text))
    seen, lane_of = scene.seen(), {track.key: lane for lane, track in enumerate(scene.lanes.tracks)}
    for path in spread.paths:
        for station in path:
            lane = lane_of.get(station.cell, -1)
            if lane in seen:
                painter.drawEllipse(QPointF(scene.x(station.row), scene.middle(lane)), 3, 3)


def _curve(scene: LaneScene, link: Link) -> QPainterPath:
    """Return a line between two lanes that leaves and arrives upright.

    Where a call of all ranks tells many lanes, the lines lie on each other as one.
    """
    begin = QPointF(scene.x(link.from_row), scene.middle(link.from_lane))
    end = QPointF(scene.x(link.to_row), scene.middle(link.to_lane))
    bend = (end.y() - begin.y()) * 0.45
    path = QPainterPath(begin)
    path.cubicTo(begin + QPointF(0, bend), end - QPointF(0, bend), end)
    return path


def paint_marks(painter: QPainter, scene: LaneScene, chosen: Birth | None, colours: Colours) -> None:
    """Draw the births in sight, the chosen one with a ring."""
    for at in scene.visible_marks():
        mark = scene.lanes.marks[at]
        centre = QPointF(scene.x(mark.row), scene.middle(mark.lane))
        if mark.expected:
            painter.setPen(QPen(QColor(colours.not_compared), 1.4))
            painter.setBrush(QColor(colours.card))
            painter.drawEllipse(centre, 2.8, 2.8)
        else:
            colour = level_colour(mark.birth.level, colours)
            paint_birth(painter, centre, mark.birth.kind, colour, scene.mark_size(at), colours.card)
        if mark.birth is chosen:
            painter.setPen(QPen(QColor(colours.text), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            reach = min(scene.mark_size(at) * 0.5 + 5, 11)
            painter.drawEllipse(centre, reach, reach)


def paint_place(painter: QPainter, scene: LaneScene, lane: int, row: int, colours: Colours) -> None:
    """Draw where the call looked at is."""
    if lane not in scene.seen() or not scene.axis.left <= row < scene.axis.right:
        return
    x, groove = scene.x(row), scene.groove(lane)
    painter.setPen(QPen(QColor(colours.accent), 2))
    painter.drawLine(QPointF(x, groove.top() - 3), QPointF(x, groove.bottom() + 3))


def paint_axis(painter: QPainter, scene: LaneScene, colours: Colours, tall: int) -> None:
    """Draw the numbers of calls under the lanes."""
    painter.setPen(QColor(colours.dim))
    for row in scene.axis.ticks(90):
        x = scene.left + scene.axis.x(row)
        words = numbers.grouped(row)
        width = painter.fontMetrics().horizontalAdvance(words)
        left = min(max(x - width / 2, scene.left), scene.left + scene.axis.pixels - width)
        painter.drawText(
            QRectF(left, scene.height + 2, width + 2, tall - 4), Qt.AlignmentFlag.AlignVCenter, words
        )
        painter.drawLine(QPointF(x, scene.height - 1), QPointF(x, scene.height + 2))
