"""The loss scale over the steps as a widget: zoom and pan along the steps, point, choose."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from core.messages import text
from gui.models.training_plot import ScalePlot
from gui.theme import Theme
from gui.views.training.painter import (
    LANE,
    ScaleScene,
    labels_width,
    paint_cursor,
    paint_grid,
    paint_line,
    paint_overflows,
    paint_stretches,
)
from gui.widgets.lane_axis import LaneAxis

_RIGHT, _BOTTOM = 26, 26
_REACH = 7
"""How near, in pixels, the pointer must be to mean an overflowed step."""
_AROUND = 200
"""Steps that are seen around one that is gone to from afar."""


class ScaleCanvas(QWidget):
    """Draws a :class:`ScalePlot`; tells which step is pointed at or chosen."""

    pointed = Signal(object)
    """A step or ``None``."""
    chosen = Signal(int)
    stepped = Signal(bool)
    """The next overflowed step, or the one before, is wanted."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.axis = LaneAxis()
        self.scene = ScaleScene(self.axis)
        self.step: int | None = None
        self._pressed: QPointF | None = None
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(220, 96)
        theme.changed.connect(self.update)

    # ---- content

    def show_plot(self, plot: ScalePlot | None, start: int | None, collapse: int | None, keep: bool) -> None:
        """Draw a plot; *keep* says that it is of the same log, and what is in sight stays."""
        self.scene.plot, self.scene.start, self.scene.collapse = plot, start, collapse
        if not keep:
            self.axis.set_calls(plot.last - plot.first + 1 if plot is not None else 1)
        self._measure()

    def mark(self, step: int | None) -> None:
        """Put the cursor on *step* and bring it into sight."""
        self.step = step
        if step is not None and self.scene.plot is not None:
            self.axis.bring(step - self.scene.plot.first)
        self.update()

    def go_to(self, step: int) -> None:
        """See *step* in the middle, near enough to tell steps apart."""
        if self.scene.plot is not None:
            at, span = step - self.scene.plot.first + 0.5, min(self.axis.span, float(_AROUND))
            self.axis.show(at - span / 2, span)
            self.update()

    def fit(self) -> None:
        """See all steps."""
        self.axis.fit()
        self.update()

    def _measure(self) -> None:
        plot, left = self.scene.plot, 30
        if plot is not None:
            left = labels_width(self.font(), plot) + 18
        box = QRectF(self.rect()).adjusted(left, LANE + 2, -_RIGHT, -_BOTTOM)
        self.scene.box = QRectF(box.left(), box.top(), max(box.width(), 1), max(box.height(), 1))
        self.axis.pixels = max(round(self.scene.box.width()), 1)
        self.update()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._measure()

    def sizeHint(self) -> QSize:
        return QSize(640, 220)

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        scene, colours = self.scene, self._theme.colours
        if scene.plot is None:
            return
        painter = QPainter(self)
        painter.setFont(self.font())
        paint_grid(painter, scene, colours)
        names = text("gui.training.start"), text("gui.training.collapse")
        paint_stretches(painter, scene, colours, names)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(scene.box.adjusted(-4, -LANE - 2, 4, 4))
        paint_overflows(painter, scene, colours)
        paint_line(painter, scene, colours)
        if self.step is not None:
            paint_cursor(painter, scene, self.step, colours)
        painter.setClipping(False)
        if not len(scene.plot.steps):
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(scene.box, Qt.AlignmentFlag.AlignCenter, text("gui.training.no_scale"))
        if self.hasFocus():
            painter.setPen(self._theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.end()

    # ---- pointer

    def step_at(self, where: QPointF) -> int | None:
        """Return the step at a point of the widget, an overflowed one first; ``None`` beside the plot."""
        plot, box = self.scene.plot, self.scene.box
        if plot is None or not box.adjusted(-_REACH, -LANE - 2, _REACH, 0).contains(where):
            return None
        step = self.scene.step(where.x())
        near = plot.nearest(step, _REACH * self.axis.span / self.axis.pixels)
        return near if near is not None else min(max(round(step), plot.first), plot.last)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            step = self.step_at(event.position())
            self.setCursor(Qt.CursorShape.ArrowCursor if step is None else Qt.CursorShape.PointingHandCursor)
            self.pointed.emit(step)
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
        step = self.step_at(event.position()) if clicked else None
        if step is not None:
            self.chosen.emit(step)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.fit()

    def leaveEvent(self, _event: object) -> None:
        self.pointed.emit(None)

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
            middle = self.axis.pixels / 2
            plot, at = self.scene.plot, middle
            if plot is not None and self.step is not None:
                at = self.axis.x(self.step - plot.first + 0.5)
            at = at if 0 <= at <= self.axis.pixels else middle
            self.axis.zoom(1.25 if key == Qt.Key.Key_Minus else 0.8, at)
            self.update()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.fit()
        else:
            super().keyPressEvent(event)
