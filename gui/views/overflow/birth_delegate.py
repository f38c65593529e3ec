"""Draws the list of births: mark and name, quiet facts, and the row of the group."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from gui.looks.theme import Theme
from gui.models.overflow.births import BirthColumn, BirthTree
from gui.names import elided_name, shown
from gui.widgets.birth_mark import level_colour, paint_birth

Index = QModelIndex | QPersistentModelIndex
_HEIGHT = 27
_QUIET = (BirthColumn.SLOT, BirthColumn.MARKS)


class BirthDelegate(QStyledItemDelegate):
    """One line a birth, with a hair line under it."""

    def __init__(self, theme: Theme, tree: QTreeView, model: BirthTree) -> None:
        super().__init__(tree)
        self._theme, self._tree, self._model = theme, tree, model
        self._fixed = theme.fixed_font()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if self._model.is_group(index):
            return QSize(60, _HEIGHT + 2)
        words = shown(str(index.data() or ""))
        return QSize(QFontMetrics(option.font).horizontalAdvance(words) + 20, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        theme, colours = self._theme, self._theme.colours
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.colour("hover"))
        painter.setPen(theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(10, 0, -8, -1)
        birth = self._model.birth_at(index)
        if birth is None:
            self._paint_group(painter, inside, option, index)
            painter.restore()
            return
        metrics, words = QFontMetrics(option.font), shown(str(index.data() or ""))
        expected = index.parent().isValid()
        painter.setFont(option.font)
        if index.column() == BirthColumn.OPERATOR:
            colour = QColor(colours.not_compared) if expected else level_colour(birth.level, colours)
            paint_birth(
                painter, QPointF(inside.left() + 7, rect.center().y() + 0.5), birth.kind, colour, 10.5
            )
            inside.setLeft(inside.left() + 22)
            painter.setFont(self._fixed)
            words = elided_name(words, inside.width(), QFontMetrics(self._fixed).horizontalAdvance)
        else:
            words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, inside.width())
        quiet = expected or index.column() in _QUIET
        painter.setPen(theme.colour("dim" if quiet else "text"))
        if index.column() == BirthColumn.LEVEL and not expected:
            painter.setPen(level_colour(birth.level, colours))
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), words)
        painter.restore()

    def _paint_group(
        self, painter: QPainter, inside: QRect, option: QStyleOptionViewItem, index: Index
    ) -> None:
        if index.column():
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("dim"), 1.5))
        x, y = inside.left() + 7.0, inside.center().y() + 0.5
        points = (
            [QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)]
            if self._tree.isExpanded(index)
            else [QPointF(x - 2, y - 4), QPointF(x + 2, y), QPointF(x - 2, y + 4)]
        )
        painter.drawPolyline(points)
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("dim"))
        room = inside.adjusted(22, 0, 0, 0)
        words = QFontMetrics(option.font).elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
