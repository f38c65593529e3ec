"""What the colours of the map of cells mean, in one line."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.messages import text
from gui import numbers
from gui.looks.theme import Theme
from gui.models.pair.categories import Category
from gui.models.pair.cell_matrix import CellMatrix, CellState, Level, Metric, Scale
from gui.views.cells.canvas import level_colours
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.translated import Translated
from gui.widgets.verdict_icon import paint_category

_HEIGHT, _BAR = 18, 90


class _Entry(QWidget):
    """A sign, or a sample, and its word."""

    def __init__(self, theme: Theme, sign: Category | Level, word: str) -> None:
        super().__init__()
        self._theme, self._sign, self.word = theme, sign, word
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(word)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.word) + 22, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, colours, middle = QPainter(self), self._theme.colours, self.height() / 2
        if isinstance(self._sign, Category):
            paint_category(painter, QPointF(7, middle), self._sign, colours, 9)
        else:
            box = QRectF(1, middle - 6, 12, 12)
            if self._sign is Level.MISSING:
                painter.fillRect(box, QBrush(QColor(colours.not_compared), Qt.BrushStyle.BDiagPattern))
            else:
                painter.fillRect(
                    box, QColor.fromRgba(level_colours(Metric.ERROR, False, colours)[self._sign])
                )
        painter.setPen(QColor(colours.dim))
        painter.drawText(self.rect().adjusted(19, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.word)
        painter.end()


class _Bar(QWidget):
    """The scale, with its ends in words."""

    def __init__(self, theme: Theme, metric: Metric, scale: Scale) -> None:
        super().__init__()
        self._theme, self._metric, self._scale = theme, metric, scale
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{metric.word}: {scale.low} – {scale.high}")

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance
        return QSize(width(self._scale.low) + _BAR + width(self._scale.high) + 16, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, colours = QPainter(self), self._theme.colours
        table = level_colours(self._metric, False, colours)
        strip = QImage(Level.LAST - Level.FIRST + 1, 1, QImage.Format.Format_ARGB32)
        for level in range(Level.FIRST, Level.LAST + 1):
            strip.setPixel(level - Level.FIRST, 0, table[level])
        left = self.fontMetrics().horizontalAdvance(self._scale.low) + 6
        painter.setPen(QColor(colours.dim))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self._scale.low)
        painter.drawImage(QRectF(left, self.height() / 2 - 4, _BAR, 8), strip)
        after = self.rect().adjusted(left + _BAR + 6, 0, 0, 0)
        painter.drawText(after, Qt.AlignmentFlag.AlignVCenter, self._scale.high)
        painter.end()


class CellsLegend(Translated, QWidget):
    """The signs and samples that there are."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: tuple[CellMatrix, Metric, Scale] | None = None
        self._counting = 0
        self.words: tuple[str, ...] = ()
        self._flow = FlowLayout(4)
        self._flow.setContentsMargins(10, 2, 8, 6)
        self.setLayout(self._flow)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        theme.changed.connect(self.update)

    def show_scale(self, matrix: CellMatrix, metric: Metric, scale: Scale, counting: int = 0) -> None:
        """Show what the colours mean now; *counting* of all cells are being counted."""
        self._shown, self._counting = (matrix, metric, scale), counting
        self.retranslate()

    def _level_word(self, level: Level, matrix: CellMatrix) -> str:
        if level is Level.WAITING and self._counting:
            done, total = numbers.grouped(matrix.counted), numbers.grouped(self._counting)
            return text("gui.cells.counting", done=done, total=total)
        return text(f"gui.cells.level.{level.name.lower()}")

    def retranslate(self) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        if self._shown is None:
            return
        matrix, metric, scale = self._shown
        entries: list[tuple[Category | Level, str]] = []
        if metric is Metric.VERDICT:
            there = matrix.category[matrix.state == CellState.COUNTED]
            entries = [(each, each.word) for each in reversed(Category) if (there == each).any()]
        elif scale.high:
            self._flow.addWidget(_Bar(self._theme, metric, scale))
        for level in (Level.BEYOND, Level.NOTHING, Level.WAITING, Level.MISSING):
            if (scale.levels == level).any():
                entries.append((level, self._level_word(level, matrix)))
        for sign, word in entries:
            self._flow.addWidget(_Entry(self._theme, sign, word))
        self.words = tuple(word for _, word in entries)
        self.updateGeometry()
