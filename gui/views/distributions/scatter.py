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
from gui.models.tensors.ticks import Tick, decade_ticks, even_ticks, place_of_value, short_count
from gui.views.distributions.bins import LEAST_HEIGHT

_LEFT, _TOP, _RIGHT, _BOTTOM = 46, 8, 10, 30
_FONT = 10
_LEAST_CELL, _MOST_CELL = 3, 12
"""Pixels that a cell is drawn with: a single element is never lost, a single value is a point."""
_FEW, _LEAST_OF_FEW = 40, 7
"""So many cells do not hide each other where they are drawn larger."""
_KEY = 36
"""Pixels of the key of colours."""
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
        self.setMinimumHeight(LEAST_HEIGHT)
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
        self._image = None
        self.update()

    def _colours(self) -> NDArray[np.uint8]:
        """Return the colours from a single element to the fullest cell."""
        table = colormap.get("viridis").getLookupTable(nPts=256)[:, :3].astype(np.uint8)
        dark = self._theme.colours.dark
        low = round(_LOWEST[dark] * 255)
        return table[low:] if dark else table[255 - low :: -1]

    def image(self) -> QImage:
        """Return the cells as they are drawn in the box, each of them some pixels large."""
        size = self.box.size().toSize()
        if self._image is None or self._image.size() != size:
            self._image = self._painted(max(size.width(), 1), max(size.height(), 1))
        return self._image

    def _painted(self, wide: int, tall: int) -> QImage:
        rows, columns = self._density.shape
        row, column = np.nonzero(self._density)
        steps = self._colours()
        most = math.log1p(float(self._density.max()))
        share = np.log1p(self._density[row, column].astype(float)) / most
        first = math.log1p(1.0) / most
        share = (share - first) / (1 - first) if first < 1 else np.ones(len(share))
        level = np.rint(share * (len(steps) - 1)).astype(np.int64)
        least = _LEAST_OF_FEW if len(row) <= _FEW else _LEAST_CELL
        across, left = _drawn(column, wide, columns, least)
        down, bottom = _drawn(row, tall, rows, least)
        screen = np.full((tall, wide), -1, np.int64)
        for y in range(down):
            for x in range(across):
                at = tall - 1 - np.minimum(bottom + y, tall - 1), np.minimum(left + x, wide - 1)
                np.maximum.at(screen, at, level)
        pixels = np.zeros((tall, wide, 4), np.uint8)
        pixels[..., :3] = steps[np.maximum(screen, 0)]
        pixels[..., 3] = np.where(screen >= 0, 255, 0)
        return QImage(pixels.data, wide, tall, 4 * wide, QImage.Format.Format_RGBA8888).copy()

    def _axis(self, edges: Float64, most: int) -> list[Tick]:
        return (even_ticks if self._even else decade_ticks)(edges, 0, len(edges) - 1, most)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            font = QFont(self.font())
            font.setPixelSize(_FONT)
            painter.setFont(font)
            box = self.box
            if self.hasFocus():
                painter.setPen(self._theme.colour("accent"))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
            if self._density.any():
                self._paint_axes(painter, box)
                self._paint_diagonal(painter, box)
                painter.drawImage(box.topLeft(), self.image())
                self._paint_key(painter, box)
            painter.setPen(self._theme.colour("line"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
            if self.cell[0] >= 0:
                painter.setPen(QPen(self._theme.colour("text"), 1))
                painter.drawRect(self.cell_rect(*self.cell).adjusted(-1.5, -1.5, 1.5, 1.5))

    def _paint_key(self, painter: QPainter, box: QRectF) -> None:
        """Say which colour stands for how many elements."""
        most = int(self._density.max())
        if most < 2:
            return
        words, metrics = short_count(most), painter.fontMetrics()
        right = box.right() - metrics.horizontalAdvance(words)
        bar = QRectF(right - 4 - _KEY, box.bottom() + 18, _KEY, 7)
        left = bar.left() - 4 - metrics.horizontalAdvance("1")
        if left < box.left() + metrics.horizontalAdvance(text("gui.scatter.axes")) + 12:
            return
        painter.setPen(self._theme.colour("dim"))
        painter.drawText(QPointF(left, bar.bottom()), "1")
        painter.drawText(QPointF(right, bar.bottom()), words)
        steps = np.ascontiguousarray(self._colours()[None])
        painter.drawImage(bar, QImage(steps.data, steps.shape[1], 1, steps.size, QImage.Format.Format_RGB888))

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
        painter.drawText(under, Qt.AlignmentFlag.AlignVCenter, text("gui.scatter.axes"))


def _drawn(cells: NDArray[np.intp], room: int, count: int, least: int) -> tuple[int, NDArray[np.int64]]:
    """Return how many pixels of *room* each of *count* cells is drawn with, and where *cells* begin."""
    size = room / count
    pixels = min(max(math.ceil(size), least), _MOST_CELL)
    starts = np.rint((cells + 0.5) * size - pixels / 2).astype(np.int64)
    return pixels, np.clip(starts, 0, max(room - pixels, 0))
