"""The picture of exponents as a widget: zoom and pan along the calls, point, choose."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QPaintEvent

from core.messages import text
from gui.looks.theme import Theme
from gui.models.headroom.picture import RangePicture
from gui.views.headroom.painter import (
    BAND,
    Limit,
    RangeScene,
    image_of,
    limits_width,
    paint_axis,
    paint_limits,
    paint_mark,
    paint_passes,
    paint_special,
    paint_zones,
)
from gui.widgets.axis_canvas import AxisCanvas

_LEFT, _TOP, _BOTTOM, _RIGHT = 46, 4 + BAND, 22, 14


class RangeCanvas(AxisCanvas):
    """Draws a :class:`RangePicture`; tells which column is pointed at or chosen."""

    pointed = Signal(int, float)
    """Column (-1: none) and exponent under the pointer."""
    chosen = Signal(int)
    entered_on = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.scene = RangeScene(self.axis)
        self.marked = -1
        self._image = QImage()
        self._drawn: object = None
        self.setMinimumSize(220, 84)
        theme.changed.connect(self.refresh)

    # ---- content

    def show_picture(self, picture: RangePicture | None, limits: tuple[Limit, ...]) -> None:
        """Draw another picture, all of it."""
        self.scene.picture, self.scene.limits = picture, limits
        self.axis.set_calls(picture.columns if picture is not None else 1)
        self._measure()

    def mark(self, column: int) -> None:
        """Frame *column* and bring it into sight; -1 frames none."""
        self.marked = column
        if column >= 0:
            self.axis.bring(column)
        self.update()

    def refresh(self) -> None:
        """Draw anew in the colours and words in force."""
        self._drawn = None
        self.update()

    def rename(self) -> None:
        """Make room for other names of the limits."""
        self._measure()

    def _measure(self) -> None:
        names = limits_width(self.scene.limits, self.font())
        right = names + 18 if names else _RIGHT
        self.scene.box = self._box_within(_LEFT, _TOP, right, _BOTTOM)
        self.refresh()

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        scene, colours, ratio = self.scene, self._theme.colours, self.devicePixelRatioF()
        if scene.picture is None:
            return
        drawn = (self.axis.left, self.axis.right, self.size(), ratio)
        if drawn != self._drawn:
            self._drawn, self._image = drawn, image_of(scene, colours, ratio)
        painter = QPainter(self)
        painter.setFont(self.font())
        paint_axis(painter, scene, colours)
        paint_zones(painter, scene, colours)
        painter.drawImage(scene.box.topLeft(), self._image)
        paint_special(painter, scene, colours)
        paint_limits(painter, scene, colours)
        names = text("gui.trajectory.forward"), text("gui.trajectory.backward")
        paint_passes(painter, scene, colours, names)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(painter, scene, self.marked, colours.text)
        self._paint_focus(painter)
        painter.end()

    # ---- pointer

    def column_at(self, where: QPointF) -> int:
        """Return the column at a point of the widget; -1 beside the picture."""
        picture = self.scene.picture
        if picture is None or not self.scene.box.contains(where):
            return -1
        column = int(self.axis.row(where.x() - self.scene.box.left()))
        return column if 0 <= column < picture.columns else -1

    def _point(self, where: QPointF | None) -> bool:
        column = self.column_at(where) if where is not None else -1
        height = where.y() if where is not None and column >= 0 else None
        self.pointed.emit(column, self.scene.exponent(height) if height is not None else 0.0)
        return column >= 0

    def _choose(self, where: QPointF) -> None:
        column = self.column_at(where)
        if column >= 0:
            self.chosen.emit(column)

    # ---- keys

    def _marked_column(self) -> int | None:
        return self.marked if self.marked >= 0 else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
        else:
            super().keyPressEvent(event)
