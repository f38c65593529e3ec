"""The colours that all small pictures share, with the values at their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui import numbers
from gui.looks.theme import Theme

if TYPE_CHECKING:
    from gui.tensors.scales import Shades

_WIDTH, _THICK, _GAP = 110, 8, 7


class RangeKey(QWidget):
    """One line: the lower end, the colours, the upper end."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shades: Shades | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.hide()

    def show_shades(self, shades: Shades | None) -> None:
        """Show *shades*; ``None`` hides the bar."""
        self._shades = shades
        self.setVisible(shades is not None)
        self.setAccessibleName(f"{self.ends[0]} … {self.ends[1]}")
        self.updateGeometry()
        self.update()

    @property
    def ends(self) -> tuple[str, str]:
        """The values at both ends, in words."""
        shades = self._shades
        if shades is None:
            return "", ""
        if shades.low == -shades.high:
            return numbers.scientific(shades.low), numbers.scientific(shades.high)
        return numbers.compact(shades.low, 4), numbers.compact(shades.high, 4)

    def sizeHint(self) -> QSize:
        low, high = (self.fontMetrics().horizontalAdvance(words) for words in self.ends)
        return QSize(low + _WIDTH + high + 2 * _GAP + 2, self.fontMetrics().height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        shades = self._shades
        if shades is None:
            return
        with QPainter(self) as painter:
            painter.setPen(self._theme.colour("dim"))
            low, high = self.ends
            left = self.fontMetrics().horizontalAdvance(low) + _GAP
            bar = QRectF(left, (self.height() - _THICK) / 2, _WIDTH, _THICK)
            table = np.ascontiguousarray(shades.table[None])
            painter.drawImage(
                bar, QImage(table.data, table.shape[1], 1, table.size, QImage.Format.Format_RGB888)
            )
            painter.setPen(self._theme.colour("line"))
            painter.drawRect(bar)
            painter.setPen(self._theme.colour("dim"))
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, 0, left, self.height()), middle, low)
            after = QPointF(bar.right() + _GAP, 0)
            painter.drawText(QRectF(after.x(), after.y(), self.width(), self.height()), middle, high)
