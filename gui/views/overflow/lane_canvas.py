"""The lanes as a widget: zoom and pan along the calls, scroll over the lanes, point and choose."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from core.messages import text
from core.records.overflow import Birth, Spread
from core.records.run import CellKey
from gui.looks.theme import Theme
from gui.models.overflow.lanes import Lanes, nearest_bad
from gui.views.overflow.lane_painter import (
    LaneScene,
    paint_axis,
    paint_lanes,
    paint_marks,
    paint_place,
    paint_spread,
)
from gui.widgets.lane_axis import LaneAxis

_AXIS = 24
_LEAST, _MOST = 16.0, 64.0
"""Pixels from lane to lane."""
_REACH = 6
"""How near, in pixels, the pointer must be to mean a call or a birth."""


class LaneCanvas(QAbstractScrollArea):
    """Draws a :class:`Lanes`; tells what is pointed at and chosen."""

    pointed = Signal(object)
    """A :class:`Birth`, a pair (cell, row), or ``None``."""
    chosen = Signal(object)
    """A :class:`Birth` or a pair (cell, row)."""
    entered_on = Signal()
    """The call looked at is to be shown elsewhere."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.axis = LaneAxis()
        self.scene = LaneScene(Lanes(), self.axis)
        self.birth: Birth | None = None
        self.spread: Spread | None = None
        self.place: tuple[CellKey, int] | None = None
        self._pressed: QPointF | None = None
        self._dragging = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(90)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().valueChanged.connect(self.viewport().update)

    # ---- content

    def show_lanes(self, lanes: Lanes) -> None:
        """Draw other lanes, all of their calls."""
        self.scene.lanes = lanes
        self.axis.set_calls(lanes.calls)
        self._measure()
        self.viewport().update()

    def look_at(self, birth: Birth | None, spread: Spread | None, place: tuple[CellKey, int] | None) -> None:
        """Mark what is looked at, and bring its call into sight."""
        self.birth, self.spread = birth, spread
        if place != self.place:
            self.place = place
            lane = self.scene.lanes.lane_of(place[0]) if place is not None else -1
            if place is not None and lane >= 0:
                self.axis.bring(place[1])
                self._bring_lane(lane)
                self._sync_bar()
        self.viewport().update()

    def fit(self) -> None:
        """See all calls."""
        self.axis.fit()
        self._sync_bar()
        self.viewport().update()

    # ---- geometry

    def _measure(self) -> None:
        lanes, view = self.scene.lanes, self.viewport().size()
        names = [self._name(track.key) for track in lanes.tracks]
        width = max((self.fontMetrics().horizontalAdvance(name) for name in names), default=0)
        self.scene.left = width + 22
        self.axis.pixels = max(view.width() - self.scene.left - 14, 1)
        self.scene.height = max(view.height() - _AXIS, 1)
        count = max(len(lanes.tracks), 1)
        self.scene.pitch = min(max(self.scene.height / count, _LEAST), _MOST)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(round(count * self.scene.pitch - self.scene.height), 0))
        bar.setPageStep(self.scene.height)
        bar.setSingleStep(round(self.scene.pitch))
        self._sync_bar()

    def _sync_bar(self) -> None:
        bar = self.horizontalScrollBar()
        with QSignalBlocker(bar):
            bar.setRange(0, max(round(self.axis.calls - self.axis.span), 0))
            bar.setPageStep(max(round(self.axis.span), 1))
            bar.setSingleStep(max(round(self.axis.span / 20), 1))
            bar.setValue(round(self.axis.left))

    def _scrolled(self, value: int) -> None:
        self.axis.show(float(value), self.axis.span)
        self.viewport().update()

    def _bring_lane(self, lane: int) -> None:
        bar, top = self.verticalScrollBar(), lane * self.scene.pitch
        if top < bar.value():
            bar.setValue(round(top))
        elif top + self.scene.pitch > bar.value() + self.scene.height:
            bar.setValue(round(top + self.scene.pitch - self.scene.height))

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, _event: object) -> None:
        self._measure()

    def sizeHint(self) -> QSize:
        return QSize(600, int(len(self.scene.lanes.tracks) * 30) + _AXIS)

    @staticmethod
    def height_for(lanes: int) -> int:
        """Return the height in which *lanes* are drawn at their largest."""
        return round(lanes * _MOST) + _AXIS

    @staticmethod
    def _name(key: CellKey) -> str:
        return text("gui.top.rank", value=key.rank)

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        scene, colours = self.scene, self._theme.colours
        scene.offset = float(self.verticalScrollBar().value())
        painter = QPainter(self.viewport())
        room = QRectF(scene.left - 10, 0, self.axis.pixels + 20, scene.height)
        painter.setClipRect(room)
        paint_lanes(painter, scene, colours, self.devicePixelRatioF())
        if self.spread is not None:
            paint_spread(painter, scene, self.spread, colours)
        if self.place is not None:
            paint_place(painter, scene, scene.lanes.lane_of(self.place[0]), self.place[1], colours)
        paint_marks(painter, scene, self.birth, colours)
        painter.setClipRect(QRectF(0, 0, scene.left, scene.height))
        painter.setFont(self.font())
        for lane in scene.seen():
            mine = self.place is not None and scene.lanes.tracks[lane].key == self.place[0]
            painter.setPen(self._theme.colour("text" if mine else "dim"))
            box = QRectF(0, scene.middle(lane) - 10, scene.left - 12, 20)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, flags, self._name(scene.lanes.tracks[lane].key))
        painter.setClipping(False)
        paint_axis(painter, scene, colours, _AXIS)
        if self.hasFocus():
            painter.setPen(self._theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.end()

    # ---- pointer

    def target_at(self, where: QPointF) -> Birth | tuple[CellKey, int] | None:
        """Return the birth, or cell and row of the call, at a point; a bad call nearby goes first."""
        scene = self.scene
        if where.x() < scene.left - _REACH:
            return None
        best, found = 9.0, None
        for at in scene.visible_marks():
            mark = scene.lanes.marks[at]
            dx, dy = scene.x(mark.row) - where.x(), scene.middle(mark.lane) - where.y()
            if (dx * dx + dy * dy) ** 0.5 <= best:
                best, found = (dx * dx + dy * dy) ** 0.5, mark.birth
        if found is not None:
            return found
        lane = scene.lane_at(where.y())
        if lane < 0:
            return None
        track, row = scene.lanes.tracks[lane], self.axis.row(where.x() - scene.left)
        near = nearest_bad(track, row, _REACH * self.axis.span / self.axis.pixels)
        if near >= 0:
            return track.key, int(track.rows[near])
        return (track.key, int(row)) if 0 <= row < track.operators else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            target = self.target_at(event.position())
            shape = Qt.CursorShape.ArrowCursor if target is None else Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(shape)
            self.pointed.emit(target)
            return
        moved = event.position() - self._pressed
        if self._dragging or moved.manhattanLength() > 4:
            self._dragging = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.axis.pan(-moved.x())
            self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() - moved.y()))
            self._pressed = event.position()
            self._sync_bar()
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._pressed is not None and not self._dragging
        self._pressed = None
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        target = self.target_at(event.position()) if clicked else None
        if target is not None:
            self.chosen.emit(target)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        target = self.target_at(event.position())
        if target is not None:
            self.chosen.emit(target)
            self.entered_on.emit()
        else:
            self.fit()

    def leaveEvent(self, _event: object) -> None:
        self.pointed.emit(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned, aside = event.angleDelta().y(), event.angleDelta().x()
        over_names = event.position().x() < self.scene.left
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or over_names:
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - (turned or aside) // 2)
        elif aside and abs(aside) > abs(turned):
            self.axis.pan(-aside / 2)
        else:
            self.axis.zoom(0.8 ** (turned / 120), event.position().x() - self.scene.left)
        self._sync_bar()
        self.viewport().update()
        event.accept()

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, middle = event.key(), self.axis.pixels / 2
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(key == Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._change_lane(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            at = self.axis.x(self.place[1]) if self.place is not None else middle
            at = at if 0 <= at <= self.axis.pixels else middle
            self.axis.zoom(1.25 if key == Qt.Key.Key_Minus else 0.8, at)
            self._sync_bar()
            self.viewport().update()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
        else:
            super().keyPressEvent(event)

    def _step(self, forward: bool) -> None:
        """Go to the next or the previous bad call of the lane looked at."""
        tracks = self.scene.lanes.tracks
        lane = self.scene.lanes.lane_of(self.place[0]) if self.place is not None else 0
        if self.place is None or not 0 <= lane < len(tracks):
            return
        rows = tracks[lane].rows
        here = self.place[1]
        after, before = int(rows.searchsorted(here, side="right")), int(rows.searchsorted(here)) - 1
        at = after if forward else before
        if 0 <= at < len(rows):
            self.chosen.emit((tracks[lane].key, int(rows[at])))

    def _change_lane(self, by: int) -> None:
        tracks = self.scene.lanes.tracks
        if not tracks:
            return
        lane = self.scene.lanes.lane_of(self.place[0]) if self.place is not None else -1
        track = tracks[min(max(lane + by, 0), len(tracks) - 1)]
        row = self.place[1] if self.place is not None else 0
        near = nearest_bad(track, row, float(track.operators))
        self.chosen.emit((track.key, int(track.rows[near]) if near >= 0 else min(row, track.operators - 1)))

    def retranslate(self) -> None:
        """Set the names of lanes and what is read aloud."""
        self.setAccessibleName(text("gui.overflow.lanes"))
        self._measure()
        self.viewport().update()
