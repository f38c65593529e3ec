"""A picture along a :class:`LaneAxis`, of calls or of steps: drag, wheel and keys pan and zoom it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.looks.theme import Theme
from gui.widgets.lane_axis import LaneAxis


class AxisCanvas(QWidget):
    """Moves :attr:`axis`; what is drawn, pointed at and chosen is for those who derive from it."""

    stepped = Signal(bool)
    """The next call or step worth a look, or the one before, is wanted."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.axis = LaneAxis()
        self._left = 0.0
        self._pressed: QPointF | None = None
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    # ---- what differs

    def _measure(self) -> None:
        """Lay out anew for the size in force."""

    def _point(self, _where: QPointF | None) -> bool:
        """Tell what is at a point, ``None`` once the pointer left; return whether there is anything."""
        return False

    def _choose(self, _where: QPointF) -> None:
        """Choose what is at a point."""

    def _marked_column(self) -> int | None:
        """Return the column that zooming by key keeps in place; ``None`` for the middle."""
        return None

    # ---- layout

    def fit(self) -> None:
        """See all calls or steps."""
        self.axis.fit()
        self.update()

    def _box_within(self, left: float, top: float, right: float, bottom: float) -> QRectF:
        """Return where the columns are drawn, given the margins in pixels, and fit the axis to it."""
        box = QRectF(self.rect()).adjusted(left, top, -right, -bottom)
        box = QRectF(box.left(), box.top(), max(box.width(), 1), max(box.height(), 1))
        self._left = box.left()
        self.axis.pixels = max(round(box.width()), 1)
        return box

    def _paint_focus(self, painter: QPainter) -> None:
        if self.hasFocus():
            painter.setPen(self._theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._measure()

    def sizeHint(self) -> QSize:
        return QSize(640, 220)

    # ---- pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            found = self._point(event.position())
            self.setCursor(Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.ArrowCursor)
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
        if clicked:
            self._choose(event.position())

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.fit()

    def leaveEvent(self, _event: object) -> None:
        self._point(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned, aside = event.angleDelta().y(), event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            turned, aside = 0, turned or aside
        if aside and abs(aside) > abs(turned):
            self.axis.pan(-aside / 2)
        else:
            self.axis.zoom(0.8 ** (turned / 120), event.position().x() - self._left)
        self.update()
        event.accept()

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.stepped.emit(key == Qt.Key.Key_Right)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            column, middle = self._marked_column(), self.axis.pixels / 2
            at = self.axis.x(column + 0.5) if column is not None else middle
            at = at if 0 <= at <= self.axis.pixels else middle
            self.axis.zoom(1.25 if key == Qt.Key.Key_Minus else 0.8, at)
            self.update()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        else:
            super().keyPressEvent(event)
