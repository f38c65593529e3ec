"""Draws the way of bad values: a line down the left with a sign at each station."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.records.overflow import Way
from gui.looks.theme import Theme
from gui.models.overflow.stations import StationList, Stop
from gui.names import elided_name, shown

Index = QModelIndex | QPersistentModelIndex
_STATION, _HEADING = 44, 28


class StationDelegate(QStyledItemDelegate):
    """Name in the fixed font, how the values came dim under it; headings in bold."""

    def __init__(self, theme: Theme, model: StationList, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model
        self._fixed = theme.fixed_font()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, _HEADING if self._model.stops[index.row()].heading else _STATION)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        stop = self._model.stops[index.row()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if stop.heading:
            font = QFont(option.font)
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            painter.setPen(self._theme.colour("text"))
            inside = rect.adjusted(14, 6, -10, 0)
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
            painter.restore()
            return
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._theme.colour("selection"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._theme.colour("hover"))
        self._paint_line(painter, rect, stop)
        inside = rect.adjusted(36, 5, -10, -5)
        metrics = QFontMetrics(self._fixed)
        painter.setFont(self._fixed)
        painter.setPen(self._theme.colour("text"))
        name = elided_name(shown(stop.station.operator), inside.width(), metrics.horizontalAdvance)
        painter.drawText(inside, Qt.AlignmentFlag.AlignTop, name)
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("dim"))
        second = self._model.second_line(stop)
        words = QFontMetrics(option.font).elidedText(second, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignBottom, words)
        painter.restore()

    def _paint_line(self, painter: QPainter, rect: QRect, stop: Stop) -> None:
        """Draw the line through, and the sign of the way: a triangle, a dot, a ring, a diamond."""
        colours, x, y = self._theme.colours, rect.left() + 21.0, rect.top() + 15.0
        skipped = stop.station.skipped > 0 and not stop.first
        line = QPen(QColor(colours.not_compared), 1.4)
        if not stop.first:
            line.setStyle(Qt.PenStyle.DotLine if skipped else Qt.PenStyle.SolidLine)
            painter.setPen(line)
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, y - 5))
        if not stop.last:
            line.setStyle(Qt.PenStyle.SolidLine)
            painter.setPen(line)
            painter.drawLine(QPointF(x, y + 5), QPointF(x, rect.bottom() + 1))
        painter.setPen(Qt.PenStyle.NoPen)
        way = stop.station.way
        painter.setBrush(QColor(colours.introduces if way is Way.BORN else colours.inherited))
        if way is Way.BORN:
            points = [QPointF(x, y - 5), QPointF(x + 5.5, y + 4.5), QPointF(x - 5.5, y + 4.5)]
            painter.drawPolygon(QPolygonF(points))
        elif way is Way.FLOW:
            painter.drawRoundedRect(QRectF(x - 3.5, y - 3.5, 7, 7), 1.5, 1.5)
        else:
            points = [QPointF(x, y - 5.5), QPointF(x + 5.5, y), QPointF(x, y + 5.5), QPointF(x - 5.5, y)]
            painter.setPen(QPen(QColor(colours.inherited), 1.6))
            painter.setBrush(QColor(colours.card))
            painter.drawPolygon(QPolygonF(points))
