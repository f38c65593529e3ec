"""The exact numbers of a plane as a table: a cursor, a marked rectangle, and what stands in the cells."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen

from core.metrics.pictures.plane import Region
from gui.looks.contrast import mixed, readable
from gui.views.elements.plane_area import LINE, PADDING, TOP, Cell, PlaneArea

_TINT = {True: 0.5, False: 0.3}
"""Strength of the ground of the element that differs most, in dark and light schemes."""


class ValueGrid(PlaneArea):
    """The arrow keys move the cursor, with Shift they mark a rectangle."""

    cursor_moved = Signal(int, int)
    """Row and column that the user looks at."""
    marked = Signal(object)
    """The :class:`Region` that the user marked, ``None`` once there is none."""

    # ---- pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or cell is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self.current is not None:
            self._anchor = self._anchor or self.current
            self._mark_to(cell)
        else:
            self._anchor = cell
            self._leave_rectangle()
            self._anchor = cell
        self.cursor_moved.emit(*cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons() & Qt.MouseButton.LeftButton or self._anchor is None:
            return
        cell = self.cell_at(event.position(), clipped=True)
        if cell is not None and (cell != self._anchor or self.rectangle is not None):
            self._mark_to(cell)

    def _mark_to(self, cell: Cell) -> None:
        anchor = self._anchor
        assert anchor is not None
        top, bottom = sorted((anchor[0], cell[0]))
        left, right = sorted((anchor[1], cell[1]))
        region = Region(top, bottom + 1, left, right + 1)
        if region != self.rectangle:
            self.rectangle = region
            self.marked.emit(region)
            self.viewport().update()

    def _leave_rectangle(self) -> None:
        if self.rectangle is not None:
            self.mark_rectangle(None)
            self.marked.emit(None)

    def event(self, event: QEvent) -> bool:
        """Take Esc for itself as long as a rectangle is marked: windows close by that key."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.rectangle is not None
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.rectangle is not None:
            self._leave_rectangle()
            return
        wanted = self._moved(event)
        if wanted is None or not self.rows or not self.columns:
            super().keyPressEvent(event)
            return
        row, column = wanted
        cell = min(max(row, 0), self.rows - 1), min(max(column, 0), self.columns - 1)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = self._anchor or self.current or cell
            self._mark_to(cell)
        else:
            self._leave_rectangle()
        self.cursor_moved.emit(*cell)

    def _moved(self, event: QKeyEvent) -> Cell | None:
        """Return where a key leads from the cursor; ``None`` for keys that lead nowhere."""
        row, column = self.current or (self.sight.top, self.sight.left)
        key, whole = Qt.Key(event.key()), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        page = self.verticalScrollBar().pageStep()
        last_row, last_column = self.rows - 1, self.columns - 1
        return {
            Qt.Key.Key_Left: (row, 0 if whole else column - 1),
            Qt.Key.Key_Right: (row, last_column if whole else column + 1),
            Qt.Key.Key_Up: (0 if whole else row - 1, column),
            Qt.Key.Key_Down: (last_row if whole else row + 1, column),
            Qt.Key.Key_PageUp: (row - page, column),
            Qt.Key.Key_PageDown: (row + page, column),
            Qt.Key.Key_Home: (0 if whole else row, 0),
            Qt.Key.Key_End: (last_row if whole else row, last_column),
        }.get(key)

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            sight = self.sight
            area = QRect(self._left, TOP, self.viewport().width(), self.viewport().height())
            painter.setFont(self._font)
            painter.setClipRect(area)
            for row in range(sight.top, sight.bottom):
                for column in range(sight.left, sight.right):
                    self._paint_cell(painter, row, column)
            self._paint_marks(painter)
            painter.setClipping(False)
            self._paint_names(painter, sight)
            if self.hasFocus():
                painter.setPen(self._theme.colour("accent"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_cell(self, painter: QPainter, row: int, column: int) -> None:
        box = self.cell_rect(row, column)
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        found = self.words.at(self.held, row, column)
        if found is None:
            return
        ground = self._theme.colour("card")
        if found.role:
            share = _TINT[self._theme.colours.dark] * found.strength
            ground = mixed(ground, self._theme.colour(found.role), share)
            painter.fillRect(box.adjusted(0, 0, 0, -1), ground)
        inside = box.adjusted(PADDING, PADDING // 2, -PADDING, 0)
        for at, (words, role) in enumerate(found.lines):
            line = QRect(inside.left(), inside.top() + at * LINE, inside.width(), LINE)
            painter.setPen(readable(self._theme.colour(role), ground, self._theme.colour("text")))
            cut = self._metrics.elidedText(words, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, cut)

    def _paint_marks(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.rectangle is not None:
            top, bottom, left, right = self.rectangle
            box = self.cell_rect(top, left).united(self.cell_rect(bottom - 1, right - 1))
            shade = QColor(self._theme.colour("accent"))
            shade.setAlphaF(0.10)
            painter.fillRect(box, shade)
            painter.setPen(QPen(self._theme.colour("accent"), 1, Qt.PenStyle.DashLine))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        if self.current is not None:
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.drawRect(self.cell_rect(*self.current).adjusted(1, 1, -1, -1))

    def _paint_names(self, painter: QPainter, sight: Region) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        row_at, column_at = self.current or (-1, -1)
        painter.fillRect(0, 0, self.viewport().width(), TOP, self._theme.colour("card"))
        painter.fillRect(0, 0, self._left, self.viewport().height(), self._theme.colour("card"))
        for column in range(sight.left, sight.right):
            box = self.cell_rect(sight.top, column)
            painter.setPen(self._theme.colour("accent" if column == column_at else "dim"))
            painter.drawText(
                QRect(box.left(), 0, box.width() - PADDING, TOP), middle, self._column_name(column)
            )
        for row in range(sight.top, sight.bottom):
            box = self.cell_rect(row, sight.left)
            painter.setPen(self._theme.colour("accent" if row == row_at else "dim"))
            painter.drawText(
                QRect(0, box.top(), self._left - PADDING, box.height()), middle, self._row_name(row)
            )
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(0, TOP - 1, self.viewport().width(), TOP - 1)
        painter.drawLine(self._left - 1, 0, self._left - 1, self.viewport().height())
