"""Draws the cells of tables and trees by the roles of :mod:`gui.models.roles`.

Drawn by hand: a style sheet would be asked once a cell, and a table scrolls at hundreds of cells a frame.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.models.hierarchy import Side
from gui.models.roles import Role, shown_category
from gui.names import elided_name, shown
from gui.theme import Theme
from gui.widgets.verdict_icon import paint_category

Index = QModelIndex | QPersistentModelIndex
_MIDDLE = Qt.TextElideMode.ElideMiddle
_END = Qt.TextElideMode.ElideRight


def _fill_ground(painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> None:
    """Show by the ground that a row is selected, or that the pointer is over it."""
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, theme.colour("selection"))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(option.rect, theme.colour("hover"))


class CellDelegate(QStyledItemDelegate):
    """One line a cell, with a hair line under it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, height: int = 27) -> None:
        super().__init__(parent)
        self._theme = theme
        self._height = height
        self._fixed = theme.fixed_font()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), self._height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._theme.colour("selection"))
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(9, 0, -9, -1)
        category = shown_category(index.data(Role.CATEGORY))
        if category is not None:
            centre = QPointF(inside.left() + 6, inside.center().y() + 1)
            paint_category(painter, centre, category, self._theme.colours, 10)
            inside.setLeft(inside.left() + 19)
        face = index.data(Role.FACE)
        font = self._fixed if face in ("name", "operator") else option.font
        painter.setFont(font)
        role = "introduces" if index.data(Role.CHANGED) else "dim" if face == "dim" else "text"
        painter.setPen(self._theme.colour(role))
        words, metrics = shown(str(index.data() or "")), QFontMetrics(font)
        if face == "operator":
            cut = elided_name(words, inside.width(), metrics.horizontalAdvance)
        else:
            cut = metrics.elidedText(words, _MIDDLE if face == "name" else _END, inside.width())
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        flags = int(alignment) if alignment is not None else int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(inside, flags | int(Qt.TextFlag.TextSingleLine), cut)
        painter.restore()


class TreeDelegate(QStyledItemDelegate):
    """A mark, a name cut in its middle, a dim detail, and a count at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, 25)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        painter.save()
        _fill_ground(painter, option, self._theme)
        inside = rect.adjusted(4, 0, -10, 0)
        category = shown_category(index.data(Role.CATEGORY))
        if category is not None:
            centre = QPointF(inside.left() + 6, inside.center().y() + 1)
            paint_category(painter, centre, category, self._theme.colours, 9.5)
            inside.setLeft(inside.left() + 19)
        font: QFont = option.font
        metrics = QFontMetrics(font)
        painter.setFont(font)
        trailing = str(index.data(Role.COUNT) or "")
        if trailing:
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, trailing)
            inside.setRight(inside.right() - metrics.horizontalAdvance(trailing) - 8)
        detail = str(index.data(Role.DETAIL) or "")
        room = inside.width() - (metrics.horizontalAdvance(detail) + 6 if detail else 0)
        one_sided = index.data(Role.SIDE) not in (None, int(Side.BOTH))
        painter.setPen(self._theme.colour("dim" if one_sided else "text"))
        cut = elided_name(shown(str(index.data() or "")), max(room, 40), metrics.horizontalAdvance)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, cut)
        if detail:
            inside.setLeft(inside.left() + metrics.horizontalAdvance(cut) + 6)
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(
                inside, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(detail, _END, inside.width())
            )
        painter.restore()


class FrameDelegate(QStyledItemDelegate):
    """A stack frame: place and function dim, the code under it in the fixed font."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fixed = theme.fixed_font()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, 46)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        painter.save()
        _fill_ground(painter, option, self._theme)
        if index.data(Role.CHANGED):
            painter.fillRect(
                QRect(rect.left(), rect.top() + 4, 3, rect.height() - 8),
                QColor(self._theme.colours.inherited),
            )
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(12, 5, -10, -5)
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("dim"))
        metrics = QFontMetrics(option.font)
        place = metrics.elidedText(str(index.data(Role.DETAIL) or ""), _MIDDLE, inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignTop, place)
        painter.setFont(self._fixed)
        painter.setPen(self._theme.colour("text"))
        code = QFontMetrics(self._fixed).elidedText(shown(str(index.data() or "")), _END, inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignBottom, code)
        painter.restore()
