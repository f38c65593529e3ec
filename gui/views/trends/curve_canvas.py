"""The curve of one layer as a widget, column by column under the heat map and moved with it."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QWheelEvent

from core.messages import text
from gui.looks.theme import Theme
from gui.trends.grids import LayerCurve
from gui.views.trends.curve_painter import (
    LOWER_SHARE,
    CurveScene,
    paint_broken,
    paint_limit,
    paint_numbers,
    paint_place,
    paint_track,
)
from gui.widgets.axis_canvas import AxisCanvas
from gui.widgets.lane_axis import LaneAxis

_TOP, _RIGHT, _BOTTOM, _BETWEEN = 20, 16, 8, 24
_LEAST_FOR_BOTH = 110
"""Pixels of height from which the difference is drawn too."""


class CurveCanvas(AxisCanvas):
    """Shares the columns with the heat map; tells which one is pointed at or chosen."""

    pointed = Signal(int)
    """Column under the pointer; -1 for none."""
    chosen = Signal(int)
    moved = Signal()
    """Other columns are in sight."""

    def __init__(self, theme: Theme, columns: LaneAxis) -> None:
        super().__init__(theme)
        self.axis = columns
        self.scene = CurveScene(columns)
        self.gutter = 80
        self.note = ""
        self.marked = self.cross = -1
        self._still: QPixmap | None = None
        self.setMinimumSize(260, 84)
        theme.changed.connect(self.redraw)

    # ---- content

    def show_curve(self, curve: LayerCurve | None, limit: float) -> None:
        """Draw another layer's curve."""
        self.scene.curve, self.scene.limit = curve, limit
        self._measure()

    def say(self, note: str) -> None:
        """Write *note* where there is no curve."""
        self.note = note
        self.update()

    def mark(self, column: int) -> None:
        """Draw the line of a column; -1 draws none."""
        self.marked = column
        self.update()

    def point_at(self, column: int) -> None:
        """Draw a thin line in a column; -1 draws none."""
        if column != self.cross:
            self.cross = column
            self.update()

    def set_gutter(self, gutter: int) -> None:
        """Leave so many pixels at the left, as the heat map does."""
        self.gutter = gutter
        self._measure()

    def redraw(self) -> None:
        """Draw everything anew."""
        self._still = None
        self.update()

    def fit(self) -> None:
        self.axis.fit()
        self.moved.emit()

    def _measure(self) -> None:
        whole = self._box_within(self.gutter, _TOP, _RIGHT, _BOTTOM)
        both = self.scene.curve is not None and self.scene.curve.relative is not None
        both = both and self.height() >= _LEAST_FOR_BOTH
        lower = (whole.height() - _BETWEEN) * LOWER_SHARE if both else 0.0
        upper = whole.height() - (lower + _BETWEEN if both else 0)
        self.scene.upper = QRectF(whole.left(), whole.top(), whole.width(), max(upper, 1))
        self.scene.lower = QRectF(whole.left(), whole.bottom() - lower, whole.width(), max(lower, 0))
        self.redraw()

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._still is None:
            self._still = QPixmap(QSize(round(self.width() * ratio), round(self.height() * ratio)))
            self._still.setDevicePixelRatio(ratio)
            self._still.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._still)
            painter.setFont(self.font())
            self.paint_still(painter, ratio)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        colours = self._theme.colours
        if self.scene.curve is not None:
            for column, strong in ((self.cross, False), (self.marked, True)):
                if column >= 0:
                    paint_place(painter, self.scene, column, colours, strong)
        elif self.note:
            painter.setPen(self._theme.colour("dim"))
            middle = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(QRectF(self.rect()), middle, self.note)
        self._paint_focus(painter)
        painter.end()

    def paint_still(self, painter: QPainter, ratio: float) -> None:
        """Draw everything but the lines of the places."""
        scene, colours = self.scene, self._theme.colours
        if scene.curve is None:
            return
        scene.measure()
        pixels = max(round(scene.upper.width() * ratio), 1)
        paint_numbers(painter, scene.upper, scene.scale, colours)
        self._name(painter, scene.upper, scene.curve.layer)
        painter.save()
        painter.setClipRect(scene.upper.adjusted(0, -3, 0, 3))
        for track, ink, dashed in scene.tracks(colours):
            paint_track(painter, scene, scene.upper, scene.scale, track, ink, dashed, pixels)
        for track, _, _ in scene.tracks(colours):
            paint_broken(painter, scene, scene.upper, track, colours)
        painter.restore()
        if scene.curve.relative is not None and scene.lower.height() > 1:
            paint_limit(painter, scene, colours)
            paint_numbers(painter, scene.lower, scene.lower_scale, colours)
            self._name(painter, scene.lower, text("gui.trends.curve.difference"))
            painter.save()
            painter.setClipRect(scene.lower.adjusted(0, -3, 0, 3))
            box, track = scene.lower, scene.curve.relative
            paint_track(painter, scene, box, scene.lower_scale, track, colours.text, False, pixels)
            paint_broken(painter, scene, box, track, colours)
            painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(colours.not_compared), 1))
        for box in (scene.upper, scene.lower):
            if box.height() > 1:
                painter.drawLine(QLineF(box.left(), box.bottom(), box.right(), box.bottom()))

    def _name(self, painter: QPainter, box: QRectF, words: str) -> None:
        painter.setPen(self._theme.colour("dim"))
        cut = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, int(box.width()))
        room = QRectF(box.left(), box.top() - 19, box.width(), 17)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)

    # ---- pointer

    def _column(self, where: QPointF) -> int:
        curve, box = self.scene.curve, self.scene.upper
        column = int(self.axis.row(where.x() - box.left()) // 1)
        inside = curve is not None and box.left() <= where.x() <= box.right()
        return column if inside and curve is not None and 0 <= column < len(curve.places) else -1

    def _point(self, where: QPointF | None) -> bool:
        column = self._column(where) if where is not None else -1
        self.point_at(column)
        self.pointed.emit(column)
        return column >= 0

    def _choose(self, where: QPointF) -> None:
        column = self._column(where)
        if column >= 0:
            self.chosen.emit(column)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        before = self.axis.left
        super().mouseMoveEvent(event)
        if self.axis.left != before:
            self.moved.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        self.moved.emit()

    def _marked_column(self) -> int | None:
        return self.marked if self.marked >= 0 else None
