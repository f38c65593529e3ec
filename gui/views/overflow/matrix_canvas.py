"""Rank × step of births: one colour and one shape for each state."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from core.messages import text
from core.records.overflow import OverflowReport
from gui.looks.theme import Theme
from gui.models.overflow.matrix import CellState, Matrix, cell_tip
from gui.widgets.birth_mark import level_colour, paint_birth
from gui.widgets.cell_canvas import CellCanvas


class MatrixCanvas(CellCanvas):
    """The squares of an overflow report."""

    def __init__(self, theme: Theme) -> None:
        self.matrix = Matrix()
        self._report: OverflowReport | None = None
        super().__init__(theme, self.matrix)

    def show_matrix(self, matrix: Matrix, report: OverflowReport | None) -> None:
        """Show another matrix."""
        self.matrix, self._report = matrix, report
        self.show_grid(matrix)

    def tip(self, row: int, column: int) -> str:
        """Return what is said of one cell."""
        return cell_tip(self.matrix, self._report, row, column) if self._report is not None else ""

    def _can_choose(self, row: int, column: int) -> bool:
        return int(self.matrix.state[row, column]) != CellState.NOT_DUMPED

    def _paint_squares(self, painter: QPainter, rows: range, columns: range) -> None:
        for row in rows:
            for column in columns:
                self._paint_cell(painter, row, column)

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

    def retranslate(self) -> None:
        """Set the words that are read aloud."""
        self.setAccessibleName(text("gui.overflow.matrix"))
        self._describe()
