"""One element on a line of numbers: what stands there, what it is measured against, what is admissible."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.looks.theme import Theme

_MARGIN, _LEAST_MARGIN = 0.14, 12
"""What is left free at either end: a share of the width, and pixels at least."""
_LINE, _TICK = 15, 9
_LEVELS = 4


@dataclass(frozen=True)
class Mark:
    """One number on the line; *role* names its colour, of :class:`gui.looks.theme.Colours`."""

    words: str
    value: float
    role: str
    main: bool = False
    """Whether it is what the others are there for: drawn stronger."""


Span = tuple[float, float]


class NumberLine(QWidget):
    """Marks with their words above a line, an admissible span on it, and a wider one behind that."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.marks: tuple[Mark, ...] = ()
        self._span: Span = (0.0, 0.0)
        self._wider: Span = (0.0, 0.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_LEVELS * _LINE + 2 * _TICK + 8)
        self.setMinimumWidth(200)
        theme.changed.connect(self.update)

    def show_numbers(self, marks: tuple[Mark, ...], span: Span, wider: Span) -> None:
        """Show other numbers; a mark or a span that is not finite is not drawn."""
        self.marks, self._span, self._wider = marks, span, wider
        self.setAccessibleDescription("; ".join(f"{mark.words} {mark.value:.9g}" for mark in marks))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, self.height())

    # ---- placing

    def _ends(self) -> Span:
        """Return what the line shows at least: marks and span, and where they are all one, the wider span."""
        low = high = 0.0
        for told in ([*(mark.value for mark in self.marks), *self._span], self._wider):
            finite = [value for value in told if isfinite(value)]
            low, high = (min(finite), max(finite)) if finite else (low, high)
            if low < high:
                break
        return low, high

    def _x(self, value: float) -> float:
        """Return where *value* is, at an edge if it is beyond; in halves, as float64 has an end."""
        low, high = self._ends()
        margin = max(self.width() * _MARGIN, _LEAST_MARGIN)
        width = high / 2 - low / 2
        if width <= 0:
            return self.width() / 2
        at = margin + (self.width() - 2 * margin) * ((value / 2 - low / 2) / width)
        return min(max(at, 0.0), float(self.width()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        base = _LEVELS * _LINE + _TICK + 2
        self._paint_span(painter, self._wider, base, 16, "band")
        self._paint_span(painter, self._span, base, 8, "equal")
        painter.setPen(QPen(self._theme.colour("not_compared"), 1))
        painter.drawLine(0, base, self.width(), base)
        self._paint_marks(painter, base)
        painter.end()

    def _paint_span(self, painter: QPainter, span: Span, base: float, height: float, role: str) -> None:
        low, high = span
        if not (isfinite(low) and isfinite(high)):
            return
        left, right = self._x(low), self._x(high)
        box = QRectF(left - 1.5, base - height / 2, max(right - left, 0) + 3, height)
        painter.setPen(Qt.PenStyle.NoPen)
        colour = QColor(self._theme.colour(role))
        if role == "equal":
            colour.setAlphaF(0.55)
        painter.setBrush(colour)
        painter.drawRoundedRect(box, 2, 2)

    def _paint_marks(self, painter: QPainter, base: float) -> None:
        font = QFont(self.font())
        font.setPixelSize(11)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        ends = [-1e9] * _LEVELS
        words: list[tuple[QRectF, Mark]] = []
        there = sorted((mark for mark in self.marks if isfinite(mark.value)), key=lambda mark: mark.value)
        for mark in there:
            x = self._x(mark.value)
            width = metrics.horizontalAdvance(mark.words)
            left = min(max(x - width / 2, 0.0), self.width() - width)
            level = next((at for at in range(_LEVELS) if ends[at] + 8 <= left), _LEVELS - 1)
            ends[level] = left + width
            top = (_LEVELS - 1 - level) * _LINE
            colour = self._theme.colour(mark.role)
            painter.setPen(QPen(colour, 2.0 if mark.main else 1.3))
            painter.drawLine(QPointF(x, top + _LINE), QPointF(x, base + (_TICK if mark.main else 5)))
            words.append((QRectF(left, top, width + 2, _LINE), mark))
        for box, mark in words:  # over the lines, which may lead past the words of others
            painter.fillRect(box, self._theme.colour("card"))
            painter.setPen(self._theme.colour(mark.role))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, mark.words)
