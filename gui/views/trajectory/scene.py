"""What is drawn in the plot, from behind to the front, and in which colours and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPolygonF
from PySide6.QtWidgets import QGraphicsPolygonItem

from core.records.columns import Int64
from gui.looks.theme import Colours
from gui.models.pair.categories import Category
from gui.models.trajectory.lines import MOST_LINES, Overlay, drawn_heights
from gui.models.trajectory.passes import Pass, PassKind
from gui.models.trajectory.points import Lane, Role, Trajectory, noise_band
from gui.widgets.marks import Marks

SYMBOLS = {
    Category.IGNORED: ("x", 5.5), Category.EQUAL: ("o", 4.5), Category.CLOSE: ("o", 5.0),
    Category.GOLDEN_INVALID: ("s", 6.5), Category.INHERITED: ("s", 5.0), Category.DIFFERS: ("d", 7.5),
    Category.INTRODUCED: ("t1", 12.0),
}  # fmt: skip
_HOLLOW = (Category.CLOSE, Category.GOLDEN_INVALID, Category.IGNORED)
"""Drawn as a line around nothing, as everywhere else in the window."""
_INPUT_SIZE, _INPUT_STRENGTH = 0.72, 0.75


def _lost_path(role: Role) -> QPainterPath:
    """Return a dash, or a triangle that points at the line of its lane: down for the target's own calls."""
    path = QPainterPath()
    if role is Role.NOT_COMPARED:
        path.addRect(QRectF(-0.5, -0.12, 1.0, 0.24))
    else:
        away = -1 if role is Role.TARGET_ONLY else 1
        corners = [(-0.5, 0.9 * away), (0.5, 0.9 * away), (0, 0.05 * away)]
        path.addPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        path.closeSubpath()
    return path


_LOST = {role: _lost_path(role) for role in (Role.NOT_COMPARED, Role.TARGET_ONLY, Role.GOLDEN_ONLY)}


class PassBands(pg.GraphicsObject):
    """Grounds behind the passes that are not forward, and a line where one ends."""

    def __init__(self) -> None:
        super().__init__()
        self.passes: tuple[Pass, ...] = ()
        self._top = 0.0
        self._fills: dict[PassKind, QColor] = {}
        self._pen = pg.mkPen(None)

    def show_passes(self, passes: tuple[Pass, ...], top: float) -> None:
        """Draw other passes, up to the height *top*."""
        self.passes, self._top = passes, top
        self.update()

    def restyle(self, colours: Colours) -> None:
        """Draw in the colours of another scheme."""
        backward, behind = QColor(colours.dim), QColor(colours.golden_invalid)
        backward.setAlphaF(0.075)
        behind.setAlphaF(0.13)
        self._fills = {
            PassKind.BACKWARD: backward, PassKind.RECOMPUTING: backward, PassKind.OPTIMIZER: behind,
            PassKind.AFTER: behind,
        }  # fmt: skip
        self._pen = pg.mkPen(colours.dim, width=1, style=Qt.PenStyle.DashLine)
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(self.viewRect())

    def viewRangeChanged(self) -> None:
        """Follow the view that it fills."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw what is in sight."""
        view = self.viewRect()
        for each in self.passes:
            left, right = max(each.begin - 0.5, view.left()), min(each.end - 0.5, view.right())
            fill = self._fills.get(each.kind)
            if right > left and fill is not None:
                painter.fillRect(QRectF(left, view.top(), right - left, self._top - view.top()), fill)
        painter.setPen(self._pen)
        for each in self.passes[1:]:
            if view.left() < each.begin - 0.5 < view.right():
                x = each.begin - 0.5
                painter.drawLine(QPointF(x, view.top()), QPointF(x, self._top))


class Scene:
    """Puts all items but labels into *box*."""

    def __init__(self, box: pg.ViewBox) -> None:
        self._band, self._below = (np.empty(0), np.empty(0)), 0.0
        self.bands = PassBands()
        self.noise = pg.PlotCurveItem(stepMode="right", fillLevel=0.0)
        self.range = QGraphicsPolygonItem()
        self.lines = [pg.PlotCurveItem(connect="finite") for _ in range(MOST_LINES)]
        self.cursor = pg.InfiniteLine(angle=90, movable=False)
        self.faint, self.ring = Marks(), Marks()
        self.outputs = {category: Marks() for category in SYMBOLS}
        self.inputs = {category: Marks() for category in SYMBOLS}
        self.lost = {role: Marks() for role in _LOST}
        self._guides = [pg.InfiniteLine(angle=0, movable=False) for _ in range(24)]
        layers: list[Any] = [
            *self._guides, self.noise, self.bands, self.range, *self.lines, self.cursor, self.faint,
            *self.lost.values(), *self.inputs.values(), *self.outputs.values(), self.ring,
        ]  # fmt: skip
        for depth, item in enumerate(layers):
            item.setZValue(depth - len(layers))
            box.addItem(item, ignoreBounds=True)

    # ---- content

    def show_ground(self, points: Trajectory, passes: tuple[Pass, ...], guides: list[float]) -> None:
        """Draw what is behind the points."""
        self.bands.show_passes(passes, points.heights.top + 0.3)
        for line, height in zip(self._guides, [*guides, *[np.nan] * len(self._guides)]):
            line.setVisible(bool(np.isfinite(height)))
            if np.isfinite(height):
                line.setPos(height)
        x, allowed = self._band = noise_band(points)
        self.noise.setVisible(len(x) > 0)
        if len(x):
            # from edge to edge of the first and the last call, as the grounds of the passes
            edges = np.append(x, max(float(points.calls), x[-1] + 1)) - 0.5
            self.noise.setData(edges, np.append(allowed, allowed[-1]))
            # errors of 0 are expected as well; what was not compared is not
            below = 0.4 if Lane.LOST in points.heights.lanes else 2.0
            self._below = points.heights[Lane.ZERO] - below
            self.noise.setFillLevel(self._below)

    def noise_in(self, left: float, right: float) -> tuple[float, float, float]:
        """Return where the band of noise ends from *left* to *right*, and its edges there; NaN: nowhere."""
        x, allowed = self._band
        first, last = np.searchsorted(x, left) - 1, np.searchsorted(x, right, side="right")
        within = allowed[max(int(first), 0) : int(last)]
        if not len(within):
            return np.nan, np.nan, np.nan
        return min(right, float(x[-1]) + 0.5), float(within.min()), self._below

    def show_overlay(self, overlay: Overlay | None, points: Trajectory) -> None:
        """Draw the lines of other cells."""
        lines = overlay.lines if overlay is not None else ()
        for item, line in zip(self.lines, lines):
            item.setData(line.x, drawn_heights(line.y, points.heights))
        for at, item in enumerate(self.lines):
            item.setVisible(at < len(lines))
        band = overlay.band if overlay is not None else None
        self.range.setVisible(band is not None)
        if band is not None:
            x = np.r_[band.x, band.x[::-1]]
            edges = drawn_heights(np.r_[band.low, band.high[::-1]], points.heights)
            self.range.setPolygon(QPolygonF([pg.Point(*place) for place in zip(x.tolist(), edges.tolist())]))

    def show_points(self, points: Trajectory, seen: Int64, passing: np.ndarray) -> None:
        """Draw the points *seen*, those that *passing* flags with their marks."""
        faint, strong = seen[~passing], seen[passing]
        _put(self.faint, points, faint)
        role, category = points.role[strong], points.category[strong]
        for kind, items in ((Role.OUTPUT, self.outputs), (Role.INPUT, self.inputs)):
            for of, item in items.items():
                _put(item, points, strong[(role == kind) & (category == of)])
        for kind, item in self.lost.items():
            _put(item, points, strong[role == kind])

    # ---- looks

    def restyle(self, colours: Colours) -> None:
        """Draw in the colours of another scheme."""
        self.bands.restyle(colours)
        for line in self._guides:
            line.setPen(pg.mkPen(colours.line, width=1))
        self.noise.setPen(pg.mkPen(None))
        self.noise.setBrush(QColor(colours.band))
        self.cursor.setPen(pg.mkPen(colours.accent, width=1))
        for item, tint in zip(self.lines, colours.others):
            item.setPen(pg.mkPen(tint, width=1))
        self.range.setPen(pg.mkPen(None))
        self.range.setBrush(_faded(colours.dim, 0.25))
        for category, (symbol, size) in SYMBOLS.items():
            colour = QColor(colours.of(category))
            hollow = category in _HOLLOW
            _dress(self.outputs[category], symbol, size, colour, hollow)
            _dress(self.inputs[category], symbol, size * _INPUT_SIZE, _faded(colour, _INPUT_STRENGTH), True)
        for role, sign in _LOST.items():
            _dress(self.lost[role], sign, 9.0, QColor(colours.not_compared), False)
        _dress(self.faint, "o", 3.5, _faded(colours.dim, 0.22), False)
        _dress(self.ring, "o", 13, QColor(colours.text), True)
        self.ring.setPen(pg.mkPen(colours.text, width=1.1))


def _put(item: Marks, points: Trajectory, shown: Int64) -> None:
    """Draw the points *shown* as *item*; most kinds of marks are rare, and stay empty."""
    if len(shown) or len(item.data):
        item.setData(points.x[shown], points.y[shown])


def _faded(colour: str | QColor, strength: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(strength)
    return made


def _dress(item: Marks, symbol: object, size: float, colour: QColor, hollow: bool) -> None:
    item.setSymbol(symbol)
    item.setSize(size)
    item.setPen(pg.mkPen(colour, width=1.2) if hollow else pg.mkPen(None))
    item.setBrush(pg.mkBrush(None) if hollow else colour)
