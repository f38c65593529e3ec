"""Draws the frames of two stacks beside each other."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.messages import text
from gui.looks.theme import Theme
from gui.models.call.stack_table import FrameRole
from gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex
HEIGHT = 44
_GUTTER = 24
_END = Qt.TextElideMode.ElideRight


class PairDelegate(QStyledItemDelegate):
    """A sign where the sides differ, place and function dim, the code under them; gaps are hatched."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fixed = theme.fixed_font()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        colour = self._theme.colour
        painter.save()
        if index.data() is None:
            painter.fillRect(rect, QBrush(colour("line"), Qt.BrushStyle.BDiagPattern))
        elif option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, colour("hover"))
        painter.setPen(colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if index.column() == 0:
            painter.drawLine(rect.topRight(), rect.bottomRight())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(colour("accent"))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        if index.data() is not None:
            self._paint_frame(painter, rect, option, index)
        painter.restore()

    def _paint_frame(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, index: Index
    ) -> None:
        colour, changed = self._theme.colour, bool(index.data(Role.CHANGED))
        sign = str(index.data(FrameRole.SIGN) or "")
        if sign:
            painter.setFont(self._fixed)
            painter.setPen(colour("inherited" if changed else "dim"))
            painter.drawText(QRect(rect.left() + 4, rect.top(), _GUTTER - 6, rect.height()),
                             Qt.AlignmentFlag.AlignCenter, sign)  # fmt: skip
        if changed:
            painter.fillRect(QRect(rect.left(), rect.top() + 4, 3, rect.height() - 8), colour("inherited"))
        inside = rect.adjusted(_GUTTER, 5, -10, -5)
        metrics, upper = QFontMetrics(option.font), inside.width()
        painter.setFont(option.font)
        if index.data(FrameRole.CALLED_HERE):
            here = text("gui.stack.called_here")
            width = metrics.horizontalAdvance(here)
            painter.setPen(colour("accent"))
            painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, here)
            painter.setBrush(colour("accent"))
            top = inside.top() + metrics.height() / 2
            left = inside.right() - width - 12
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPolygon([QPointF(left, top - 3.5), QPointF(left, top + 3.5), QPointF(left + 6, top)])
            upper -= width + 22
        painter.setPen(colour("dim"))
        place, function = str(index.data(Role.DETAIL) or ""), str(index.data(FrameRole.FUNCTION) or "")
        function = metrics.elidedText(function, _END, max(upper // 2, 40))
        room = upper - metrics.horizontalAdvance(function) - 10
        place = _elided_place(place, room, metrics)
        painter.drawText(inside, Qt.AlignmentFlag.AlignTop, f"{place}  {function}".strip())
        painter.setFont(self._fixed)
        painter.setPen(colour("dim" if index.data(FrameRole.FOREIGN) else "text"))
        code = QFontMetrics(self._fixed).elidedText(str(index.data()), _END, inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignBottom, code)


def _elided_place(place: str, room: int, metrics: QFontMetrics) -> str:
    """Return *place* without its first folders where there is no room for them; its end tells most."""
    names = place.replace("\\", "/").split("/")
    for first in range(1, len(names)):
        if metrics.horizontalAdvance(place) <= room:
            return place
        place = "…/" + "/".join(names[first:])
    return metrics.elidedText(place, Qt.TextElideMode.ElideLeft, room)
