"""The pointer and the keys over a plane: panning, zooming, a cursor, a rectangle."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from core.metrics.pictures.plane import Region
from gui.looks.theme import Theme
from gui.tensors.sight import Sight
from gui.tensors.ticks import APART_ACROSS, APART_DOWN, Tick, index_ticks
from gui.views.tensors.overlay import Overlay
from gui.widgets.arrow_keys import ARROWS

_NOTCH, _PER_NOTCH = 1.3, 120
"""How much a notch of the wheel zooms, and the angle of one."""
_HELD = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Plus, Qt.Key.Key_Minus,
    Qt.Key.Key_Equal, Qt.Key.Key_0, Qt.Key.Key_Home,
)  # fmt: skip
"""Keys that the canvas takes before the commands of the window."""


class PlaneCanvas(QWidget):
    """Rows go down, columns to the right; both fill the widget."""

    hovered = Signal(int, int)
    """Row and column under the pointer."""
    left = Signal()
    chosen = Signal(int, int)
    """Row and column that were clicked."""
    stepped = Signal(int, int)
    """Rows and columns that the cursor is to move."""
    marked = Signal(object)
    """The :class:`Region` that was dragged over."""
    let_go = Signal()
    worst_wanted = Signal()
    menu_wanted = Signal(object)
    """Where, as a point of the screen."""
    turned = Signal()
    """Another part is in sight."""

    def __init__(self, theme: Theme, sight: Sight) -> None:
        super().__init__()
        self._theme, self.sight = theme, sight
        self._over = Overlay(theme)
        self._grip: QPointF | None = None
        """Where the button was pressed or the last drag ended."""
        self._dragged = self._marking = False
        self.indices_a_row = 1
        """More than 1 where a tensor of one dimension is folded."""
        self.holds = False
        """Whether there is something that Esc lets go."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(48, 40)
        sight.changed.connect(self._look)

    def sizeHint(self) -> QSize:
        return QSize(320, 160)

    def set_sight(self, sight: Sight) -> None:
        """Show the part of another sight."""
        if sight is not self.sight:
            self.sight.changed.disconnect(self._look)
            self.sight = sight
            sight.changed.connect(self._look)
            self._look()

    def _look(self) -> None:
        self.update()
        self.turned.emit()

    @property
    def filled(self) -> bool:
        """Whether there is a picture."""
        raise NotImplementedError

    def bare(self, ratio: float) -> QImage:
        """Return the picture without what lies over it, *ratio* pixels for one of the screen."""
        made = QImage(self.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
        made.setDevicePixelRatio(ratio)
        made.fill(self._theme.colour("card"))
        with QPainter(made) as painter:
            self._paint_picture(painter)
        return made

    # ---- what lies over the picture

    def set_cursor(self, place: tuple[int, int] | None) -> None:
        """Put the cross hair on an element, or take it away."""
        if place != self._over.cursor:
            self._over.cursor = place
            self.update()

    def set_rectangle(self, rectangle: Region | None) -> None:
        """Outline what is marked."""
        self._over.rectangle = rectangle
        self.update()

    def set_boxes(self, boxes: tuple[Region, ...]) -> None:
        """Outline what a pattern speaks of."""
        self._over.boxes = boxes
        self.update()

    @property
    def outlined(self) -> tuple[Region, ...]:
        """All that is outlined: what a pattern speaks of, and what is marked."""
        marked = self._over.rectangle
        return self._over.boxes + (() if marked is None else (marked,))

    # ---- geometry

    def place_at(self, where: QPointF) -> tuple[int, int]:
        """Return row and column under a point, of the element nearest to it."""
        ratio = self.devicePixelRatioF()
        down, across = self.pixel_at(where)
        row, column = self._spot(QPointF((across + 0.5) / ratio, (down + 0.5) / ratio))
        sight = self.sight
        return min(max(int(row // 1), 0), sight.rows - 1), min(max(int(column // 1), 0), sight.columns - 1)

    def pixel_at(self, where: QPointF) -> tuple[int, int]:
        """Return row and column of the screen's pixel at a point."""
        ratio = self.devicePixelRatioF()
        return math.floor(where.y() * ratio), math.floor(where.x() * ratio)

    def _spot(self, where: QPointF) -> tuple[float, float]:
        sight = self.sight
        return (
            sight.top + where.y() / max(self.height(), 1) * sight.height,
            sight.left + where.x() / max(self.width(), 1) * sight.width,
        )

    def rect_of(self, region: Region) -> QRectF:
        """Return where the elements of *region* are."""
        sight = self.sight
        tall, wide = self.height() / sight.height, self.width() / sight.width
        return QRectF(
            (region.left - sight.left) * wide, (region.top - sight.top) * tall,
            (region.right - region.left) * wide, (region.bottom - region.top) * tall,
        )  # fmt: skip

    def element_rect(self) -> QRectF | None:
        """Return where the element under the cursor is drawn; ``None`` without a cursor."""
        if self._over.cursor is None:
            return None
        row, column = self._over.cursor
        return self.rect_of(Region(row, row + 1, column, column + 1))

    def ticks_down(self) -> list[Tick]:
        """Return what is written beside the picture, by height."""
        sight = self.sight
        return index_ticks(sight.top, sight.height, self.height(), APART_DOWN, self.indices_a_row)

    def ticks_across(self) -> list[Tick]:
        """Return what is written under the picture, by x."""
        sight = self.sight
        return index_ticks(sight.left, sight.width, self.width(), APART_ACROSS)

    # ---- drawing

    def _paint_picture(self, painter: QPainter) -> None:
        """Draw what is in sight."""
        raise NotImplementedError

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._theme.colour("card"))
            self._paint_picture(painter)
            if self.filled:
                self._over.paint(painter, self.size().toSizeF(), self.rect_of, self.element_rect())
            line = self._theme.colour("accent" if self.hasFocus() else "line")
            painter.setPen(QPen(line, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    # ---- the pointer

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        if turned:
            row, column = self._spot(event.position())
            self.sight.zoom(_NOTCH ** (-turned / _PER_NOTCH), row, column)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._grip = event.position()
        self._dragged = False
        self._marking = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position()
        if self._grip is None or not event.buttons() & Qt.MouseButton.LeftButton:
            if QRectF(self.rect()).contains(here):
                self.hovered.emit(*self.place_at(here))
            return
        moved = here - self._grip
        if not self._dragged and moved.manhattanLength() < QApplication.startDragDistance():
            return
        self._dragged = True
        if self._marking:
            self.set_rectangle(self._between(self._grip, here))
            return
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        sight = self.sight
        sight.pan(-moved.y() / self.height() * sight.height, -moved.x() / self.width() * sight.width)
        self._grip = here

    def _between(self, one: QPointF, other: QPointF) -> Region:
        (top, left), (bottom, right) = self.place_at(one), self.place_at(other)
        return Region(min(top, bottom), max(top, bottom) + 1, min(left, right), max(left, right) + 1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._grip is None:
            return
        grip, self._grip = self._grip, None
        self.setCursor(Qt.CursorShape.CrossCursor)
        if self._dragged and self._marking:
            self.marked.emit(self._between(grip, event.position()))
        elif not self._dragged:
            self.chosen.emit(*self.place_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.sight.fit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    # ---- the keys

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = not event.modifiers() & ~(
                Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
            )
            if plain and (event.key() in _HELD or (event.key() == Qt.Key.Key_Escape and self.holds)):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            super().keyPressEvent(event)
        elif key in ARROWS:
            far = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            self.stepped.emit(ARROWS[key][0] * far, ARROWS[key][1] * far)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom_at_cursor(_NOTCH if key == Qt.Key.Key_Minus else 1 / _NOTCH)
        elif key == Qt.Key.Key_0:
            self.sight.fit()
        elif key == Qt.Key.Key_Home:
            self.worst_wanted.emit()
        elif key == Qt.Key.Key_Escape and self.holds:
            self.let_go.emit()
        else:
            super().keyPressEvent(event)

    def _zoom_at_cursor(self, factor: float) -> None:
        sight = self.sight
        row, column = sight.top + sight.height / 2, sight.left + sight.width / 2
        if self._over.cursor is not None:
            at = self._over.cursor[0] + 0.5, self._over.cursor[1] + 0.5
            if (
                sight.top <= at[0] <= sight.top + sight.height
                and sight.left <= at[1] <= sight.left + sight.width
            ):
                row, column = at
        sight.zoom(factor, row, column)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
