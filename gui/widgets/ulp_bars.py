"""A histogram of distances in ULP, as bars: how many elements are how far away."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.messages import text
from core.records.emulation import ULP_EDGES
from gui import numbers
from gui.looks.theme import Theme
from gui.widgets.translated import Translated

_HEIGHT, _LABELS, _COUNTS = 112, 18, 14
_GAP = 3


def bin_labels() -> list[str]:
    """Return the words under the bars: upper edges of the bins, then special values."""
    edges = [_short(edge) for edge in ULP_EDGES[1:-1]]
    return ["0", *(f"≤{edge}" for edge in edges), f">{edges[-1]}", "NaN"]


def _short(count: float) -> str:
    """Return ``64k`` for 65536 and ``3M`` for three million: what fits over a narrow bar."""
    for unit, size in (("M", 1 << 20), ("k", 1 << 10)):
        if count >= size:
            return f"{count / size:.0f}{unit}"
    return f"{count:.0f}"


class UlpBars(Translated, QWidget):
    """Bars of logarithmic height, so that one element among a million is seen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.counts: tuple[int, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(220)
        theme.changed.connect(self.update)

    def show_counts(self, counts: tuple[int, ...]) -> None:
        """Show other counts, one a bin of :data:`core.records.emulation.ULP_EDGES`, special values last."""
        self.counts = counts
        self.setVisible(any(counts))
        self.retranslate()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, _HEIGHT)

    @property
    def _step(self) -> float:
        return self.width() / max(len(self.counts), 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not any(self.counts):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        colours, base = self._theme.colours, self.height() - _LABELS
        room = base - _COUNTS
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(0, base, self.width(), base)
        most = math.log1p(max(self.counts))
        for place, (count, label) in enumerate(zip(self.counts, bin_labels())):
            left = place * self._step
            box = QRectF(left, base + 2, self._step, _LABELS - 2)
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)
            if not count:
                continue
            height = max(room * math.log1p(count) / most, 2.0)
            special, equal = place == len(self.counts) - 1, place == 0
            painter.setPen(Qt.PenStyle.NoPen)
            role = "nan" if special else "equal" if equal else "accent"
            painter.setBrush(self._theme.colour(role))
            bar = QRectF(left + _GAP, base - height, max(self._step - 2 * _GAP, 2), height)
            painter.drawRoundedRect(bar, 2, 2)
            words = _short(count)
            if QFontMetrics(font).horizontalAdvance(words) <= self._step + 2:
                painter.setPen(self._theme.colour("text" if colours.dark else "dim"))
                above = QRectF(left - 2, base - height - _COUNTS, self._step + 4, _COUNTS)
                painter.drawText(above, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = int(event.pos().x() / self._step)
            if 0 <= place < len(self.counts):
                QToolTip.showText(event.globalPos(), self._words(place), self)
            return True
        return super().event(event)

    def _words(self, place: int) -> str:
        count = self.counts[place]
        label = bin_labels()[place]
        number = numbers.grouped(count)
        if place == len(self.counts) - 1:
            return text("gui.emulation.bar.special", count=count, number=number)
        return text("gui.emulation.bar", count=count, number=number, ulp=label)

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.emulation.histogram"))
        there = [self._words(place) for place, count in enumerate(self.counts) if count]
        self.setAccessibleDescription("; ".join(there))
