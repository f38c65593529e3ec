"""Rank × step as squares: one colour and one shape for each state, names at two sides, scrolling."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from core.messages import text
from core.records.overflow import OverflowReport
from core.records.run import CellKey
from gui.models.overflow_matrix import CellState, Matrix, cell_tip
from gui.theme import Theme
from gui.widgets.birth_mark import level_colour, paint_birth

_SMALLEST, _LARGEST = 18, 30
_TOP = 24
"""Pixels of the line of step numbers."""


class MatrixCanvas(QAbstractScrollArea):
    """The squares; only those in sight are drawn."""

    chosen = Signal(object)
    """The :class:`CellKey` that was clicked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.matrix = Matrix()
        self._report: OverflowReport | None = None
        self.marked: CellKey | None = None
        """Drawn with a frame."""
        self._cursor = (0, 0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setMinimumSize(90, 70)

    def show_matrix(self, matrix: Matrix, report: OverflowReport | None) -> None:
        """Show another matrix."""
        self.matrix, self._report = matrix, report
        self._cursor = (0, 0)
        self._set_bars()
        self.viewport().update()

    def mark(self, key: CellKey | None) -> None:
        """Frame *key*, and bring it into sight."""
        self.marked = key
        place = self.matrix.place(key) if key is not None else None
        if place is not None:
            self._cursor = place
            self._bring(*place)
        self._describe()
        self.viewport().update()

    # ---- geometry

    @property
    def _left(self) -> int:
        longest = max((len(str(rank)) for rank in self.matrix.ranks), default=1)
        return max(self.fontMetrics().horizontalAdvance("0" * longest) + 18, 26)

    @property
    def side(self) -> int:
        """Width and height of a square with its gap."""
        rows, columns = len(self.matrix.ranks), len(self.matrix.steps)
        if not rows or not columns:
            return _LARGEST
        wide = (self.width() - self._left - 12) // columns
        tall = (self.height() - _TOP - 12) // rows
        return max(min(wide, tall, _LARGEST), _SMALLEST)

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
        inside = row < len(self.matrix.ranks) and column < len(self.matrix.steps)
        return (row, column) if inside else None

    def wanted_width(self) -> int:
        """Return the width at which all steps are seen at once."""
        return self._left + len(self.matrix.steps) * _LARGEST + 24

    def sizeHint(self) -> QSize:
        return QSize(self.wanted_width(), _TOP + len(self.matrix.ranks) * _LARGEST + 12)

    def _set_bars(self) -> None:
        side, view = self.side, self.viewport().size()
        wide = self._left + len(self.matrix.steps) * side + 4
        tall = _TOP + len(self.matrix.ranks) * side + 4
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
        rows = range(first_row, min(first_row + view.height() // side + 2, len(self.matrix.ranks)))
        columns = range(first_column, min(first_column + view.width() // side + 2, len(self.matrix.steps)))
        painter.setClipRect(view.adjusted(self._left, _TOP, 0, 0))
        for row in rows:
            for column in columns:
                self._paint_cell(painter, row, column)
        painter.setClipping(False)
        self._paint_names(painter, rows, columns)
        painter.end()

    def _paint_cell(self, painter: QPainter, row: int, column: int) -> None:
        colours, state = self._theme.colours, CellState(int(self.matrix.state[row, column]))
        box = QRectF(self.cell_rect(row, column)).adjusted(1.5, 1.5, -1.5, -1.5)
        at = int(self.matrix.birth[row, column])
        birth = self._report.origins[at] if self._report is not None and at >= 0 else None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, fill = QPen(QColor(colours.line), 1), QBrush(QColor(colours.card))
        if state is CellState.NOT_DUMPED:
            fill = QBrush(QColor(colours.line), Qt.BrushStyle.BDiagPattern)
        elif birth is not None:
            ground = level_colour(birth.level, colours)
            line = QPen(ground, 1)
            ground.setAlphaF(0.22 if state is CellState.EARLIEST else 0.10)
            fill = QBrush(ground)
        elif state is CellState.BAD:
            ground = QColor(colours.inherited)
            ground.setAlphaF(0.14)
            fill = QBrush(ground)
        painter.setPen(line)
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        centre, size = box.center(), min(box.width() * 0.5, 11.0)
        if birth is not None:
            smaller = 1.0 if state is CellState.EARLIEST else 0.75
            paint_birth(painter, centre, birth.kind, level_colour(birth.level, colours), size * smaller)
        else:
            self._paint_state(painter, centre, state, size)
        key = self.matrix.key(row, column)
        current = self.hasFocus() and (row, column) == self._cursor
        if key == self.marked or current:
            painter.setPen(QPen(QColor(colours.accent if current else colours.text), 1.6))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 4, 4)

    def _paint_state(self, painter: QPainter, centre: QPointF, state: CellState, size: float) -> None:
        colours, half = self._theme.colours, size / 2
        x, y = centre.x(), centre.y()
        painter.setPen(Qt.PenStyle.NoPen)
        if state is CellState.BAD:
            painter.setBrush(QColor(colours.inherited))
            painter.drawRoundedRect(QRectF(x - half * 0.6, y - half * 0.6, half * 1.2, half * 1.2), 1.5, 1.5)
        elif state is CellState.EXPECTED:
            painter.setPen(QPen(QColor(colours.not_compared), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, half * 0.55, half * 0.55)
        elif state is CellState.UNDECIDED:
            painter.setBrush(QColor(colours.not_compared))
            painter.drawRoundedRect(QRectF(x - half * 0.6, y - 1, half * 1.2, 2), 1, 1)

    def _paint_names(self, painter: QPainter, rows: range, columns: range) -> None:
        colours, metrics = self._theme.colours, self.fontMetrics()
        painter.setFont(self.font())
        painter.setPen(QColor(colours.dim))
        side, gap = self.side, 6
        for row in rows:
            box = self.cell_rect(row, 0)
            if box.top() >= _TOP - side // 2:
                room = QRect(0, box.top(), self._left - gap, side)
                flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(room, flags, str(self.matrix.ranks[row]))
        last = -1
        for column in columns:
            box = self.cell_rect(0, column)
            phase, step = self.matrix.steps[column]
            words = str(step) if not phase else f"{phase} {step}"
            width = metrics.horizontalAdvance(words)
            left = box.center().x() - width // 2
            if left > last + 4 and box.left() >= self._left - side // 2:
                painter.drawText(QRect(left, 0, width + 2, _TOP - 2), Qt.AlignmentFlag.AlignVCenter, words)
                last = left + width

    # ---- pointer and keys

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._report is not None:
            place = self.cell_at(QPointF(event.pos()))
            if place is None:
                QToolTip.hideText()
            else:
                tip = cell_tip(self.matrix, self._report, *place)
                QToolTip.showText(event.globalPos(), tip, self.viewport(), self.cell_rect(*place))
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.cell_at(event.position())
        dumped = place is not None and self.matrix.state[place] != CellState.NOT_DUMPED
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if dumped else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.cell_at(event.position())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._cursor = place
            self._choose()

    def _choose(self) -> None:
        if self.matrix.state.size and self.matrix.state[self._cursor] != CellState.NOT_DUMPED:
            self.chosen.emit(self.matrix.key(*self._cursor))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        key = Qt.Key(event.key())
        if key in moves and self.matrix.state.size:
            row = min(max(self._cursor[0] + moves[key][0], 0), len(self.matrix.ranks) - 1)
            column = min(max(self._cursor[1] + moves[key][1], 0), len(self.matrix.steps) - 1)
            self._cursor = (row, column)
            self._bring(row, column)
            self._describe()
            self.viewport().update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose()
        else:
            super().keyPressEvent(event)

    def _describe(self) -> None:
        """Tell assistive software where the cursor is."""
        report, known = self._report, self.matrix.state.size > 0
        told = cell_tip(self.matrix, report, *self._cursor) if report is not None and known else ""
        self.setAccessibleDescription(told)

    def retranslate(self) -> None:
        """Set the words that are read aloud."""
        self.setAccessibleName(text("gui.overflow.matrix"))
        self._describe()
