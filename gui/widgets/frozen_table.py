"""A table whose column of names stays at the left while the others are scrolled sideways.

The column is drawn over those that are scrolled under it in the same paint event, so that selection,
resizing and high resolutions need nothing of their own; what is pressed there is meant for the names.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QTableView

from gui.looks.theme import Theme
from gui.widgets.frozen_heading import FrozenHeading

_Index = QModelIndex | QPersistentModelIndex
_SHADE = 7
"""Pixels of the shade at the edge of what stays."""
_MOST = 0.6
"""Share of the width that may stay; names that are wider are scrolled as the rest."""


class FrozenTable(QTableView):
    """*name* is the column that stays, as long as it is the first from the left."""

    def __init__(self, theme: Theme, name: int) -> None:
        super().__init__()
        self._theme, self.name_column = theme, name
        self.heading = FrozenHeading(self._covered, self)
        self.setHorizontalHeader(self.heading)
        self.heading.setFirstSectionMovable(False)

    def _stays(self) -> bool:
        return (
            self.model() is not None
            and not self.isColumnHidden(self.name_column)
            and self.heading.visualIndex(self.name_column) == 0
            and self.columnWidth(self.name_column) <= self.viewport().width() * _MOST
        )

    def _covered(self) -> int:
        """Return how many pixels of the others are covered by the column of names."""
        return self.columnWidth(self.name_column) if self.heading.offset() > 0 and self._stays() else 0

    # ---- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        width = self._covered()
        area = QRect(0, 0, width + _SHADE, self.viewport().height()) & event.rect()
        if width and not area.isEmpty():
            painter = QPainter(self.viewport())
            self._paint_names(painter, area, width)
            self._paint_edge(painter, width)
            painter.end()

    def _paint_names(self, painter: QPainter, area: QRect, width: int) -> None:
        painter.fillRect(QRect(0, area.top(), width, area.height()), self._theme.colour("card"))
        first, last = self.rowAt(area.top()), self.rowAt(area.bottom())
        last = self.model().rowCount() - 1 if last < 0 else last
        chosen, current = self.selectionModel(), self.currentIndex()
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        plain = option.state & ~QStyle.StateFlag.State_Selected & ~QStyle.StateFlag.State_HasFocus
        for row in range(first, last + 1) if first >= 0 else ():
            index = self.model().index(row, self.name_column)
            option.rect = QRect(0, self.rowViewportPosition(row), width, self.rowHeight(row))
            option.state = plain
            if chosen.isSelected(index):
                option.state |= QStyle.StateFlag.State_Selected
            if index == current and self.hasFocus():
                option.state |= QStyle.StateFlag.State_HasFocus
            self.itemDelegate().paint(painter, option, index)

    def _paint_edge(self, painter: QPainter, width: int) -> None:
        shade, none = QColor(0, 0, 0, 70 if self._theme.colours.dark else 22), QColor(0, 0, 0, 0)
        gradient = QLinearGradient(width, 0, width + _SHADE, 0)
        gradient.setColorAt(0, shade)
        gradient.setColorAt(1, none)
        painter.fillRect(QRect(width, 0, _SHADE, self.viewport().height()), gradient)
        painter.fillRect(QRect(width - 1, 0, 1, self.viewport().height()), self._theme.colour("line"))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if dx:  # what stays was moved along with the rest
            width = self.columnWidth(self.name_column) + _SHADE + abs(dx)
            self.viewport().update(0, 0, width, self.viewport().height())
            self.heading.viewport().update()

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        width = self._covered()
        if width:
            self.viewport().update(0, 0, width, self.viewport().height())

    # ---- where things are

    def indexAt(self, position: QPoint) -> QModelIndex:
        if position.x() < self._covered():
            row = self.rowAt(position.y())
            return self.model().index(row, self.name_column) if row >= 0 else QModelIndex()
        return super().indexAt(position)

    def scrollTo(
        self,
        index: _Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        bar = self.horizontalScrollBar()
        left = bar.value()
        super().scrollTo(index, hint)
        if not self._stays():
            return
        if index.column() == self.name_column:
            bar.setValue(left)  # it is in sight wherever the others are
            return
        hidden = self.columnWidth(self.name_column) - self.columnViewportPosition(index.column())
        if hidden > 0 and bar.value() > 0:
            bar.setValue(bar.value() - hidden)
