"""Draws the cells of tables and trees by the roles of :mod:`gui.models.roles`.

Drawn by hand: a style sheet would be asked once a cell, and a table scrolls at hundreds of cells a frame.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.looks.theme import Theme
from gui.models.roles import Role, shown_category
from gui.models.tree.operator_tree import NODE_ROLE, Branch, NodeLook
from gui.names import elided_name, shown
from gui.widgets.verdict_icon import paint_category

Index = QModelIndex | QPersistentModelIndex
_MIDDLE = Qt.TextElideMode.ElideMiddle
_END = Qt.TextElideMode.ElideRight
_INDENT, _BRANCH = 14, 18
"""Pixels a level of a tree is indented by, and that the sign before a node takes."""
_MOST_INDENTED = 0.42
"""Share of a row beyond which deeper nodes are indented no further."""
_LEAST_NAME = 56
"""Pixels that a name has before what is beside it."""


def _fill_ground(painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> None:
    """Show by the ground that a row is selected, or that the pointer is over it."""
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(option.rect, theme.colour("selection"))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(option.rect, theme.colour("hover"))


_TINTS = (0.0, 0.12, 0.22, 0.36)
"""How much of its colour each step of a tint has: all leave the text at a contrast of 4.5 at least."""


class CellDelegate(QStyledItemDelegate):
    """One line a cell, with a hair line under it. What is tinted is bold too, for the colour-blind."""

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
        steps = index.data(Role.LEVEL)
        if steps:
            self._tint(painter, rect, int(steps), int(index.data(Role.TINT)))
            font = QFont(font)
            font.setBold(True)
        if state & QStyle.StateFlag.State_HasFocus:
            self._outline(painter, rect)
        painter.setFont(font)
        role = "introduces" if index.data(Role.CHANGED) else "dim" if face == "dim" else "text"
        painter.setPen(self._theme.colour(role))
        words, metrics = shown(str(index.data() or "")), QFontMetrics(font)
        if face == "operator":
            cut = elided_name(words, inside.width(), metrics.horizontalAdvance)
        else:
            cut = metrics.elidedText(words, _MIDDLE if face in ("name", "slot") else _END, inside.width())
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        flags = int(alignment) if alignment is not None else int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(inside, flags | int(Qt.TextFlag.TextSingleLine), cut)
        painter.restore()

    def _tint(self, painter: QPainter, rect: QRect, steps: int, category: int) -> None:
        colour = QColor(self._theme.colours.of(category))
        colour.setAlphaF(_TINTS[steps])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(rect.adjusted(3, 3, -3, -4), 4, 4)

    def _outline(self, painter: QPainter, rect: QRect) -> None:
        """Show which cell the keys act on."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.colour("accent"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(rect).adjusted(1.5, 1.5, -2.5, -2.5), 4, 4)


class TreeDelegate(QStyledItemDelegate):
    """A branch, a mark, a name cut in its middle, a dim detail, and a number at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, 25)

    def branch_area(self, rect: QRect, look: NodeLook) -> QRect:
        """Return where in *rect* the branch of a node is drawn, and answers the mouse."""
        left = min(look.depth * _INDENT, int(rect.width() * _MOST_INDENTED))
        return QRect(rect.left() + left, rect.top(), _BRANCH, rect.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        look = index.data(NODE_ROLE)
        if look is None:
            return
        painter.save()
        _fill_ground(painter, option, self._theme)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._theme.colour("accent"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        branch = self.branch_area(rect, look)
        self._paint_branch(painter, branch, look.branch)
        inside = rect.adjusted(0, 0, -10, 0)
        inside.setLeft(branch.right() + 1)
        if look.category is not None:
            centre = QPointF(inside.left() + 6, inside.center().y() + 1)
            paint_category(painter, centre, look.category, self._theme.colours, 9.5)
            inside.setLeft(inside.left() + 19)
        font = QFont(option.font)
        metrics = QFontMetrics(font)
        number = metrics.horizontalAdvance(look.number) + 8 if look.number else 0
        if number and inside.width() - number >= _LEAST_NAME:
            painter.setFont(font)
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, look.number)
            inside.setRight(inside.right() - number)
        if look.marked:
            font.setWeight(QFont.Weight.DemiBold)
        self._paint_words(painter, inside, look, font, metrics)
        painter.restore()

    def _paint_words(
        self, painter: QPainter, inside: QRect, look: NodeLook, font: QFont, plain: QFontMetrics
    ) -> None:
        metrics = QFontMetrics(font)
        beside = plain.horizontalAdvance(look.detail) + 6 if look.detail else 0
        room = max(inside.width() - beside, min(inside.width(), _LEAST_NAME))
        cut = elided_name(look.label, room, metrics.horizontalAdvance)
        painter.setFont(font)
        painter.setPen(self._theme.colour("accent" if look.marked else "dim" if look.one_sided else "text"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, cut)
        if look.detail:
            inside.setLeft(inside.left() + metrics.horizontalAdvance(cut) + 6)
            font.setWeight(QFont.Weight.Normal)
            painter.setFont(font)
            painter.setPen(self._theme.colour("dim"))
            detail = plain.elidedText(look.detail, _END, inside.width())
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, detail)

    def _paint_branch(self, painter: QPainter, area: QRect, branch: Branch) -> None:
        if branch is Branch.NONE:
            return
        x, y = area.center().x() + 0.5, area.center().y() + 1.0
        across = [(-3.5, -1.8), (0.0, 1.8), (3.5, -1.8)]
        points = across if branch is Branch.OPEN else [(down, right) for right, down in across]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("not_compared"), 1.5))
        painter.drawPolyline([QPointF(x + right, y + down) for right, down in points])
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
