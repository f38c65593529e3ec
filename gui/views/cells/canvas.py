"""The squares of the map of cells: a colour for each level, a sign for each verdict where it fits."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from pyqtgraph import colormap
from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPixmap, qRgba

from core.messages import text
from gui import numbers
from gui.looks.theme import Colours, Theme
from gui.models.pair.categories import Category
from gui.models.pair.cell_matrix import CellMatrix, CellState, Level, Metric, Scale, Spot
from gui.models.pair.suspects import cell_label
from gui.names import shown
from gui.widgets.cell_canvas import CellCanvas
from gui.widgets.verdict_icon import paint_category

_SIGN_SIDE, _GAP_SIDE = 14, 6
"""Pixels of a square from which it holds a sign, and from which there are gaps between squares."""
_ENDS = {False: (0.02, 0.97), True: (0.10, 1.0)}
"""Part of the map of colours in light and dark schemes, away from the ground."""
_TINT = 0.16
"""Strength of the ground under a sign."""


@lru_cache(maxsize=16)
def level_colours(metric: Metric, signed: bool, colours: Colours) -> tuple[int, ...]:
    """Return the colour of each level; *signed* squares hold a sign, and their ground is faint."""
    made = [0] * 256
    made[Level.WAITING] = QColor(colours.second).rgba()
    made[Level.NOTHING] = QColor(colours.line).rgba()
    made[Level.BEYOND] = QColor(colours.nan).rgba()
    if metric is Metric.VERDICT:
        for category in Category:
            colour = QColor(colours.of(category))
            if signed:
                colour.setAlphaF(_TINT)
            made[Level.FIRST + category] = colour.rgba()
        return tuple(made)
    low, high = _ENDS[colours.dark]
    table = colormap.get("viridis").getLookupTable(nPts=1024)[:, :3]
    places = np.rint(np.linspace(low, high, Level.LAST - Level.FIRST + 1) * 1023).astype(int)
    for level, (red, green, blue) in enumerate(table[places].tolist(), Level.FIRST):
        made[level] = qRgba(red, green, blue, 255)
    return tuple(made)


class CellsCanvas(CellCanvas):
    """Draws one image, scaled; signs, hatches and gaps only for what is in sight."""

    smallest, largest = 5, 30
    compared = Signal(object)
    """The :class:`CellKey` that is to be laid over the trajectory, or no more."""

    def __init__(self, theme: Theme) -> None:
        self.matrix = CellMatrix()
        super().__init__(theme, self.matrix)
        self.coloured_by = Metric.VERDICT
        self.scale = Scale(np.empty((0, 0), np.uint8), "", "")
        self.overlaid: frozenset[tuple[int, int]] = frozenset()
        """Row and column of cells that are laid over the trajectory."""
        self._images: dict[bool, QImage] = {}
        self._signs: dict[tuple[int, int], QPixmap] = {}
        theme.changed.connect(self.repaint_all)

    def show_matrix(self, matrix: CellMatrix) -> None:
        """Show other cells."""
        self.matrix = matrix
        self.show_grid(matrix)
        self.refresh()

    def refresh(self) -> None:
        """Draw what has been counted since."""
        self.scale = self.matrix.scale(self.coloured_by)
        self.repaint_all()
        self._describe()

    def repaint_all(self) -> None:
        """Draw everything anew, in the colours in force."""
        self._images.clear()
        self._signs.clear()
        self.viewport().update()

    def show_metric(self, metric: Metric) -> None:
        """Colour the cells by *metric*."""
        self.coloured_by = metric
        self.refresh()

    # ---- drawing

    def _paint_squares(self, painter: QPainter, rows: range, columns: range) -> None:
        if self.empty or not rows or not columns:
            return
        side, signed = self.side, self.side >= _SIGN_SIDE
        corner = self.cell_rect(rows.start, columns.start).topLeft()
        place = QRect(corner.x(), corner.y(), len(columns) * side, len(rows) * side)
        part = QRect(columns.start, rows.start, len(columns), len(rows))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(place, self._image(signed), part)
        sight = np.ix_(rows, columns)
        hatch = QBrush(QColor(self._theme.colours.not_compared), Qt.BrushStyle.BDiagPattern)
        for row, column in np.argwhere(self.matrix.state[sight] == CellState.MISSING).tolist():
            box = self.cell_rect(rows.start + row, columns.start + column)
            painter.fillRect(box, hatch)
        if side >= _GAP_SIDE:
            self._paint_gaps(painter, place, rows, columns)
        if signed:
            self._paint_signs(painter, rows, columns)
        painter.setPen(QPen(QColor(self._theme.colours.accent), 1.5))
        for row, column in self.overlaid:
            if row in rows and column in columns:
                under = self.cell_rect(row, column).adjusted(2, 0, -2, -2)
                painter.drawLine(under.bottomLeft(), under.bottomRight())

    def _paint_gaps(self, painter: QPainter, place: QRect, rows: range, columns: range) -> None:
        side = self.side
        painter.setPen(QPen(QColor(self._theme.colours.card), 2 if side >= _SIGN_SIDE else 1))
        for column in range(len(columns) + 1):
            x = place.left() + column * side
            painter.drawLine(x, place.top(), x, place.top() + place.height())
        for row in range(len(rows) + 1):
            y = place.top() + row * side
            painter.drawLine(place.left(), y, place.left() + place.width(), y)

    def _paint_signs(self, painter: QPainter, rows: range, columns: range) -> None:
        """Put the sign of its worst row into each square, whatever it is coloured by."""
        if self.coloured_by is not Metric.VERDICT:
            return
        for row in rows:
            for column in columns:
                if self.matrix.state[row, column] == CellState.COUNTED:
                    sign = self._sign(int(self.matrix.category[row, column]))
                    painter.drawPixmap(self.cell_rect(row, column).topLeft(), sign)

    def _sign(self, category: int) -> QPixmap:
        side, ratio = self.side, self.devicePixelRatioF()
        if (category, side) not in self._signs:
            picture = QPixmap(round(side * ratio), round(side * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            size = min(side * 0.5, 11.0)
            paint_category(painter, QPointF(side / 2, side / 2), category, self._theme.colours, size)
            painter.end()
            self._signs[category, side] = picture
        return self._signs[category, side]

    def _image(self, signed: bool) -> QImage:
        if signed not in self._images:
            levels = np.ascontiguousarray(self.scale.levels, np.uint8)
            height, width = levels.shape
            image = QImage(levels.data, width, height, width, QImage.Format.Format_Indexed8)
            image.setColorTable(list(level_colours(self.coloured_by, signed, self._theme.colours)))
            self._images[signed] = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
        return self._images[signed]

    # ---- pointer and keys

    def _can_choose(self, row: int, column: int) -> bool:
        return int(self.matrix.state[row, column]) != CellState.MISSING

    def _choose(self, modifiers: Qt.KeyboardModifier) -> None:
        if not modifiers & Qt.KeyboardModifier.ControlModifier:
            super()._choose(modifiers)
        elif not self.empty and self._can_choose(*self._cursor):
            self.compared.emit(self.matrix.key(*self._cursor))

    def tip(self, row: int, column: int) -> str:
        """Return what is said of one cell."""
        told = self.matrix.told(row, column)
        lines = [cell_label(self.matrix.key(row, column)), *told]
        first = self.matrix.first_differing(row, column)
        if first is not None:
            lines.append(_first_words(first))
        return "\n".join(lines)

    def retranslate(self) -> None:
        """Set the words that are read aloud."""
        self.setAccessibleName(text("gui.cells.title"))
        self._describe()


def _first_words(first: Spot) -> str:
    name, place = shown(first.operator), numbers.percent(first.place)
    if first.error is None or not np.isfinite(first.error):
        return text("gui.cells.first", name=name, place=place)
    return text("gui.cells.first_error", name=name, place=place, error=numbers.scientific(first.error))
