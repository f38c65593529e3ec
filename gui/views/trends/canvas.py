"""The heat map as a widget: zoom and pan along layers and places, point, choose, walk from cell to cell."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QWheelEvent

from gui.looks.theme import Theme
from gui.models.trends.words import telling_parts
from gui.trends.drawing import Drawing
from gui.trends.planes import PlaneFacts
from gui.views.trends.painter import (
    names_width,
    paint_bad_marks,
    paint_cell_mark,
    paint_cells,
    paint_cross,
    paint_lines,
    paint_names,
    paint_places,
)
from gui.views.trends.scene import MARKS, MapScene, layer_of
from gui.widgets.arrow_keys import ARROWS
from gui.widgets.axis_canvas import AxisCanvas
from gui.widgets.lane_axis import LaneAxis

_TOP, _RIGHT, _BOTTOM = MARKS + 4, 16, 24
_LEAST_GUTTER, _MOST_GUTTER, _GUTTER_SHARE = 74, 260, 0.3
_BLOCK = 1.5
"""Points that a block of cells is wide and high at least."""
_PAUSE = 15
"""Milliseconds after which a picture of what came into sight is asked for."""
Cell = tuple[int, int]


class MapCanvas(AxisCanvas):
    """Draws a :class:`MapScene`; the still part is kept, so that the cursor moves over it at once."""

    pointed = Signal(int, int)
    """Row and column under the pointer; -1 for none."""
    layer_pointed = Signal(int)
    """Row of the name under the pointer; -1 for none."""
    chosen = Signal(int, int)
    first_wanted = Signal()
    turned = Signal(bool)
    """The next bad cell is wanted, or the one before."""
    view_changed = Signal()
    """Other columns are in sight, or they lie elsewhere."""
    part_wanted = Signal()
    """What is in sight is to be drawn in more detail."""
    pixels_changed = Signal(int, int)
    """Blocks that there is room for: rows, columns."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.rows = LaneAxis()
        self.scene = MapScene(self.axis, self.rows)
        self.marked: Cell | None = None
        self.cross: Cell | None = None
        self.note = ""
        """Written in place of the cells."""
        self.gutter = 0
        """Pixels at the left of the cells."""
        self._names = theme.fixed_font(11)
        self._still: QPixmap | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self.part_wanted)
        self.setMinimumSize(260, 110)
        theme.changed.connect(self._recolour)

    # ---- content

    def show_plane(self, facts: PlaneFacts | None, drawing: Drawing | None, keep: bool) -> None:
        """Draw a grid; with *keep* what is in sight stays."""
        scene = self.scene
        if facts is None or scene.facts is None or facts.layers != scene.facts.layers:
            scene.names = telling_parts(facts.layers) if facts is not None else ()
        scene.facts, scene.part = facts, None
        scene.overview = layer_of(drawing, facts, self._theme.colours)
        rows, columns = scene.size
        same = keep and (self.rows.calls, self.axis.calls) == (max(rows, 1), max(columns, 1))
        if not same:
            self.rows.set_calls(rows)
            self.axis.set_calls(columns)
        self._measure()
        if same:
            self._look_closer()

    def show_part(self, drawing: Drawing | None) -> None:
        """Draw part of the grid over the overview."""
        self.scene.part = layer_of(drawing, self.scene.facts, self._theme.colours)
        self._redraw()

    def _recolour(self) -> None:
        scene, colours = self.scene, self._theme.colours
        for name in ("overview", "part"):
            layer = getattr(scene, name)
            setattr(scene, name, layer_of(layer.drawing if layer else None, scene.facts, colours))
        self._redraw()

    def say(self, note: str) -> None:
        """Write *note* in place of the cells where there are none."""
        self.note = note
        self.update()

    def mark(self, cell: Cell | None) -> None:
        """Frame a cell and bring it into sight."""
        self.marked = cell
        if cell is not None:
            before = self.rows.left, self.axis.left
            self.rows.bring(cell[0])
            self.axis.bring(cell[1])
            if before != (self.rows.left, self.axis.left):
                self._move()
        self._redraw()

    def _redraw(self) -> None:
        self._still = None
        self.update()

    def _move(self) -> None:
        """Something else is in sight."""
        self._redraw()
        self.view_changed.emit()
        self._look_closer()

    def columns_moved(self) -> None:
        """Follow columns in sight that were moved from without."""
        self._move()

    def _look_closer(self) -> None:
        overview = self.scene.overview
        if overview is not None and not overview.drawing.exact and self.zoomed and not self._timer.isActive():
            self._timer.start()

    @property
    def zoomed(self) -> bool:
        """Whether not all cells are seen."""
        return self.axis.zoomed or self.rows.zoomed

    def fit(self) -> None:
        self.rows.fit()
        self.axis.fit()
        self._move()

    # ---- layout

    def _measure(self) -> None:
        most = min(_MOST_GUTTER, round(self.width() * _GUTTER_SHARE))
        self.gutter = max(names_width(self.scene, self._names, most), _LEAST_GUTTER) + MARKS + 4
        self.scene.box = self._box_within(self.gutter, _TOP, _RIGHT, _BOTTOM)
        self.rows.pixels = max(round(self.scene.box.height()), 1)
        self._redraw()
        self.view_changed.emit()
        self.pixels_changed.emit(*self.blocks)

    @property
    def blocks(self) -> tuple[int, int]:
        """Rows and columns of blocks that there is room for."""
        box = self.scene.box
        return max(round(box.height() / _BLOCK), 1), max(round(box.width() / _BLOCK), 1)

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
        if self.cross is not None:
            paint_cross(painter, self.scene, *self.cross, colours)
        if self.marked is not None:
            painter.setClipRect(self.scene.box.adjusted(-5, -5, 5, 5))
            paint_cell_mark(painter, self.scene, *self.marked, colours)
            painter.setClipping(False)
        if self.note and not all(self.scene.size):
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(
                QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.note
            )
        self._paint_focus(painter)
        painter.end()

    def paint_still(self, painter: QPainter, ratio: float) -> None:
        """Draw everything but the marks of the pointer and of the cell."""
        scene, colours = self.scene, self._theme.colours
        if not all(scene.size):
            return
        paint_cells(painter, scene, colours, ratio)
        paint_lines(painter, scene, colours)
        paint_bad_marks(painter, scene, colours)
        paint_places(painter, scene, colours)
        paint_names(painter, scene, self._names, colours, self.marked[0] if self.marked else -1)
        painter.setFont(self.font())

    # ---- pointer

    def cell_at(self, where: QPointF) -> Cell | None:
        """Return row and column at a point of the widget; ``None`` beside the cells."""
        row, column = self.scene.row_at(where.y()), self.scene.column_at(where.x())
        return (row, column) if row >= 0 and column >= 0 else None

    def _point(self, where: QPointF | None) -> bool:
        cell = self.cell_at(where) if where is not None else None
        if cell != self.cross:
            self.cross = cell
            self.pointed.emit(*(cell if cell is not None else (-1, -1)))
            self.update()
        beside = where is not None and where.x() < self.scene.box.left()
        self.layer_pointed.emit(self.scene.row_at(where.y()) if beside and where is not None else -1)
        return cell is not None

    def _choose(self, where: QPointF) -> None:
        cell = self.cell_at(where)
        if cell is not None:
            self.chosen.emit(*cell)
        elif where.x() < self.scene.box.left() and self.scene.row_at(where.y()) >= 0:
            self.chosen.emit(self.scene.row_at(where.y()), self.marked[1] if self.marked else 0)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pressed, before = self._pressed, self.axis.left
        super().mouseMoveEvent(event)
        if pressed is not None and self._dragging:
            self.rows.pan(pressed.y() - event.position().y())
            self._pressed = event.position()
            self._move()
        elif before != self.axis.left:
            self._move()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom along both axes; with shift, or left of the cells, along one alone."""
        turned, aside = event.angleDelta().y(), event.angleDelta().x()
        keys, where = event.modifiers(), event.position()
        shift = bool(keys & Qt.KeyboardModifier.ShiftModifier)
        layers = bool(keys & Qt.KeyboardModifier.ControlModifier) or where.x() < self.scene.box.left()
        if aside and abs(aside) > abs(turned) and not shift:
            self.axis.pan(-aside / 2)
        else:
            factor = 0.8 ** ((turned or aside) / 120)
            if not layers:
                self.axis.zoom(factor, where.x() - self.scene.box.left())
            if layers or not shift:
                self.rows.zoom(factor, where.y() - self.scene.box.top())
        self._move()
        self._point(where)
        event.accept()

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, keys = event.key(), event.modifiers()
        if key in ARROWS:
            self._walk(*ARROWS[Qt.Key(key)], 10 if keys & Qt.KeyboardModifier.ControlModifier else 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.first_wanted.emit()
        elif key == Qt.Key.Key_N:
            self.turned.emit(not keys & Qt.KeyboardModifier.ShiftModifier)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            factor = 1.25 if key == Qt.Key.Key_Minus else 0.8
            for axis, at in zip((self.rows, self.axis), self.marked or (-1, -1)):
                middle = axis.x(at + 0.5) if axis.left <= at < axis.right else axis.pixels / 2
                axis.zoom(factor, middle)
            self._move()
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, across: int, times: int) -> None:
        rows, columns = self.scene.size
        if not rows or not columns:
            return
        if self.marked is None:
            self.chosen.emit(*(self.cross or (0, 0)))
            return
        row = min(max(self.marked[0] + down * times, 0), rows - 1)
        self.chosen.emit(row, min(max(self.marked[1] + across * times, 0), columns - 1))
