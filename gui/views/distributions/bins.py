"""Bars and steps over a row of bins; what the bins are is for those who derive from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF

from core.records.columns import Float64
from gui.looks.theme import Theme
from gui.models.tensors.ticks import Tick
from gui.widgets.axis_canvas import AxisCanvas

_LEFT, _TOP, _RIGHT, _BOTTOM = 40, 18, 10, 19
ABOVE = 7
"""Pixels over the bins at which the words stand that belong to them."""
_FONT = 10
LEAST_HEIGHT = 64
"""Pixels of a plot at least."""
_FILL = {True: 0.34, False: 0.30}
"""Strength of what is under a line in dark and light schemes."""


@dataclass(frozen=True)
class Series:
    """One height a bin, NaN where there is none; *role* is its colour."""

    values: Float64
    role: str
    filled: bool = True


class Heights(Protocol):
    """How high a value is drawn."""

    def of(self, values: Float64) -> Float64: ...
    def ticks(self, most: int) -> list[Tick]: ...


class BinCanvas(AxisCanvas):
    """Drag, wheel and +/− zoom along the bins; Left and Right go from bin to bin, Enter chooses one."""

    pointed = Signal(int)
    """The bin under the pointer or the cursor; −1 once there is none."""
    chosen = Signal(int)

    separate = False
    """Whether bars stand apart, as categories do."""
    tick_room = 62
    """Pixels from one number of the lower axis to the next."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._series: tuple[Series, ...] = ()
        self._heights: Heights | None = None
        self.bin = -1
        """What is pointed at."""
        self.setMinimumHeight(LEAST_HEIGHT)
        theme.changed.connect(self.update)

    # ---- what differs

    def _ticks(self, _left: float, _right: float, _most: int) -> list[Tick]:
        """Return the numbers under the bins."""
        return []

    def _paint_ground(self, painter: QPainter, box: QRectF) -> None:
        """Draw what lies behind the bins."""

    def _paint_over(self, painter: QPainter, box: QRectF) -> None:
        """Draw what lies before the bins."""

    # ---- content

    def show_series(self, series: Sequence[Series], heights: Heights | None, keep: bool = False) -> None:
        """Show other heights; *keep* leaves the zoom if there are as many bins as before."""
        bins = len(series[0].values) if series else 0
        self._series, self._heights = tuple(series), heights
        if not keep or bins != self.axis.calls:
            self.axis.set_calls(bins)
        self._set_bin(-1)
        self.update()

    @property
    def bins(self) -> int:
        """How many there are."""
        return len(self._series[0].values) if self._series else 0

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    @property
    def box(self) -> QRectF:
        """Where the bins are drawn."""
        return self._box_within(_LEFT, _TOP, _RIGHT, _BOTTOM)

    def bin_rect(self, at: int) -> QRectF:
        """Return the column of a bin, from top to bottom."""
        box = self.box
        left, right = self.axis.x(at), self.axis.x(at + 1)
        return QRectF(box.left() + left, box.top(), right - left, box.height())

    def _x(self, box: QRectF, place: float) -> float:
        return box.left() + self.axis.x(place)

    # ---- pointing

    def _bin_at(self, where: QPointF) -> int:
        box = self.box
        if not self.bins or not box.adjusted(-1, -_TOP, 1, _BOTTOM).contains(where):
            return -1
        return min(max(math.floor(self.axis.row(where.x() - box.left())), 0), self.bins - 1)

    def _set_bin(self, at: int) -> None:
        if at != self.bin:
            self.bin = at
            self.pointed.emit(at)
            self.update()

    def _point(self, where: QPointF | None) -> bool:
        self._set_bin(-1 if where is None else self._bin_at(where))
        return self.bin >= 0 and not self._empty(self.bin)

    def _empty(self, at: int) -> bool:
        return all(not series.values[at] > 0 for series in self._series)

    def _choose(self, where: QPointF) -> None:
        at = self._bin_at(where)
        if at >= 0 and not self._empty(at):
            self.chosen.emit(at)

    def _marked_column(self) -> int | None:
        return self.bin if self.bin >= 0 else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self.bins:
            self._go(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.bin >= 0:
            if not self._empty(self.bin):
                self.chosen.emit(self.bin)
        else:
            super().keyPressEvent(event)

    def _go(self, step: int) -> None:
        """Go to the next bin that holds anything."""
        at = self.bin + step if self.bin >= 0 else (0 if step > 0 else self.bins - 1)
        while 0 <= at < self.bins and self._empty(at):
            at += step
        if 0 <= at < self.bins:
            self.axis.bring(at)
            self._set_bin(at)

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            font = QFont(self.font())
            font.setPixelSize(_FONT)
            painter.setFont(font)
            box = self.box
            self._paint_focus(painter)
            if self.bins and self._heights is not None:
                painter.save()
                painter.setClipRect(box.adjusted(0, -_TOP, 0, 1))
                self._paint_ground(painter, box)
                painter.restore()
                self._paint_heights(painter, box)
                painter.save()
                painter.setClipRect(box.adjusted(0, -_TOP, 0, 1))
                self._paint_pointed(painter, box)
                for series in self._series:
                    self._paint_series(painter, box, series)
                self._paint_over(painter, box)
                painter.restore()
                self._paint_places(painter, box)
            painter.setPen(self._theme.colour("line"))
            painter.drawLine(box.bottomLeft(), box.bottomRight())

    def _paint_heights(self, painter: QPainter, box: QRectF) -> None:
        assert self._heights is not None
        above = box.bottom() + _FONT
        ticks = self._heights.ticks(max(int(box.height() // 26), 2))
        for tick in sorted(ticks, key=lambda tick: tick.place):
            y = round(box.bottom() - tick.place * box.height()) + 0.5
            painter.setPen(QPen(self._theme.colour("line"), 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            if above - y >= _FONT:
                above = y
                painter.setPen(self._theme.colour("dim"))
                painter.drawText(
                    QRectF(0, y - 8, box.left() - 5, 16),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    tick.words,
                )

    def _paint_places(self, painter: QPainter, box: QRectF) -> None:
        metrics, end = painter.fontMetrics(), -1e9
        painter.setPen(self._theme.colour("dim"))
        for tick in self._ticks(self.axis.left, self.axis.right, max(int(box.width() // self.tick_room), 2)):
            x = self._x(box, tick.place)
            width = metrics.horizontalAdvance(tick.words)
            left = min(max(x - width / 2, 0.0), self.width() - width)
            if not box.left() - 1 <= x <= box.right() + 1 or left < end + 6:
                continue
            end = left + width
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x, box.bottom() + 3))
            painter.drawText(QPointF(left, box.bottom() + 14), tick.words)

    def _paint_pointed(self, painter: QPainter, box: QRectF) -> None:
        if self.bin >= 0:
            column = self.bin_rect(self.bin)
            least = max(column.width(), 3.0)
            shade = QColor(self._theme.colour("accent"))
            shade.setAlphaF(0.16)
            painter.fillRect(QRectF(column.center().x() - least / 2, box.top(), least, box.height()), shade)

    def _paint_series(self, painter: QPainter, box: QRectF, series: Series) -> None:
        assert self._heights is not None
        first, last = max(math.floor(self.axis.left), 0), min(math.ceil(self.axis.right), self.bins)
        together = max(-(-(last - first) // max(int(box.width()), 1)), 1)
        values = series.values[first:last]
        if together > 1:  # more bins than pixels: the highest of each pixel
            starts = np.arange(0, len(values), together)
            values = np.fmax.reduceat(values, starts)
        heights = self._heights.of(values) * box.height()
        colour = self._theme.colour(series.role)
        if self.separate:
            self._paint_bars(painter, box, first, heights, colour)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        points = []
        for at, height in enumerate(heights.tolist()):
            left = self._x(box, first + at * together)
            right = self._x(box, min(first + (at + 1) * together, last))
            y = box.bottom() - (height if height == height else 0.0)
            points += [QPointF(left, y), QPointF(right, y)]
        if not points:
            return
        if series.filled:
            fill = QColor(colour)
            fill.setAlphaF(_FILL[self._theme.colours.dark])
            ground = [QPointF(points[0].x(), box.bottom()), *points, QPointF(points[-1].x(), box.bottom())]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF(ground))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1.4))
        painter.drawPolyline(QPolygonF(points))

    def _paint_bars(
        self, painter: QPainter, box: QRectF, first: int, heights: Float64, colour: QColor
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for at, height in enumerate(heights.tolist(), first):
            if not height > 0:
                continue
            painter.setBrush(self._bar_colour(at, colour))
            column = self.bin_rect(at)
            gap = min(column.width() * 0.12, 3.0)
            tall = max(height, 2.0)
            bar = QRectF(column.left() + gap, box.bottom() - tall, max(column.width() - 2 * gap, 1.5), tall)
            painter.drawRoundedRect(bar, 2, 2)

    def _bar_colour(self, _at: int, colour: QColor) -> QColor:
        """Return the colour of one bar that stands apart."""
        return colour
