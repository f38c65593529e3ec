"""Rank × step as squares: names at two sides, scrolling, a cursor; what a square looks like is for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from core.messages import text
from core.records.run import CellKey
from gui.looks.theme import Theme
from gui.widgets.arrow_keys import ARROWS

_TOP = 24
"""Pixels of the line of step numbers."""
_LEAST_LEFT = 26


class CellGrid(Protocol):
    """One row a rank, one column a step."""

    @property
    def ranks(self) -> Sequence[int]: ...
    @property
    def steps(self) -> Sequence[tuple[str, int]]:
        """Phase and step."""

    def key(self, row: int, column: int) -> CellKey: ...
    def place(self, key: CellKey) -> tuple[int, int] | None: ...


class CellCanvas(QAbstractScrollArea):
    """Draws those squares of :attr:`grid` that are in sight."""

    chosen = Signal(object)
    """The :class:`CellKey` that was clicked."""
    smallest, largest = 18, 30
    """Pixels of a square with its gap."""

    def __init__(self, theme: Theme, grid: CellGrid) -> None:
        super().__init__()
        self._theme = theme
        self.grid = grid
        self.marked: CellKey | None = None
        """Drawn with a frame."""
        self._cursor = (0, 0)
        self._left = _LEAST_LEFT
        """Pixels of the names of ranks."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setMinimumSize(90, 70)

    # ---- what differs

    def _paint_squares(self, painter: QPainter, rows: range, columns: range) -> None:
        """Draw the squares of *rows* and *columns*."""
        raise NotImplementedError

    def _can_choose(self, _row: int, _column: int) -> bool:
        """Whether there is anything to go to."""
        return True

    def tip(self, _row: int, _column: int) -> str:
        """Return what is said of one cell."""
        raise NotImplementedError

    # ---- content

    def show_grid(self, grid: CellGrid) -> None:
        """Show other cells."""
        self.grid = grid
        self._cursor = (0, 0)
        self._set_bars()
        self.viewport().update()

    @property
    def empty(self) -> bool:
        """Whether there is no cell."""
        return not self.grid.ranks or not self.grid.steps

    def mark(self, key: CellKey | None) -> None:
        """Frame *key*, and bring it into sight."""
        self.marked = key
        place = self.grid.place(key) if key is not None else None
        if place is not None:
            self._cursor = place
            self._bring(*place)
        self._describe()
        self.viewport().update()

    # ---- geometry

    @property
    def side(self) -> int:
        """Width and height of a square with its gap."""
        rows, columns = len(self.grid.ranks), len(self.grid.steps)
        if not rows or not columns:
            return self.largest
        wide = (self.width() - self._left - 12) // columns
        tall = (self.height() - _TOP - 12) // rows
        return max(min(wide, tall, self.largest), self.smallest)

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return where a square is in the viewport."""
        side = self.side
        x = self._left + column * side - self.horizontalScrollBar().value()
        y = _TOP + row * side - self.verticalScrollBar().value()
        return QRect(x, y, side, side)

    def cell_at(self, where: QPointF) -> tuple[int, int] | None:
        """Return the square under a point of the viewport."""
        if where.x() < self._left or where.y() < _TOP:
            return None
        column = int((where.x() - self._left + self.horizontalScrollBar().value()) // self.side)
        row = int((where.y() - _TOP + self.verticalScrollBar().value()) // self.side)
        inside = row < len(self.grid.ranks) and column < len(self.grid.steps)
        return (row, column) if inside else None

    def wanted_width(self) -> int:
        """Return the width at which all steps are seen at once."""
        return self._left + len(self.grid.steps) * self.largest + 24

    def sizeHint(self) -> QSize:
        return QSize(self.wanted_width(), _TOP + len(self.grid.ranks) * self.largest + 12)

    def _set_bars(self) -> None:
        longest = max((len(str(rank)) for rank in self.grid.ranks), default=1)
        names = text("gui.top.rank", value="0" * longest), text("gui.top.step_name")
        self._left = max(*map(self.fontMetrics().horizontalAdvance, names), _LEAST_LEFT) + 18
        side, view = self.side, self.viewport().size()
        wide = self._left + len(self.grid.steps) * side + 4
        tall = _TOP + len(self.grid.ranks) * side + 4
        for bar, length, room in (
            (self.horizontalScrollBar(), wide, view.width()),
            (self.verticalScrollBar(), tall, view.height()),
        ):
            bar.setRange(0, max(length - room, 0))
            bar.setPageStep(room)
            bar.setSingleStep(side)

    def _bring(self, row: int, column: int) -> None:
        side, view = self.side, self.viewport().size()
        for bar, at, start, room in (
            (self.horizontalScrollBar(), column, self._left, view.width()),
            (self.verticalScrollBar(), row, _TOP, view.height()),
        ):
            begin, shown = at * side, room - start
            if begin < bar.value():
                bar.setValue(begin)
            elif begin + side > bar.value() + shown:
                bar.setValue(begin + side - shown)

    def resizeEvent(self, _event: object) -> None:
        self._set_bars()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        view, side = self.viewport().rect(), self.side
        first_row = self.verticalScrollBar().value() // side
        first_column = self.horizontalScrollBar().value() // side
        rows = range(first_row, min(first_row + view.height() // side + 2, len(self.grid.ranks)))
        columns = range(first_column, min(first_column + view.width() // side + 2, len(self.grid.steps)))
        painter.setClipRect(view.adjusted(self._left, _TOP, 0, 0))
        self._paint_squares(painter, rows, columns)
        self._paint_frames(painter)
        painter.setClipping(False)
        self._paint_names(painter, rows, columns)
        painter.end()

    def _paint_frames(self, painter: QPainter) -> None:
        """Frame the cell that is marked, and the one under the cursor of the keys."""
        place = self.grid.place(self.marked) if self.marked is not None else None
        colours, framed = self._theme.colours, {}
        if place is not None:
            framed[place] = colours.text
        if self.hasFocus() and not self.empty:
            framed[self._cursor] = colours.accent
        inset = 1.5 if self.side >= 12 else -0.5
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for at, colour in framed.items():
            painter.setPen(QPen(QColor(colour), 1.6))
            box = QRectF(self.cell_rect(*at)).adjusted(inset, inset, -inset, -inset)
            painter.drawRoundedRect(box, min(4, self.side / 4), min(4, self.side / 4))

    def _paint_names(self, painter: QPainter, rows: range, columns: range) -> None:
        colours, metrics = self._theme.colours, self.fontMetrics()
        painter.setFont(self.font())
        painter.setPen(QColor(colours.dim))
        side, gap, below = self.side, 6, -1
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        high = min(max(side, metrics.height()), _TOP)
        for row in rows:
            box = self.cell_rect(row, 0)
            top = box.center().y() - high // 2
            if box.top() >= _TOP - side // 2 and top >= below:
                name = text("gui.top.rank", value=self.grid.ranks[row])
                painter.drawText(QRect(0, top, self._left - gap, high), flags, name)
                below = top + high - 2
        if not self.empty:
            painter.drawText(QRect(0, 0, self._left - gap, _TOP - 2), flags, text("gui.top.step_name"))
        last = -1
        for column in columns:
            box = self.cell_rect(0, column)
            phase, step = self.grid.steps[column]
            words = str(step) if not phase else f"{phase} {step}"
            width = metrics.horizontalAdvance(words)
            left = box.center().x() - width // 2
            if left > last + 4 and box.left() >= self._left - side // 2:
                painter.drawText(QRect(left, 0, width + 2, _TOP - 2), Qt.AlignmentFlag.AlignVCenter, words)
                last = left + width

    # ---- pointer and keys

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and not self.empty:
            place = self.cell_at(QPointF(event.pos()))
            if place is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(
                    event.globalPos(), self.tip(*place), self.viewport(), self.cell_rect(*place)
                )
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.cell_at(event.position())
        there = place is not None and self._can_choose(*place)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if there else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.cell_at(event.position())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._cursor = place
            self._choose(event.modifiers())

    def _choose(self, _modifiers: Qt.KeyboardModifier) -> None:
        """Go to the cell under the cursor."""
        if not self.empty and self._can_choose(*self._cursor):
            self.chosen.emit(self.grid.key(*self._cursor))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in ARROWS and not self.empty:
            row = min(max(self._cursor[0] + ARROWS[key][0], 0), len(self.grid.ranks) - 1)
            column = min(max(self._cursor[1] + ARROWS[key][1], 0), len(self.grid.steps) - 1)
            self._cursor = (row, column)
            self._bring(row, column)
            self._describe()
            self.viewport().update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(event.modifiers())
        else:
            super().keyPressEvent(event)

    def _describe(self) -> None:
        """Tell assistive software where the cursor is."""
        self.setAccessibleDescription("" if self.empty else self.tip(*self._cursor))
