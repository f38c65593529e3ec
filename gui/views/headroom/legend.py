"""What the colours of the exponent picture mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.messages import text
from gui.looks.theme import Theme
from gui.models.headroom.picture import BY_STATISTICS
from gui.views.headroom.colours import pixels_of, share_map
from gui.widgets.translated import Translated

_BAR, _GAP = 74, 8
_SPECIAL = "NaN / Inf"


class RangeLegend(Translated, QWidget):
    """The colours from one element to all, and the hatching where there are columns of statistics."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._read = self._told = self._special = True
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.retranslate()

    def set_kinds(self, read: bool, told: bool, special: bool) -> None:
        """Say whether there are columns that were read, that statistics told of, and that hold NaN or Inf."""
        self._read, self._told, self._special = read, told, special
        self.retranslate()

    def _width(self, words: str) -> int:
        return self.fontMetrics().horizontalAdvance(words)

    def sizeHint(self) -> QSize:
        width = 2 * _GAP + sum(map(self._width, self._ends)) + _BAR if self._read else 0
        width += 3 * _GAP + 14 + self._width(self._statistics) if self._told else 0
        width += 3 * _GAP + 10 + self._width(_SPECIAL) if self._special else 0
        return QSize(max(width, 1), 20)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0
        if self._read:
            left = self._words(painter, left, self._ends[0]) + _GAP
            bar = QRectF(left, self.height() / 2 - 4, _BAR, 8)
            gradient = QLinearGradient(bar.topLeft(), bar.topRight())
            table = share_map(self._theme.colours.dark)
            for at in np.linspace(0, len(table) - 1, 12).astype(int).tolist():
                gradient.setColorAt(at / (len(table) - 1), QColor(*table[at].tolist()))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(gradient)
            painter.drawRoundedRect(bar, 3, 3)
            left = self._words(painter, left + _BAR + _GAP, self._ends[1]) + 2 * _GAP
        if self._told:
            ratio = self.devicePixelRatioF()
            side = round(14 * ratio)
            levels = np.full((side, side), BY_STATISTICS, np.uint8)
            pixels = np.ascontiguousarray(pixels_of(levels, self._theme.colours, ratio))
            image = QImage(pixels.data, side, side, 4 * side, QImage.Format.Format_RGBA8888).copy()
            image.setDevicePixelRatio(ratio)
            painter.drawImage(left, self.height() // 2 - 7, image)
            left = self._words(painter, left + 14 + _GAP, self._statistics) + 2 * _GAP
        if self._special:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("nan"))
            painter.drawRect(QRectF(left, self.height() / 2 - 2, 10, 5))
            self._words(painter, left + 10 + _GAP, _SPECIAL)
        painter.end()

    def _words(self, painter: QPainter, left: int, words: str) -> int:
        """Write *words* and return where they end."""
        width = self._width(words)
        painter.setPen(QPen(self._theme.colour("dim")))
        painter.drawText(QRectF(left, 0, width + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
        return left + width

    def retranslate(self) -> None:
        self._ends = text("gui.headroom.legend.few"), text("gui.headroom.legend.all")
        self._statistics = text("gui.headroom.legend.statistics")
        self.setToolTip(text("gui.headroom.legend.help"))
        self.setAccessibleName(text("gui.headroom.legend"))
        self.setAccessibleDescription(text("gui.headroom.legend.help"))
        self.updateGeometry()
        self.update()
