"""Headings of a table whose first column stays at the left while the others are scrolled."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QWidget

_GRIP = 4
"""Pixels beside the edge where it can be taken."""


class FrozenHeading(QHeaderView):
    """Draws the heading that stays over those that are scrolled under it, and gives it its clicks.

    *frozen* returns how many pixels stay: none while nothing is scrolled under them.
    """

    def __init__(self, frozen: Callable[[], int], parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._frozen = frozen
        self._held = False
        self._pulled: float | None = None
        """Pixels from the pointer to the edge that is being moved."""

    def column_at(self, position: QPoint) -> int:
        """Return the column whose heading is seen at *position*."""
        return self.logicalIndexAt(position - QPoint(self._shift(position.x()), 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        width = self._frozen()
        if width and event.rect().left() < width:
            painter = QPainter(self.viewport())
            self.paintSection(painter, QRect(0, 0, width, self.height()), self.logicalIndex(0))
            painter.end()

    # ---- what is pressed where it stays is meant for where it would be without

    def _shift(self, x: float) -> int:
        return self.offset() if self._held or x < self._frozen() else 0

    def _moved(self, event: QMouseEvent) -> QMouseEvent:
        shift = self._shift(event.position().x())
        if not shift:
            return event
        local = event.position() - QPointF(shift, 0)
        return QMouseEvent(
            event.type(), local, event.globalPosition(), event.button(), event.buttons(), event.modifiers()
        )

    def _on_edge(self, x: float) -> bool:
        width = self._frozen()
        return bool(width) and abs(x - width) <= _GRIP

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._on_edge(x) and event.button() == Qt.MouseButton.LeftButton:
            self._pulled = self._frozen() - x
            return
        self._held = x < self._frozen()
        super().mousePressEvent(self._moved(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._pulled is not None:  # Qt resizes nothing that begins left of what it shows
            self.resizeSection(self.logicalIndex(0), max(round(x + self._pulled), self.minimumSectionSize()))
            self.viewport().update()
        elif self._on_edge(x):
            self.setCursor(Qt.CursorShape.SplitHCursor)
        else:
            self.unsetCursor()
            super().mouseMoveEvent(self._moved(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pulled is not None:
            self._pulled = None
            return
        super().mouseReleaseEvent(self._moved(event))
        self._held = False
