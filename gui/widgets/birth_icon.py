"""The mark of a birth as a widget, beside a sentence."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from core.records.overflow import Birth
from gui.looks.theme import Theme
from gui.widgets.birth_mark import level_colour, paint_birth


class BirthIcon(QWidget):
    """Draws :attr:`birth`; nothing while it is ``None``."""

    def __init__(self, theme: Theme, size: float = 13) -> None:
        super().__init__()
        self._theme, self._size = theme, size
        self.birth: Birth | None = None
        self.setFixedSize(18, 22)
        theme.changed.connect(self.update)

    def show_birth(self, birth: Birth | None) -> None:
        """Draw another one."""
        self.birth = birth
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.birth is None:
            return
        painter = QPainter(self)
        colour = level_colour(self.birth.level, self._theme.colours)
        paint_birth(painter, QPointF(8, 12), self.birth.kind, colour, self._size)
        painter.end()
