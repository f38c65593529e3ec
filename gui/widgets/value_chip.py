"""A chip for one kind of value: its colour beside its word."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.records.overflow import Special
from gui.looks.theme import Theme
from gui.models.overflow.words import value_words
from gui.widgets.birth_mark import value_colour
from gui.widgets.translated import Translated


class ValueChip(Translated, QWidget):
    """A rounded box, or with *plain* only the colour and the word, as in a legend."""

    def __init__(self, theme: Theme, value: Special, plain: bool = False) -> None:
        super().__init__()
        self._theme, self.value, self._plain = theme, value, plain
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.retranslate()

    @property
    def words(self) -> str:
        """What it says."""
        return self._words

    def retranslate(self) -> None:
        self._words = " ".join(value_words(self.value))
        self.setAccessibleName(self._words)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self._words)
        return QSize(width + 17, 22) if self._plain else QSize(width + 36, 23)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = self._theme.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0.0
        if not self._plain:
            painter.setPen(QPen(self._theme.colour("line"), 1))
            painter.setBrush(self._theme.colour("second"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 11, 11)
            left = 10.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(value_colour(self.value, colours))
        painter.drawRoundedRect(QRectF(left, self.height() / 2 - 5, 10, 10), 2, 2)
        painter.setPen(self._theme.colour("dim" if self._plain else "text"))
        room = self.rect().adjusted(int(left) + 16, 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._words)
        painter.end()
