"""Draws the cells of the slots: only what differs between the sides is coloured."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.looks.theme import Theme
from gui.models.call.arguments import ArgumentRole
from gui.models.call.word_parts import Parts
from gui.models.roles import Role, shown_category
from gui.widgets.verdict_icon import paint_category

Index = QModelIndex | QPersistentModelIndex
_HEIGHT = 27


class PartsDelegate(QStyledItemDelegate):
    """Differing parts are bold, underlined and, where they are more than noise, coloured."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fixed = theme.fixed_font()
        self._strong = QFont(self._fixed)
        self._strong.setWeight(QFont.Weight.DemiBold)
        self._strong.setUnderline(True)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        words = str(index.data() or "")
        around = 44 if index.column() == 0 else 26
        return QSize(QFontMetrics(self._strong).horizontalAdvance(words) + around, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        colour = self._theme.colour
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, colour("hover"))
        painter.setPen(colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(9, 0, -9, -1)
        category = shown_category(index.data(Role.CATEGORY))
        if category is not None:
            paint_category(painter, QPointF(inside.left() + 6, inside.center().y() + 1), category,
                           self._theme.colours, 10)  # fmt: skip
        if index.column() == 0:
            inside.setLeft(inside.left() + 19)
        if index.data(ArgumentRole.ABSENT):
            painter.setFont(option.font)
            painter.setPen(colour("dim"))
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        else:
            alarm = "dim" if index.data(ArgumentRole.CALM) else "introduces"
            self._paint_parts(painter, inside, index.data(ArgumentRole.PARTS) or (), alarm)
        painter.restore()

    def _paint_parts(self, painter: QPainter, inside: QRect, parts: Parts, alarm: str) -> None:
        left = inside.left()
        for words, differs in parts:
            font = self._strong if differs else self._fixed
            metrics, room = QFontMetrics(font), inside.right() - left
            painter.setFont(font)
            painter.setPen(self._theme.colour(alarm if differs else "text"))
            cut = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.drawText(
                QRect(left, inside.top(), max(room, 0), inside.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut,
            )  # fmt: skip
            left += metrics.horizontalAdvance(words)
            if cut != words or left >= inside.right():
                break
