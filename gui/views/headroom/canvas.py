"""The picture of exponents as a widget: zoom and pan along the calls, point, choose."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from core.messages import text
from gui.models.headroom_picture import RangePicture
from gui.theme import Theme
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
from gui.widgets.lane_axis import LaneAxis

_LEFT, _TOP, _BOTTOM, _RIGHT = 46, 4 + BAND, 22, 14


class RangeCanvas(QWidget):
    """Draws a :class:`RangePicture`; tells which column is pointed at or chosen."""

    pointed = Signal(int, float)
    """Column (-1: none) and exponent under the pointer."""
    chosen = Signal(int)
    stepped = Signal(bool)
    """The next column, or the one before, is wanted."""
    entered_on = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.axis = LaneAxis()
        self.scene = RangeScene(self.axis)
        self.marked = -1
        self._image = QImage()
        self._drawn: object = None
        self._pressed: QPointF | None = None
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
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

    def fit(self) -> None:
        """See all calls."""
        self.axis.fit()
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
        box = QRectF(self.rect()).adjusted(_LEFT, _TOP, -right, -_BOTTOM)
        self.scene.box = QRectF(box.left(), box.top(), max(box.width(), 1), max(box.height(), 1))
        self.axis.pixels = max(round(self.scene.box.width()), 1)
        self.refresh()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._measure()

    def sizeHint(self) -> QSize:
        return QSize(640, 220)

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
        if self.hasFocus():
            painter.setPen(self._theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.end()

    # ---- pointer

    def column_at(self, where: QPointF) -> int:
        """Return the column at a point of the widget; -1 beside the picture."""
        picture = self.scene.picture
        if picture is None or not self.scene.box.contains(where):
            return -1
        column = int(self.axis.row(where.x() - self.scene.box.left()))
        return column if 0 <= column < picture.columns else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            column = self.column_at(event.position())
            self.setCursor(Qt.CursorShape.ArrowCursor if column < 0 else Qt.CursorShape.PointingHandCursor)
            self.pointed.emit(column, self.scene.exponent(event.position().y()) if column >= 0 else 0.0)
            return
        moved = event.position() - self._pressed
        if self._dragging or moved.manhattanLength() > 4:
            self._dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.axis.pan(-moved.x())
            self._pressed = event.position()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._pressed is not None and not self._dragging
        self._pressed = None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        column = self.column_at(event.position()) if clicked else -1
        if column >= 0:
            self.chosen.emit(column)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.fit()

    def leaveEvent(self, _event: object) -> None:
        self.pointed.emit(-1, 0.0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned, aside = event.angleDelta().y(), event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            turned, aside = 0, turned or aside
        if aside and abs(aside) > abs(turned):
            self.axis.pan(-aside / 2)
        else:
            self.axis.zoom(0.8 ** (turned / 120), event.position().x() - self.scene.box.left())
        self.update()
        event.accept()

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.stepped.emit(key == Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            at = self.axis.x(self.marked + 0.5) if self.marked >= 0 else -1.0
            at = at if 0 <= at <= self.axis.pixels else self.axis.pixels / 2
            self.axis.zoom(1.25 if key == Qt.Key.Key_Minus else 0.8, at)
            self.update()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_on.emit()
        else:
            super().keyPressEvent(event)
