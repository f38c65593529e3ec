"""Target over golden: how many elements lie where; what is equal lies on the diagonal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pyqtgraph import colormap
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.messages import text
from core.records.columns import Float64
from gui.looks.theme import Theme
from gui.models.tensors.ticks import Tick, decade_ticks, even_ticks, place_of_value

_LEFT, _TOP, _RIGHT, _BOTTOM = 46, 8, 10, 30
_FONT = 10
_LOWEST = {True: 0.30, False: 0.12}
"""Part of the map of colours that a single element has, apart from the ground of dark and light schemes."""


class ScatterCanvas(QWidget):
    """A picture of counts; arrow keys go from cell to cell, Enter chooses one."""

    pointed = Signal(int, int)
    """Column and row, of golden and target; −1 once there is none."""
    chosen = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._density: NDArray[np.uint32] = np.zeros((0, 0), np.uint32)
        self._x_edges = self._y_edges = np.zeros(0)
        self._even = True
        self._image: QImage | None = None
        self.cell = (-1, -1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumHeight(96)
        theme.changed.connect(self._restyle)

    def show_density(
        self, density: NDArray[np.uint32], x_edges: Float64, y_edges: Float64, even: bool
    ) -> None:
        """Show counts, rows by target and columns by golden, between edges of values."""
        self._density, self._x_edges, self._y_edges, self._even = density, x_edges, y_edges, even
        self._set_cell((-1, -1))
        self._restyle()

    def sizeHint(self) -> QSize:
        return QSize(300, 220)

    @property
    def box(self) -> QRectF:
        """Where the picture is drawn."""
        return QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)

    def cell_rect(self, column: int, row: int) -> QRectF:
        """Return where a cell is; row 0 lies at the bottom."""
        box = self.box
        rows, columns = self._density.shape
        wide, tall = box.width() / max(columns, 1), box.height() / max(rows, 1)
        return QRectF(box.left() + column * wide, box.bottom() - (row + 1) * tall, wide, tall)

    # ---- pointing

    def _cell_at(self, where: QPointF) -> tuple[int, int]:
        box = self.box
        rows, columns = self._density.shape
        if not rows or not box.contains(where):
            return (-1, -1)
        column = int((where.x() - box.left()) / box.width() * columns)
        row = int((box.bottom() - where.y()) / box.height() * rows)
        return min(column, columns - 1), min(max(row, 0), rows - 1)

    def _set_cell(self, cell: tuple[int, int]) -> None:
        if cell != self.cell:
            self.cell = cell
            self.pointed.emit(*cell)
            self.update()

    def _nearest(self, cell: tuple[int, int], reach: int = 2) -> tuple[int, int]:
        """Return the fullest cell next to *cell*: single ones are hard to hit."""
        column, row = cell
        if column < 0 or self._density[row, column]:
            return cell
        top, left = max(row - reach, 0), max(column - reach, 0)
        near = self._density[top : row + reach + 1, left : column + reach + 1]
        if not near.any():
            return cell
        down, right = np.unravel_index(int(near.argmax()), near.shape)
        return left + int(right), top + int(down)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._set_cell(self._nearest(self._cell_at(event.position())))
        column, row = self.cell
        filled = column >= 0 and bool(self._density[row, column])
        self.setCursor(Qt.CursorShape.PointingHandCursor if filled else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, _event: object) -> None:
        self._set_cell((-1, -1))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._nearest(self._cell_at(event.position())))

    def _choose(self, cell: tuple[int, int]) -> None:
        column, row = cell
        if column >= 0 and self._density[row, column]:
            self.chosen.emit(column, row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1),
        }  # fmt: skip
        step = steps.get(Qt.Key(event.key()))
        rows, columns = self._density.shape
        if step is not None and rows:
            column, row = self.cell if self.cell[0] >= 0 else (columns // 2, rows // 2)
            self._set_cell((min(max(column + step[0], 0), columns - 1), min(max(row + step[1], 0), rows - 1)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.cell)
        else:
            super().keyPressEvent(event)

    # ---- drawing

    def _restyle(self) -> None:
        self._image = self._painted() if self._density.size else None
        self.update()

    def _painted(self) -> QImage:
        table = colormap.get("viridis").getLookupTable(nPts=256)[:, :3].astype(np.uint8)
        dark = self._theme.colours.dark
        most = math.log1p(float(self._density.max())) or 1.0
        share = np.log1p(self._density.astype(float)) / most
        low = _LOWEST[dark]
        strength = low + (1 - low) * share
        levels = np.clip(strength if dark else 1 - strength, 0, 1)
        pixels = np.zeros((*self._density.shape, 4), np.uint8)
        pixels[..., :3] = table[np.rint(levels * 255).astype(int)]
        pixels[..., 3] = np.where(self._density > 0, 255, 0)
        pixels = np.ascontiguousarray(pixels[::-1])
        height, width = self._density.shape
        return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()

    def _axis(self, edges: Float64, most: int) -> list[Tick]:
        return (even_ticks if self._even else decade_ticks)(edges, 0, len(edges) - 1, most)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = QFont(self.font())
        font.setPixelSize(_FONT)
        painter.setFont(font)
        box = self.box
        if self.hasFocus():
            painter.setPen(self._theme.colour("accent"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        if self._image is not None:
            self._paint_axes(painter, box)
            self._paint_diagonal(painter, box)
            self._paint_image(painter, box)
        painter.setPen(self._theme.colour("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        if self.cell[0] >= 0:
            painter.setPen(QPen(self._theme.colour("text"), 1))
            painter.drawRect(self.cell_rect(*self.cell).adjusted(-1.5, -1.5, 1.5, 1.5))
        painter.end()

    def _paint_image(self, painter: QPainter, box: QRectF) -> None:
        """Draw each filled cell at least a pixel wide, so that a single element is never lost."""
        assert self._image is not None
        rows, columns = self._density.shape
        if box.width() >= columns and box.height() >= rows:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            painter.drawImage(box, self._image)
            return
        for row, column in np.argwhere(self._density > 0).tolist():
            cell = self.cell_rect(column, row)
            colour = self._image.pixelColor(column, rows - 1 - row)
            painter.fillRect(
                QRectF(cell.left(), cell.top(), max(cell.width(), 1), max(cell.height(), 1)), colour
            )

    def _paint_diagonal(self, painter: QPainter, box: QRectF) -> None:
        """Draw where both values are equal: a line on shared bins, else a curve."""
        low = max(self._x_edges[0], self._y_edges[0])
        high = min(self._x_edges[-1], self._y_edges[-1])
        if not low < high:
            return
        within = self._x_edges[(self._x_edges > low) & (self._x_edges < high)]
        wide = box.width() / (len(self._x_edges) - 1)
        tall = box.height() / (len(self._y_edges) - 1)
        points = [
            QPointF(
                box.left() + place_of_value(self._x_edges, value) * wide,
                box.bottom() - place_of_value(self._y_edges, value) * tall,
            )
            for value in (low, *within[:: max(len(within) // 32, 1)].tolist(), high)
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("not_compared"), 1, Qt.PenStyle.DashLine))
        painter.drawPolyline(points)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_axes(self, painter: QPainter, box: QRectF) -> None:
        metrics, end = painter.fontMetrics(), -1e9
        painter.setPen(self._theme.colour("dim"))
        wide = box.width() / (len(self._x_edges) - 1)
        for tick in self._axis(self._x_edges, max(int(box.width() // 70), 2)):
            x = box.left() + tick.place * wide
            width = metrics.horizontalAdvance(tick.words)
            left = min(max(x - width / 2, 0.0), self.width() - width)
            if left > end + 6:
                painter.drawText(QPointF(left, box.bottom() + 13), tick.words)
                end = left + width
        tall, above = box.height() / (len(self._y_edges) - 1), 1e9
        for tick in self._axis(self._y_edges, max(int(box.height() // 40), 2)):
            y = box.bottom() - tick.place * tall
            if above - y >= _FONT + 2:
                place = QRectF(0, min(max(y - 8, -3), self.height() - 16), _LEFT - 5, 16)
                painter.drawText(
                    place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tick.words
                )
                above = y
        under = QRectF(box.left(), box.bottom() + 15, box.width(), 14)
        painter.drawText(under, Qt.AlignmentFlag.AlignCenter, text("gui.scatter.axes"))
