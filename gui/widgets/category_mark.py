"""The mark of a category as a widget, beside a sentence."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.looks.theme import Theme
from gui.models.pair.categories import Category
from gui.widgets.verdict_icon import paint_category


class CategoryMark(QWidget):
    """Draws :attr:`category`; nothing while it is ``None``."""

    def __init__(self, theme: Theme, size: float = 12) -> None:
        super().__init__()
        self._theme, self._size = theme, size
        self.category: Category | None = None
        self.setFixedSize(18, 22)
        theme.changed.connect(self.update)

    def show_category(self, category: Category | None) -> None:
        """Draw another category."""
        self.category = category
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.category is None:
            return
        painter = QPainter(self)
        paint_category(painter, QPointF(8, 12), self.category, self._theme.colours, self._size)
        painter.end()
