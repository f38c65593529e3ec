"""Draws the checklist: headings of its parts with their counts, and a line for each check."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from core.records.precheck import Outcome
from gui.looks.theme import Theme
from gui.models.precheck.checks import CheckColumn, CheckTree, ShownGroup
from gui.models.precheck.words import CATEGORIES
from gui.names import shown
from gui.widgets.verdict_icon import paint_category

Index = QModelIndex | QPersistentModelIndex
_HEIGHT = 28
_QUIET = (CheckColumn.SENTENCE, CheckColumn.REMARK)
_VALUES = (CheckColumn.TARGET, CheckColumn.GOLDEN)


class CheckDelegate(QStyledItemDelegate):
    """What is not done is written dim in its cells, but its result is not."""

    def __init__(self, theme: Theme, tree: QTreeView, model: CheckTree) -> None:
        super().__init__(tree)
        self._theme, self._tree, self._model = theme, tree, model
        self._fixed = theme.fixed_font()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        mark = 22 if index.column() == CheckColumn.RESULT else 0
        words = shown(str(index.data() or ""))
        return QSize(QFontMetrics(option.font).horizontalAdvance(words) + 22 + mark, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        painter.save()
        group = self._model.group_at(index)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._theme.colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._theme.colour("hover"))
        elif group is not None:
            painter.fillRect(rect, self._theme.colour("second"))
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if group is not None:
            if not index.column():
                self._paint_group(painter, rect, option, index, group)
        else:
            self._paint_cell(painter, rect.adjusted(10, 0, -8, -1), option, index)
        painter.restore()

    def _paint_cell(
        self, painter: QPainter, inside: QRect, option: QStyleOptionViewItem, index: Index
    ) -> None:
        check = self._model.check_at(index)
        if check is None:
            return
        colours, column = self._theme.colours, CheckColumn(index.column())
        font = QFont(self._fixed if column in _VALUES else option.font)
        quiet = column in _QUIET or (column is not CheckColumn.RESULT and check.result is Outcome.NOT_DONE)
        painter.setPen(self._theme.colour("dim" if quiet else "text"))
        if column is CheckColumn.RESULT:
            category = CATEGORIES[check.result]
            paint_category(
                painter, QPointF(inside.left() + 8, inside.center().y() + 1), category, colours, 10.5
            )
            inside.setLeft(inside.left() + 22)
            if check.result is Outcome.FAIL:
                font.setWeight(QFont.Weight.DemiBold)
                painter.setPen(QColor(colours.introduces))
        elif column is CheckColumn.SENTENCE and check.result is Outcome.FAIL:
            painter.setPen(self._theme.colour("text"))
        painter.setFont(font)
        words = QFontMetrics(font).elidedText(
            shown(str(index.data() or "")), Qt.TextElideMode.ElideRight, inside.width()
        )
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), words)

    def _paint_group(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, index: Index, group: ShownGroup
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("dim"), 1.5))
        x, y = rect.left() + 18.0, rect.center().y() + 0.5
        points = (
            [QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)]
            if self._tree.isExpanded(index)
            else [QPointF(x - 2, y - 4), QPointF(x + 2, y), QPointF(x - 2, y + 4)]
        )
        painter.drawPolyline(points)
        font = QFont(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        room = rect.adjusted(32, 0, -8, 0)
        metrics = QFontMetrics(font)
        words = metrics.elidedText(group.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, words)
        at = room.left() + metrics.horizontalAdvance(words) + 18
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("dim"))
        for outcome, count in group.counts:
            number = str(count)
            width = QFontMetrics(option.font).horizontalAdvance(number)
            if at + 18 + width > room.right():
                return
            paint_category(painter, QPointF(at + 5, y + 0.5), CATEGORIES[outcome], self._theme.colours, 8.5)
            painter.drawText(
                QRect(at + 14, rect.top(), width + 2, rect.height()), Qt.AlignmentFlag.AlignVCenter, number
            )
            at += 30 + width
