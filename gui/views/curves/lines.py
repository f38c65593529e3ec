"""Sentences in a few lines: broken between words, the last line cut where there is no more room."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption

from gui.names import shown

_NARROW = 60
"""Pixels that a label asks for at least."""


def broken_lines(words: str, font: QFont, width: float, most: int) -> list[str]:
    """Return *words* as *most* lines at most, none of them wider than *width* pixels."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout = QTextLayout(words, font)
    layout.setTextOption(option)
    layout.beginLayout()
    starts = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1.0))
        starts.append(line.textStart())
    layout.endLayout()
    units = words.encode("utf-16-le")  # as Qt counts
    ends = [*starts[1:], len(units) // 2]
    pieces = [units[2 * start : 2 * end].decode("utf-16-le").rstrip() for start, end in zip(starts, ends)]
    if len(pieces) <= most:
        return pieces
    rest = units[2 * starts[most - 1] :].decode("utf-16-le")
    cut = QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, int(width))
    return [*pieces[: most - 1], cut]


class LinesLabel(QLabel):
    """Plain text in as many lines as it needs, up to *most*; all of it as a tool tip."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_words(self, words: str, whole: str = "") -> None:
        """Show *words*, or *whole* where somebody points at them; else they stand there if they are cut."""
        self._whole = whole
        self.setText(shown(words))
        self._tip()
        self.updateGeometry()

    def _lines(self, width: float) -> list[str]:
        return broken_lines(self.text(), self.font(), width, self._most)

    def _tip(self) -> None:
        cut = "".join(self._lines(self.contentsRect().width())).endswith("…")
        self.setToolTip(self._whole or (self.text() if cut else ""))

    def resizeEvent(self, event: object) -> None:
        self._tip()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max(len(self._lines(width)), 1) * self.fontMetrics().height()

    def sizeHint(self) -> QSize:
        return QSize(
            min(self.fontMetrics().horizontalAdvance(self.text()), 4 * _NARROW),
            self.minimumSizeHint().height(),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROW, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        metrics, inside = self.fontMetrics(), self.contentsRect()
        for row, line in enumerate(self._lines(inside.width())):
            base = inside.top() + metrics.ascent() + row * metrics.height()
            painter.drawText(QPointF(inside.left(), base), line)
        painter.end()
