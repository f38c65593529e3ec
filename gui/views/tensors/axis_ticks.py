"""The numbers beside and under a picture."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.looks.theme import Theme
from gui.views.tensors.plane_canvas import PlaneCanvas

WIDE, LOW = 44, 14
"""Pixels that numbers beside a picture are wide, and those under it high."""
_SMALLER, _GAP = 2, 4
"""Pixels that they are smaller than other text, and that they keep from the picture and each other."""


class AxisTicks(QWidget):
    """Along one axis of *canvas*; it takes the same room whatever it says."""

    def __init__(self, theme: Theme, canvas: PlaneCanvas, down: bool) -> None:
        """Write beside *canvas* if it goes *down*, else under it."""
        super().__init__()
        self._theme, self._canvas, self._down = theme, canvas, down
        self._names = ("", "")
        """Of the axes that go down and across; written under the picture."""
        if down:
            self.setFixedWidth(WIDE)
        else:
            self.setFixedHeight(LOW)
        fixed, free = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored
        self.setSizePolicy(fixed if down else free, free if down else fixed)
        canvas.turned.connect(self.update)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDE if self._down else 0, 0 if self._down else LOW)

    def set_names(self, down: str, across: str) -> None:
        """Say which axes of the tensor go down and across."""
        self._names = down, across
        self.setAccessibleName(" ".join(filter(None, self._names)))
        self.update()

    @property
    def words(self) -> list[str]:
        """The numbers that are written, and after them the names of the axes."""
        return [words for _, words in self._placed()] + list(filter(None, self._named()))

    def _named(self) -> tuple[str, str]:
        """Return what is written before and behind the numbers: both names behind where it is narrow."""
        down, across = self._names
        if QFontMetrics(self._font()).horizontalAdvance(down) <= self._beside():
            return down, across
        return "", "   ".join(filter(None, self._names))

    def _beside(self) -> int:
        """Return the pixels before the picture, where numbers that go down stand above."""
        return 0 if self._down else self.width() - self._canvas.width()

    def _font(self) -> QFont:
        font = QFont(self.font())
        if font.pixelSize() > 0:
            font.setPixelSize(max(font.pixelSize() - _SMALLER, 8))
        else:
            font.setPointSizeF(max(font.pointSizeF() - _SMALLER * 0.75, 6))
        return font

    def _placed(self) -> list[tuple[QRectF, str]]:
        """Return the numbers that have room, each with where it stands."""
        metrics = QFontMetrics(self._font())
        ticks = self._canvas.ticks_down() if self._down else self._canvas.ticks_across()
        placed = []
        start, last = self._beside(), self.width()
        if not self._down and self._named()[1]:
            last -= metrics.horizontalAdvance(self._named()[1]) + 2 * _GAP
        end = float(start - _GAP)
        for tick in ticks:
            if self._down:
                top = min(max(tick.at - LOW / 2, 0.0), self.height() - LOW)
                placed.append((QRectF(0, top, WIDE - _GAP, LOW), tick.words))
                continue
            wide = metrics.horizontalAdvance(tick.words)
            left = start + max(tick.at - wide / 2, 0.0)
            if left >= end + _GAP and left + wide <= last:
                placed.append((QRectF(left, 0, wide + 1, LOW), tick.words))
                end = left + wide
        return placed

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._canvas.filled:
            return
        with QPainter(self) as painter:
            painter.setFont(self._font())
            painter.setPen(self._theme.colour("dim"))
            middle = Qt.AlignmentFlag.AlignVCenter
            side = Qt.AlignmentFlag.AlignRight if self._down else Qt.AlignmentFlag.AlignHCenter
            for where, words in self._placed():
                painter.drawText(where, side | middle, words)
            if not self._down:
                before, behind = self._named()
                room = QRectF(self.rect())
                painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, behind)
                room.setWidth(self._beside())
                painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, before)
