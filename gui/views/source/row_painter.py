"""How one row of two files is painted: numbers, a sign, the lines, the parts of them that differ."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from core.messages import text
from core.precheck.source.records import Change, SourceText
from core.precheck.source.spans import Spans, changed_spans
from gui import numbers
from gui.looks.theme import Theme
from gui.models.source.lines import drawn
from gui.models.source.rows import ShownRows

_PAD, _SIGN = 8, 14
"""Pixels beside numbers, and of the sign after them."""
_SIGNS = {"changed": "≠", "target": "+", "golden": "−"}
"""What differs is told by signs too, and not by colours alone."""


class RowPainter:
    """Half of the width for each side; the sides have the colours that they have everywhere."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._rows: ShownRows | None = None
        self._metrics = QFontMetrics(theme.fixed_font())
        self._gutter = 40
        self.widest = 0
        """Pixels of the longest line on show; those in gaps take no room."""

    def load(self, rows: ShownRows | None) -> None:
        """Paint other rows."""
        self._rows = rows
        _spans.cache_clear()
        self.measure(self._metrics)

    def measure(self, metrics: QFontMetrics) -> None:
        """Find how much room numbers and lines take."""
        self._metrics = metrics
        if self._rows is None:
            self.widest = 0
            return
        difference = self._rows.difference
        lines = [side.lines for side in (difference.target, difference.golden)]
        most = max(map(len, lines))
        self._gutter = metrics.horizontalAdvance("0") * max(len(str(most)), 3) + 2 * _PAD + _SIGN
        listed = self._rows.first[self._rows.hidden == 0]
        numbers = (difference.target_line[listed], difference.golden_line[listed])
        longest = (
            max((side[line] for line in at[at >= 0].tolist()), key=len, default="")
            for side, at in zip(lines, numbers)
        )
        self.widest = max(metrics.horizontalAdvance(drawn(line)[0]) for line in longest) + 2 * _PAD

    def text_room(self, width: int) -> int:
        """Return the pixels that a side has for its lines."""
        return max(width // 2 - self._gutter, 40)

    # ---- a row

    def paint(self, painter: QPainter, box: QRect, at: int, scrolled: int) -> None:
        """Paint what is shown at *at* into *box*; lines are *scrolled* so many pixels to the left."""
        assert self._rows is not None
        row = self._rows.row(at)
        if row < 0:
            self._paint_gap(painter, box, int(self._rows.hidden[at]))
            return
        difference = self._rows.difference
        target, golden = int(difference.target_line[row]), int(difference.golden_line[row])
        marked = bool(self._rows.marks[at])
        numeric = int(difference.change[row]) == Change.NUMERIC
        both = target >= 0 and golden >= 0
        spans: tuple[Spans, Spans] = ((), ())
        if marked and both:
            spans = _spans(difference.target.lines[target], difference.golden.lines[golden])
        middle = box.width() // 2
        for side, source, line, parts, left in (
            ("target", difference.target, target, spans[0], 0),
            ("golden", difference.golden, golden, spans[1], middle),
        ):
            half = QRect(left, box.top(), middle if not left else box.width() - middle, box.height())
            sign = "" if not marked or line < 0 else _SIGNS["changed" if both else side]
            self._paint_side(painter, half, side, source, line, parts, sign, marked and numeric, scrolled)
            if line < 0:
                self._paint_nothing(painter, half)

    def _paint_side(
        self, painter: QPainter, half: QRect, side: str, source: SourceText, line: int, spans: Spans,
        sign: str, numeric: bool, scrolled: int,
    ) -> None:  # fmt: skip
        theme = self._theme
        if sign:
            painter.fillRect(half, _tint(theme.colour(side), 40 if theme.colours.dark else 26))
        if line < 0:
            return
        number = QRect(half.left(), half.top(), self._gutter - _SIGN - _PAD // 2, half.height())
        painter.setPen(theme.colour(side if sign else "dim"))
        painter.drawText(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(line + 1))
        if sign:
            beside = QRect(number.right() + 1, half.top(), _SIGN, half.height())
            painter.drawText(beside, Qt.AlignmentFlag.AlignCenter, sign)
        if numeric:
            painter.fillRect(QRect(half.left(), half.top(), 3, half.height()), theme.colour(side))
        words, parts = drawn(source.lines[line], spans)
        room = half.adjusted(self._gutter, 0, -2, 0)
        painter.save()
        painter.setClipRect(room)
        left = room.left() - scrolled
        strong = _tint(theme.colour(side), 110 if theme.colours.dark else 84)
        for start, end in parts:
            first = self._metrics.horizontalAdvance(words[:start])
            wide = self._metrics.horizontalAdvance(words[:end]) - first
            part = QRectF(left + first - 1, half.top() + 2, max(wide, 3) + 2, half.height() - 4)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(strong)
            painter.drawRoundedRect(part, 3, 3)
        painter.setPen(theme.colour("text"))
        base = half.top() + (half.height() + self._metrics.ascent() - self._metrics.descent()) / 2
        painter.drawText(QPointF(left, base), words)
        painter.restore()

    def _paint_nothing(self, painter: QPainter, half: QRect) -> None:
        painter.fillRect(half.adjusted(0, 0, 0, 0), _tint(self._theme.colour("not_compared"), 22))

    def _paint_gap(self, painter: QPainter, box: QRect, count: int) -> None:
        painter.fillRect(box, self._theme.colour("second"))
        painter.setPen(self._theme.colour("dim"))
        words = text("gui.sources.gap", count=count, number=numbers.grouped(count))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"⋯  {words}  ⋯")

    def paint_frame(self, painter: QPainter, box: QRect) -> None:
        """Paint the line between both sides."""
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(box.width() // 2, box.top(), box.width() // 2, box.bottom())


@lru_cache(maxsize=512)
def _spans(target: str, golden: str) -> tuple[Spans, Spans]:
    """Return what of two lines differs; rows are painted again and again."""
    return changed_spans(target, golden)


def _tint(colour: QColor, alpha: int) -> QColor:
    tinted = QColor(colour)
    tinted.setAlpha(alpha)
    return tinted
