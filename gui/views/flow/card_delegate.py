"""Draws the stations of the data flow as cards."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.looks.theme import Theme
from gui.models.roles import Role, shown_category
from gui.names import elided_name
from gui.widgets.verdict_icon import paint_category

Index = QModelIndex | QPersistentModelIndex
_HEIGHT, _GAP, _RADIUS = 56, 6, 7
_MIDDLE = Qt.TextElideMode.ElideMiddle
"""The evidence stands at the end of what is said."""


class CardDelegate(QStyledItemDelegate):
    """A mark, a name and its figures; under them what comes by which way."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colour = self._theme.colour
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(option.rect).adjusted(2.5, 2.5, -2.5, 2.5 - _GAP)
        dim = index.data(Role.FACE) == "dim"
        focused = option.state & QStyle.StateFlag.State_HasFocus
        chosen = (
            option.state & QStyle.StateFlag.State_Selected and option.state & QStyle.StateFlag.State_Active
        )
        hovered = option.state & QStyle.StateFlag.State_MouseOver
        painter.setPen(colour("accent" if focused else "line"))
        ground = "selection" if chosen and focused else "hover" if hovered else "card" if dim else "second"
        painter.setBrush(colour(ground))
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        inside = frame.toRect().adjusted(10, 6, -10, -6)
        category = shown_category(index.data(Role.CATEGORY))
        if category is not None:
            centre = QPointF(inside.left() + 5, inside.top() + 9)
            paint_category(painter, centre, category, self._theme.colours, 10)
            inside.setLeft(inside.left() + 18)
        self._paint_words(painter, inside, option.font, index, dim)
        painter.restore()

    def _paint_words(self, painter: QPainter, inside: QRect, font: QFont, index: Index, dim: bool) -> None:
        colour, metrics = self._theme.colour, QFontMetrics(font)
        top, bottom = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignBottom
        figures, title = str(index.data(Role.COUNT) or ""), str(index.data() or "")
        detail, right = str(index.data(Role.DETAIL) or ""), inside.right()
        strong = QFont(font)
        strong.setWeight(QFont.Weight.Normal if dim else QFont.Weight.DemiBold)
        width = QFontMetrics(strong).horizontalAdvance
        shares = width(title) + 12 + metrics.horizontalAdvance(figures) <= inside.width()
        painter.setFont(strong)
        painter.setPen(colour("dim" if dim else "text"))
        painter.drawText(inside, top, elided_name(title, inside.width(), width))
        painter.setFont(font)
        if figures:
            painter.setPen(colour("introduces" if index.data(Role.CHANGED) else "dim"))
            painter.drawText(inside, Qt.AlignmentFlag.AlignRight | (top if shares else bottom), figures)
            if not shares:
                right -= metrics.horizontalAdvance(figures) + 10
        painter.setPen(colour("dim"))
        painter.drawText(inside, bottom, metrics.elidedText(detail, _MIDDLE, max(right - inside.left(), 30)))
