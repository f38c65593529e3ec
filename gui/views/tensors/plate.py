"""The pictures as a figure of their own: title, panes with axes and colours, what is said of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen
from PySide6.QtSvg import QSvgGenerator

from gui.looks.theme import Theme
from gui.tensors.scales import Shades
from gui.views.tensors.pane import Pane
from gui.views.tensors.plane_canvas import PlaneCanvas

_MARGIN, _LINE, _GAP = 16, 20, 18
_RATIO = 2
"""Pixels of a saved picture for one of the screen."""


class Plate:
    """Draws *panes* as they are on show, without what lies over them."""

    def __init__(self, theme: Theme, panes: Sequence[Pane], title: str, caption: str, font: QFont) -> None:
        self._theme, self._panes, self._title, self._caption = theme, panes, title, caption
        self._font = font
        widths = [pane.canvas.width() for pane in panes]
        tall = max((pane.canvas.height() for pane in panes), default=0)
        self._left = 44
        self.size = QSize(
            2 * _MARGIN + sum(width + self._left for width in widths) + _GAP * max(len(panes) - 1, 0),
            2 * _MARGIN + 5 * _LINE + tall + 12,
        )

    def image(self) -> QImage:
        """Return it as pixels."""
        made = QImage(self.size * _RATIO, QImage.Format.Format_ARGB32_Premultiplied)
        made.setDevicePixelRatio(_RATIO)
        painter = QPainter(made)
        self._paint(painter)
        painter.end()
        return made

    def save(self, path: str) -> bool:
        """Write it to *path*, as SVG or PNG by its ending; tell whether that worked."""
        if not path.lower().endswith(".svg"):
            return self.image().save(path)
        generator = QSvgGenerator()
        generator.setFileName(path)
        generator.setSize(self.size)
        generator.setViewBox(QRectF(0, 0, self.size.width(), self.size.height()))
        generator.setTitle(self._title)
        painter = QPainter()
        if not painter.begin(generator):
            return False
        self._paint(painter)
        return painter.end()

    def _paint(self, painter: QPainter) -> None:
        painter.setFont(self._font)
        painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), self._theme.colour("card"))
        strong = QFont(self._font)
        strong.setBold(True)
        inside = self.size.width() - 2 * _MARGIN
        self._write(painter, QRectF(_MARGIN, _MARGIN, inside, _LINE), self._title, "text", strong)
        left = _MARGIN
        for pane in self._panes:
            self._paint_pane(painter, pane, left + self._left, _MARGIN + _LINE + 6, strong)
            left += pane.canvas.width() + self._left + _GAP
        foot = QRectF(_MARGIN, self.size.height() - _MARGIN - _LINE, inside, _LINE)
        self._write(painter, foot, self._caption, "dim", self._font)

    def _write(self, painter: QPainter, where: QRectF, words: str, role: str, font: QFont) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(role))
        cut = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(where.width()))
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, cut)

    def _paint_pane(self, painter: QPainter, pane: Pane, left: float, top: float, strong: QFont) -> None:
        canvas = pane.canvas
        wide, tall = canvas.width(), canvas.height()
        self._write(painter, QRectF(left, top, wide, _LINE), pane.title, "text", strong)
        frame = QRectF(left, top + _LINE, wide, tall)
        if pane.note:
            painter.setPen(self._theme.colour("dim"))
            painter.drawText(frame, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, pane.note)
        else:
            painter.drawImage(frame, canvas.bare(_RATIO))
            self._paint_axes(painter, canvas, frame)
            below = QRectF(left, frame.bottom() + _LINE, wide, _LINE)
            if pane.bar.instead:
                self._write(painter, below, pane.bar.instead, "dim", self._font)
            elif pane.bar.shades is not None:
                self._paint_colours(painter, pane.bar.shades, pane.bar.ends, below)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)

    def _paint_axes(self, painter: QPainter, canvas: PlaneCanvas, frame: QRectF) -> None:
        """Write the first and the last row and column in sight."""
        sight = canvas.sight
        painter.setFont(self._font)
        painter.setPen(self._theme.colour("dim"))
        region = sight.region()
        below = QRectF(frame.left(), frame.bottom() + 1, frame.width(), _LINE - 2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(below, middle | Qt.AlignmentFlag.AlignLeft, str(region.left))
        painter.drawText(below, middle | Qt.AlignmentFlag.AlignRight, str(region.right - 1))
        beside = QRectF(frame.left() - self._left, frame.top(), self._left - 5, frame.height())
        if sight.rows > 1:
            right = Qt.AlignmentFlag.AlignRight
            painter.drawText(beside, right | Qt.AlignmentFlag.AlignTop, str(region.top))
            painter.drawText(beside, right | Qt.AlignmentFlag.AlignBottom, str(region.bottom - 1))

    def _paint_colours(self, painter: QPainter, shades: Shades, ends: tuple[str, str], where: QRectF) -> None:
        painter.setFont(self._font)
        metrics = painter.fontMetrics()
        if shades.names:
            x = where.left()
            for name, colour in zip(shades.names, shades.table):
                painter.fillRect(QRectF(x, where.center().y() - 5, 10, 10), QColor(*map(int, colour)))
                painter.setPen(self._theme.colour("dim"))
                width = metrics.horizontalAdvance(name) + 2
                painter.drawText(
                    QRectF(x + 14, where.top(), width, _LINE), Qt.AlignmentFlag.AlignVCenter, name
                )
                x += width + 26
            return
        low, high = ends
        painter.setPen(self._theme.colour("dim"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(where, middle | Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(where, middle | Qt.AlignmentFlag.AlignRight, high)
        left = where.left() + metrics.horizontalAdvance(low) + 7
        wide = where.right() - metrics.horizontalAdvance(high) - 7 - left
        steps = len(shades.table)
        for step, colour in enumerate(shades.table):
            box = QRectF(left + wide * step / steps, where.center().y() - 4, wide / steps + 0.6, 8)
            painter.fillRect(box, QColor(*map(int, colour)))
