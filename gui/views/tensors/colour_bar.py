"""The colours of a heat map with the values at their ends, which can be dragged; kinds have a legend."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.messages import text
from gui import numbers
from gui.looks.theme import Theme
from gui.tensors.scales import Scale, Shades

_HEIGHT, _TALL, _THICK, _GAP, _SWATCH = 16, 26, 8, 7, 9
_APART, _MOST = 90, 3
"""Pixels at least between values in the middle, and how many there are at most."""
_GRIP = 9
"""Pixels around an end within which it is taken hold of."""
_ARROW = 6


class ColourBar(QWidget):
    """One line. An arrow at an end says that there are values beyond it, which have the colour of the end."""

    dragged = Signal(float, float)
    """The range that the ends were dragged to."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shades: Shades | None = None
        self._data: tuple[float, float] | None = None
        self._kinds: frozenset[int] | None = None
        self.instead = ""
        """Said where there is no range."""
        self._held = -1
        """Which end is dragged: 0 or 1."""
        self._from = (0.0, 0.0, 0.0)
        """Where the drag began, and the ends then."""
        self.symmetric = False
        """Whether both ends move together."""
        self.setFixedHeight(_HEIGHT)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(160, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, _HEIGHT)

    def show_shades(
        self,
        shades: Shades | None,
        data: tuple[float, float] | None,
        kinds: frozenset[int] | None = None,
        instead: str = "",
    ) -> None:
        """Show *shades*; *data* are the ends of what is drawn, *kinds* the colours in it (``None``: all).

        *instead* is said where the values have no range.
        """
        self._shades, self._data, self._kinds, self.instead = shades, data, kinds, instead
        self.setAccessibleName(self.words)
        self.update()

    @property
    def shades(self) -> Shades | None:
        """What is shown."""
        return self._shades

    def set_tall(self, tall: bool) -> None:
        """Write the values under the colours, some from the middle among them, or beside them."""
        self.setFixedHeight(_TALL if tall else _HEIGHT)

    @property
    def _tall(self) -> bool:
        return self.height() >= _TALL

    @property
    def _unsigned(self) -> bool:
        """Whether there are negative values, whose sign the colours do not show."""
        shades = self._shades
        by_size = shades is not None and shades.scale is Scale.LOG
        return by_size and self._data is not None and self._data[0] < 0

    @property
    def beyond(self) -> tuple[bool, bool]:
        """Whether there are values below the lower and above the upper end."""
        shades, data = self._shades, self._data
        if shades is None or data is None or shades.names:
            return False, False
        low, high = shades.low, shades.high
        room = 1e-6 * high - 1e-6 * low
        return data[0] < low - room and shades.position(data[0]) < 0, data[1] > high + room

    @property
    def words(self) -> str:
        """What the bar tells, in words."""
        shades = self._shades
        if shades is None:
            return ""
        if self.instead:
            return self.instead
        if shades.names:
            return ", ".join(name for name, _ in self._legend(shades))
        words = [text("gui.heat.range", low=_short(shades.low), high=_short(shades.high))]
        if self._data is not None and any(self.beyond):
            low, high = self._data
            words.append(text("gui.heat.beyond", low=_short(low), high=_short(high)))
        if self._unsigned:
            words.append(text("gui.heat.unsigned"))
        return " ".join(words)

    # ---- drawing

    def _bar(self) -> QRectF:
        if self._tall:
            return QRectF(_ARROW, 2, max(self.width() - 2 * _ARROW, 8), _THICK)
        metrics = self.fontMetrics()
        left, right = (metrics.horizontalAdvance(words) + _GAP for words in self.ends)
        return QRectF(left, (self.height() - _THICK) / 2, max(self.width() - left - right, 8), _THICK)

    @property
    def ends(self) -> tuple[str, str]:
        """Return the values at the ends; as magnitudes where the colours show no signs."""
        assert self._shades is not None
        low, high = _short(self._shades.low), _short(self._shades.high)
        return (f"|x| {low}", high) if self._unsigned else (low, high)

    @property
    def middle(self) -> list[tuple[float, str]]:
        """Where in the bar values from its middle are written, 0 to 1, and which."""
        shades = self._shades
        if shades is None or shades.names or self.instead or not self._tall:
            return []
        parts = min(int(self._bar().width() // _APART), _MOST + 1)
        places = [part / parts for part in range(1, parts)]
        return [(place, _rounded(shades.value(place), shades)) for place in places]

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._shades is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.instead:
                painter.setPen(self._theme.colour("dim"))
                words = self.fontMetrics().elidedText(self.instead, Qt.TextElideMode.ElideRight, self.width())
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, words)
            elif self._shades.names:
                self._paint_legend(painter, self._shades)
            else:
                self._paint_bar(painter, self._shades)

    def _paint_bar(self, painter: QPainter, shades: Shades) -> None:
        painter.setPen(self._theme.colour("dim"))
        height = Qt.AlignmentFlag.AlignBottom if self._tall else Qt.AlignmentFlag.AlignVCenter
        low, high = self.ends
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | height, low)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignRight | height, high)
        bar = self._bar()
        self._paint_middle(painter, bar, (low, high))
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        last = len(shades.table) - 1
        for step in range(0, last + 1, 15):
            gradient.setColorAt(step / last, QColor(*(int(part) for part in shades.table[step])))
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar, 3, 3)
        for end, beyond in enumerate(self.beyond):
            if beyond:
                x, way = (bar.left(), -1) if end == 0 else (bar.right(), 1)
                tip = QPointF(x + way * _ARROW, bar.center().y())
                painter.setPen(QPen(self._theme.colour("card"), 1))
                painter.setBrush(self._theme.colour("text"))
                painter.drawPolygon(QPolygonF([tip, QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2)]))

    def _paint_middle(self, painter: QPainter, bar: QRectF, ends: tuple[str, str]) -> None:
        metrics = self.fontMetrics()
        near, far = (metrics.horizontalAdvance(words) + _GAP for words in ends)
        for place, words in self.middle:
            x = bar.left() + place * bar.width()
            half = metrics.horizontalAdvance(words) / 2 + 1
            if near <= x - half and x + half <= self.width() - far:
                where = QRectF(x - half, bar.bottom(), 2 * half, self.height() - bar.bottom())
                painter.drawText(where, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, words)

    def _legend(self, shades: Shades) -> list[tuple[str, QColor]]:
        """Return names and colours of the kinds that occur."""
        return [
            (name, QColor(*(int(part) for part in colour)))
            for kind, (name, colour) in enumerate(zip(shades.names, shades.table))
            if self._kinds is None or kind in self._kinds
        ]

    def _paint_legend(self, painter: QPainter, shades: Shades) -> None:
        metrics, x = self.fontMetrics(), 0
        legend = self._legend(shades)
        around = len(legend) * (_SWATCH + 14)
        widths = [metrics.horizontalAdvance(name) for name, _ in legend]
        most = (self.width() - around) // max(len(legend), 1) if sum(widths) + around > self.width() else 9999
        for (name, colour), width in zip(legend, widths):
            painter.setPen(QPen(self._theme.colour("dim"), 0.8))
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(x + 0.5, (self.height() - _SWATCH) / 2, _SWATCH, _SWATCH), 2, 2)
            x += _SWATCH + 4
            room = min(width, max(most, 12))
            painter.setPen(self._theme.colour("dim"))
            words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room + 1)
            painter.drawText(QRectF(x, 0, room + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
            x += room + 10

    # ---- dragging

    def _end_at(self, x: float) -> int:
        """Return which end is near *x*, -1 for none."""
        if self._shades is None or self._shades.names or self.instead:
            return -1
        bar = self._bar()
        gaps = abs(x - bar.left()), abs(x - bar.right())
        nearest = 0 if gaps[0] <= gaps[1] else 1
        return nearest if gaps[nearest] <= max(_GRIP, bar.width() / 3) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._shades is not None:
            self._held = self._end_at(event.position().x())
            self._from = event.position().x(), self._shades.low, self._shades.high

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held < 0 or self._shades is None:
            near = self._end_at(x) >= 0
            self.setCursor(Qt.CursorShape.SizeHorCursor if near else Qt.CursorShape.ArrowCursor)
            return
        start, low, high = self._from
        moved = (x - start) / self._bar().width()
        if self.symmetric:
            limit = high * 10.0 ** (moved if self._held else -moved)
            self.dragged.emit(-limit, limit)
        elif self._held:
            self.dragged.emit(low, high + moved * (high - low))
        else:
            self.dragged.emit(low + moved * (high - low), high)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held = -1

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._shades is not None:
            hint = "" if self._shades.names or self.instead else "\n" + text("gui.heat.drag")
            QToolTip.showText(event.globalPos(), self.words + hint, self)
            return True
        return super().event(event)


def _rounded(value: float, shades: Shades) -> str:
    """Return a value from the middle; one that is 0 but for rounding as 0."""
    nothing = 1e-9 * max(abs(shades.low), abs(shades.high), shades.linear)
    return "0" if shades.low < 0 and abs(value) < nothing else numbers.compact(value, 3)


def _short(number: float) -> str:
    return numbers.compact(number, 4)
