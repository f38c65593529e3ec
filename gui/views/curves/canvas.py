"""The picture of the curves as a widget: zoom and pan, point, choose a finding, select a span."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QWheelEvent

from core.messages import text
from core.records.curves import Axis
from gui.looks.theme import Theme
from gui.models.curves.places import neighbour
from gui.views.curves.grid import (
    labels_width,
    paint_frames,
    paint_name,
    paint_places,
    paint_stretch_names,
    paint_stretches,
    paint_values,
)
from gui.views.curves.marks import (
    LANE,
    mark_at,
    paint_broken,
    paint_broken_difference,
    paint_findings,
    paint_resumes,
    paint_span,
)
from gui.views.curves.readout import paint_cursor, snapped
from gui.views.curves.scene import NAMES, CurvesScene
from gui.views.curves.tracks import paint_curves, paint_cut_off, paint_difference
from gui.widgets.axis_canvas import AxisCanvas
from gui.widgets.real_axis import RealAxis

_RIGHT, _BOTTOM, _BETWEEN = 18, 26, 30
_LOWER_SHARE = 0.35
_LEAST_LABELS = 38


class CurvesCanvas(AxisCanvas):
    """Draws a :class:`CurvesScene`; the still part is kept, so that the cursor moves over it at once."""

    finding_chosen = Signal(int)
    finding_pointed = Signal(int)
    """Number of a finding under the pointer; -1 for none."""
    span_selected = Signal(object)
    """Two places, or ``None``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.axis: RealAxis = RealAxis()
        self.scene = CurvesScene(self.axis)
        self.unit = Axis.STEP
        self.names = ("", "")
        """What the two fields show."""
        self.nothing = "gui.curves.nothing_drawn"
        """Code of what is said where there is no curve."""
        self.span: tuple[float, float] | None = None
        self.cursor_place: float | None = None
        self.selecting = False
        """Whether dragging selects a span also without the shift key."""
        self._from: float | None = None
        """Where a span that is being selected begins."""
        self._still: QPixmap | None = None
        self.setMinimumSize(260, 200)
        theme.changed.connect(self.redraw)

    # ---- content

    def redraw(self) -> None:
        """Draw everything anew."""
        self._still = None
        self.update()

    def show_scene(self, keep: bool) -> None:
        """Draw what the scene holds now; with *keep* what is in sight stays."""
        first, last = self.scene.bounds()
        if last <= first:
            first, last = first - 0.5, first + 0.5
        whole = self.unit in (Axis.STEP, Axis.COUNT)
        room = (last - first) * 0.004
        least = min(4.0, last - first) if whole else (last - first) * 1e-6
        self.axis.set_range(first - room, last + room, least, keep)
        self._measure()

    def fit(self) -> None:
        self.axis.fit()
        self.redraw()

    def look_at(self, first: float, last: float) -> None:
        """See the places from *first* to *last*."""
        self.axis.look_at(first, last)
        self.redraw()

    def point_at(self, place: float | None) -> None:
        """Put the cursor on *place*."""
        self.cursor_place = place
        self.update()

    def _measure(self) -> None:
        self.redraw()

    def _lay_out(self, rect: QRectF, ratio: float) -> int:
        """Share *rect* between both fields, and fit their scales; returns the columns of pixels."""
        scene, top = self.scene, 2.0 * LANE + (NAMES if self.scene.stretches else 0)
        left = _LEAST_LABELS
        pixels = max(round((rect.width() - left - _RIGHT) * ratio), 1)
        scene.measure(pixels)
        for _ in range(3):  # the numbers beside the fields take room, and the room decides on the numbers
            box = rect.adjusted(left, top, -_RIGHT, -_BOTTOM)
            box = QRectF(box.left(), box.top(), max(box.width(), 1), max(box.height(), 1))
            lower = (box.height() - _BETWEEN) * _LOWER_SHARE if scene.difference is not None else 0.0
            height = max(box.height() - (lower + _BETWEEN if lower > 0 else 0), 1)
            scene.upper = QRectF(box.left(), box.top(), box.width(), height)
            scene.lower = QRectF(box.left(), box.bottom() - lower, box.width(), max(lower, 1))
            self._left, self.axis.pixels = box.left(), max(round(box.width()), 1)
            wanted = max(labels_width(self.fontMetrics(), scene) + 14, _LEAST_LABELS)
            if left - 12 <= wanted <= left:
                break
            left = wanted
        return pixels

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._still is None:
            size = QSize(round(self.width() * ratio), round(self.height() * ratio))
            still = QPixmap(size)
            still.setDevicePixelRatio(ratio)
            still.fill(Qt.GlobalColor.transparent)
            painter = QPainter(still)
            painter.setFont(self.font())
            self.paint_still(painter, QRectF(self.rect()), ratio)
            painter.end()
            self._still = still
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        painter.setFont(self.font())
        colours = self._theme.colours
        if self.span is not None:
            paint_span(painter, self.scene, self.span, colours)
        if self.cursor_place is not None and self.scene.curves:
            paint_cursor(painter, self.scene, self.cursor_place, self.unit, colours)
        self._paint_focus(painter)
        painter.end()

    def paint_still(self, painter: QPainter, rect: QRectF, ratio: float) -> None:
        """Draw everything but cursor and span into *rect*; *ratio* pixels a point."""
        scene, colours = self.scene, self._theme.colours
        pixels = self._lay_out(rect, ratio)
        if not scene.curves:
            painter.setPen(QColor(colours.dim))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text(self.nothing))
            return
        paint_values(painter, scene, scene.upper, scene.scale, colours)
        if scene.difference is not None:
            paint_values(painter, scene, scene.lower, scene.lower_scale, colours)
        paint_places(painter, scene, colours)
        paint_stretches(painter, scene, colours)
        painter.save()
        painter.setClipRect(scene.upper.adjusted(0, -2, 0, 2))
        paint_curves(painter, scene, colours, pixels)
        paint_broken(painter, scene, pixels)
        paint_resumes(painter, scene)
        if scene.clipped:
            tracks = [(curve.raw, curve.look.colour) for curve in scene.curves]
            paint_cut_off(painter, scene, scene.upper, scene.scale, tracks, pixels)
        painter.restore()
        if scene.difference is not None:
            painter.save()
            painter.setClipRect(scene.lower.adjusted(0, -2, 0, 2))
            paint_difference(painter, scene, colours, pixels)
            paint_broken_difference(painter, scene, colours, pixels)
            if scene.clipped:
                tracks = [(scene.difference, colours.text)]
                paint_cut_off(painter, scene, scene.lower, scene.lower_scale, tracks, pixels)
            painter.restore()
            paint_name(painter, scene.lower, self.names[1], colours)
        paint_frames(painter, scene, colours)
        paint_findings(painter, scene, colours)
        paint_stretch_names(painter, scene, colours)
        field = QRectF(scene.upper.left(), scene.top, scene.upper.width(), 1)
        paint_name(painter, field, self.names[0], colours)

    # ---- pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        inside = self._field(event.position())
        if event.button() == Qt.MouseButton.LeftButton and (shift or self.selecting) and inside:
            self._from = self.scene.place(event.position().x())
            self.span = None
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self.span = self._ordered(event.position().x())
            self.point_at(snapped(self.scene, self.scene.place(event.position().x())))
            return
        before = self.axis.left
        super().mouseMoveEvent(event)
        if self.axis.left != before:
            self.redraw()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            first, last = self._ordered(event.position().x())
            far = abs(self.scene.x(last) - self.scene.x(first)) > 3
            self._from = None
            self.span_selected.emit((first, last) if far else None)
            self.update()
            return
        super().mouseReleaseEvent(event)

    def _ordered(self, x: float) -> tuple[float, float]:
        assert self._from is not None
        x = min(max(x, self.scene.upper.left()), self.scene.upper.right())
        place = self.scene.place(x)
        return min(self._from, place), max(self._from, place)

    def _field(self, where: QPointF) -> bool:
        """Whether *where* is in one of the fields."""
        bottom = (self.scene.lower if self.scene.difference is not None else self.scene.upper).bottom()
        box = self.scene.upper
        return box.left() <= where.x() <= box.right() and box.top() <= where.y() <= bottom

    def _point(self, where: QPointF | None) -> bool:
        mark = mark_at(self.scene, where) if where is not None else None
        self.finding_pointed.emit(mark.number if mark is not None else -1)
        inside = where is not None and self._field(where)
        if where is None or not inside or not self.scene.curves:
            self.point_at(None)
        else:
            self.point_at(snapped(self.scene, self.scene.place(where.x())))
        return mark is not None

    def _choose(self, where: QPointF) -> None:
        mark = mark_at(self.scene, where)
        if mark is not None:
            self.finding_chosen.emit(mark.number)
        elif self.span is not None:
            self.span_selected.emit(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self._point(event.position())
        self.redraw()

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self.span is not None or self.cursor_place is not None):
            self.cursor_place = None
            self.span_selected.emit(None)
            self.update()
            return
        super().keyPressEvent(event)
        self.redraw()

    def step_cursor(self, forward: bool) -> None:
        """Put the cursor on the next point of the first curve, or the one before."""
        if not self.scene.curves:
            return
        track = self.scene.curves[0].raw
        first, last = self.axis.seen
        here = self.cursor_place if self.cursor_place is not None else (first if forward else last)
        place = neighbour(track, here, forward)
        self.axis.bring(place - self.axis.first)
        self.cursor_place = place
        self.redraw()

    def _marked_column(self) -> int | None:
        if self.cursor_place is None:
            return None
        return math.floor(self.cursor_place - self.axis.first)
