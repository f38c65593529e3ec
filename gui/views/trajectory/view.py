"""The error trajectory: relative error of each output over the order of execution.

Where the curve jumps is the bug. A click selects; the wheel zooms along the run, dragging moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QToolButton, QToolTip

from core.messages import text
from core.records.names import short_name
from core.records.result import Reason
from gui import numbers
from gui.context import Context
from gui.icons import icon
from gui.models.categories import Category
from gui.names import shown
from gui.views.trajectory.axis import DecadeAxis
from gui.views.trajectory.differing import what_differs
from gui.views.trajectory.points import Trajectory, noise_band, seen_points, trajectory_of
from gui.widgets.card import Card
from gui.widgets.translated import Translated

_SYMBOLS = {
    Category.EQUAL: ("o", 4.5), Category.CLOSE: ("o", 5.0), Category.GOLDEN_INVALID: ("s", 7.0),
    Category.INHERITED: ("s", 5.0), Category.DIFFERS: ("d", 7.5), Category.INTRODUCED: ("t1", 12.0),
}  # fmt: skip
_LABEL_ROOM = 30
"""Pixels above and below all points, kept for labels."""
LEAST_HEIGHT = 150
"""Pixels of the card below which it tells nothing."""
_REACH = 14
"""How near, in pixels, the pointer must be to mean a point."""


def _width(label: pg.TextItem) -> float:
    """Return how many pixels *label* takes, with some air."""
    return float(label.textItem.boundingRect().width()) + 12


class TrajectoryView(Translated, Card):
    """The card with the plot."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._theme = context.session, context.theme
        self._points: Trajectory | None = None
        self._folded = False
        self.setMinimumHeight(1)  # where there is no room for it, it is folded and not drawn small
        self._axis = DecadeAxis()
        self._box = pg.ViewBox(enableMenu=False)
        self._box.setMouseEnabled(x=True, y=False)
        self._axis.linkToView(self._box)
        # not pyqtgraph's PlotWidget, which brings menus of its own that are not ours to translate
        layout = pg.GraphicsLayout()
        layout.setContentsMargins(4, 6, 12, 4)
        layout.setSpacing(0)
        layout.addItem(self._axis, 0, 0)
        layout.addItem(self._box, 0, 1)
        self._plot = pg.GraphicsView(background=None)
        self._plot.setCentralItem(layout)
        self._plot.setMinimumHeight(110)
        self._plot.setFrameShape(QFrame.Shape.NoFrame)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._build_items()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._redraw)
        self._fit = QToolButton()
        self._fit.clicked.connect(self.fit)
        self._fit.setAutoRaise(True)
        self.header.add(self._fit)
        self.body.addWidget(self._plot, 1)
        self.body.setContentsMargins(4, 0, 4, 6)
        self._box.sigRangeChanged.connect(self._soon)
        self._box.sigResized.connect(self._fit_height)
        self._plot.scene().sigMouseClicked.connect(self._click)
        self._plot.scene().sigMouseMoved.connect(self._hover)
        self._session.cell_changed.connect(self._load)
        self._session.row_changed.connect(self._mark)
        self._session.filter_changed.connect(self._soon)
        self._session.suspects.changed.connect(self._soon)
        self._theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def _build_items(self) -> None:
        self._band = pg.PlotCurveItem(stepMode="right", fillLevel=0.0)
        self._band.setZValue(-20)
        self._faint = pg.ScatterPlotItem(pxMode=True)
        self._scatters = {category: pg.ScatterPlotItem(pxMode=True) for category in _SYMBOLS}
        self._turn = pg.InfiniteLine(angle=90, movable=False)
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self._ring = pg.ScatterPlotItem(pxMode=True)
        self._label = pg.TextItem(anchor=(0, 0))
        self._noise_label = pg.TextItem(anchor=(1, 1))
        self._forward_label = pg.TextItem(anchor=(0.5, 1))
        self._backward_label = pg.TextItem(anchor=(0.5, 1))
        self._guides = [pg.InfiniteLine(angle=0, movable=False) for _ in range(24)]
        for line in self._guides:
            line.setZValue(-30)
            self._box.addItem(line, ignoreBounds=True)
        for item in (self._band, self._turn, self._cursor, self._faint):
            self._box.addItem(item, ignoreBounds=True)
        for depth, item in enumerate(self._scatters.values()):
            item.setZValue(depth)
            self._box.addItem(item, ignoreBounds=True)
        self._ring.setZValue(40)
        for item in (self._ring, self._label, self._noise_label, self._forward_label, self._backward_label):
            self._box.addItem(item, ignoreBounds=True)
        for item in (self._label, self._noise_label, self._forward_label, self._backward_label):
            item.setZValue(50)

    # ---- content

    def _load(self) -> None:
        session = self._session
        if session.cell is None or session.facts is None:
            return
        self._show()
        points = self._points = trajectory_of(session.cell, session.facts)
        lanes = {}
        if points.has_zero:
            lanes[points.bottom] = "0"
        if points.has_special:
            lanes[points.special] = "NaN/Inf"
        if points.has_unsized:
            lanes[points.unsized] = text("gui.trajectory.lane")
        self._axis.set_lanes(lanes, points.bottom + 0.5, min(points.special, points.unsized) - 0.5)
        ticks = self._axis.guides()
        for line, height in zip(self._guides, [*ticks, *[np.nan] * len(self._guides)]):
            line.setVisible(bool(np.isfinite(height)))
            if np.isfinite(height):
                line.setPos(height)
        self._band.setVisible(len(points) > 0)
        x, allowed = noise_band(points)
        if len(x):
            right = max(float(points.calls), x[-1] + 1)
            self._band.setData(np.append(x, right), np.append(allowed, allowed[-1]))
            self._band.setFillLevel(points.bottom - 2)
        self._turn.setVisible(bool(np.isfinite(points.backward_from)))
        if np.isfinite(points.backward_from):
            self._turn.setPos(points.backward_from)
        self.fit()
        self._place_labels()
        self._mark()

    def fold(self, folded: bool) -> None:
        """Give the room to the table, or take it back."""
        if folded != self._folded:
            self._folded = folded
            self._show()

    def _show(self) -> None:
        self.setVisible(not self._session.is_exploring() and not self._folded)

    def fit(self) -> None:
        """Show the whole run."""
        if self._points is None:
            return
        points = self._points
        margin = max(points.calls * 0.008, 0.5)
        self._box.setLimits(
            xMin=-margin * 2, xMax=points.calls + margin * 2, minXRange=min(8, points.calls + 1)
        )
        self._box.setXRange(-margin, points.calls - 1 + margin, padding=0)
        self._fit_height()
        self._soon()

    def _fit_height(self, *_: Any) -> None:
        """Show all errors, with room above them for the label whatever the height of the card."""
        if self._points is None:
            return
        points = self._points
        lanes = points.has_special or points.has_unsized
        low, high = points.bottom - 0.3, points.top + (0.3 if lanes else -0.5)
        height = max(self._box.height(), 80)
        decade = (high - low) / (height - 2 * _LABEL_ROOM)  # room above and below all points
        low, high = low - decade * _LABEL_ROOM, high + decade * _LABEL_ROOM
        self._box.setLimits(yMin=low, yMax=high)
        self._box.setYRange(low, high, padding=0)
        self._place_labels()

    def _soon(self, *_: Any) -> None:
        """Redraw once all that is changing now has changed."""
        self._timer.start(0)

    def _redraw(self) -> None:
        points, facts = self._points, self._session.facts
        if points is None or facts is None or len(self._session.mask) != len(facts):
            return
        (left, right), _y = self._box.viewRange()
        seen = seen_points(points, left, right, max(self._plot.width(), 1), max(self._plot.height(), 1))
        passes = self._session.mask[points.row[seen]]
        faint, strong = seen[~passes], seen[passes]
        self._faint.setData(points.x[faint], points.y[faint])
        for category, item in self._scatters.items():
            mine = strong[points.category[strong] == category]
            item.setData(points.x[mine], points.y[mine])
        self._place_labels()

    def _mark(self) -> None:
        points, session = self._points, self._session
        facts = session.facts
        known = points is not None and facts is not None and session.row >= 0
        self._cursor.setVisible(known)
        self._ring.setVisible(False)
        if points is None or facts is None or session.row < 0:
            return
        call = float(facts.call_of_row[session.row])
        self._cursor.setPos(call)
        mine = np.flatnonzero(points.x == call)
        if len(mine):
            exact = mine[points.row[mine] == session.row]
            at = int(exact[0]) if len(exact) else int(mine[np.argmax(points.category[mine])])
            self._ring.setData([points.x[at]], [points.y[at]])
            self._ring.setVisible(True)
        (left, right), _y = self._box.viewRange()
        if not left <= call <= right:
            half = (right - left) / 2
            self._box.setXRange(call - half, call + half, padding=0)

    def _place_labels(self) -> None:
        points, facts = self._points, self._session.facts
        if points is None or facts is None:
            return
        accused = [self._session.suspects.row_of(suspect) for suspect in self._session.suspects.in_cell()]
        held = np.flatnonzero(np.isin(points.row, accused) & (points.category >= Category.DIFFERS))
        looked_at = held[points.row[held] == accused[0]] if accused else held
        first = looked_at if len(looked_at) else held
        if not len(first):
            first = np.flatnonzero(points.category == Category.INTRODUCED)
        code = "gui.trajectory.introduces"
        if not len(first):
            first = np.flatnonzero(points.category == Category.DIFFERS)
            code = "gui.trajectory.first"
        self._label.setVisible(len(first) > 0)
        (left, right), (low, high) = self._box.viewRange()
        if len(first) and self._session.cell is not None:
            at = int(first[0])
            row = int(points.row[at])
            name = numbers.shortened(shown(short_name(facts.operators[int(facts.operator[row])])))
            self._label.setText(f"  {text(code, name=name, error=what_differs(self._session.cell, row))}  ")
            on_the_right = points.x[at] > left + (right - left) * 0.65
            self._label.setAnchor((1.0 if on_the_right else 0.0, 0.0))
            self._label.setPos(points.x[at], high)
        self._place_lower_labels(points, left, right, low)

    def _place_lower_labels(self, points: Trajectory, left: float, right: float, low: float) -> None:
        """Put the names of the passes and of the band into the room below all points, where they fit."""
        split, wide = points.backward_from, (right - left) / max(self._box.width(), 1)
        noise = _width(self._noise_label) * wide if np.isfinite(points.allowed).any() else 0.0
        start = max(split, left) if np.isfinite(split) else left
        turn = _width(self._backward_label) * wide if np.isfinite(split) else 0.0
        noise = noise if noise < right - start - turn else 0.0
        self._noise_label.setVisible(noise > 0)
        self._noise_label.setPos(right, low)
        for label, begin, end in (
            (self._forward_label, left, min(split, right)),
            (self._backward_label, max(split, left), right - noise),
        ):
            fits = bool(np.isfinite(split)) and end - begin > _width(label) * wide
            label.setVisible(fits)
            if fits:
                label.setPos((begin + end) / 2, low)

    # ---- pointer and keys

    def _nearest(self, scene_position: QPointF) -> int:
        points = self._points
        if points is None or not len(points):
            return -1
        here = self._box.mapSceneToView(scene_position)
        (left, right), (low, high) = self._box.viewRange()
        wide = max(self._box.width(), 1) / max(right - left, 1e-9)
        tall = max(self._box.height(), 1) / max(high - low, 1e-9)
        distance = np.hypot((points.x - here.x()) * wide, (points.y - here.y()) * tall)
        at = int(np.argmin(distance))
        return at if distance[at] <= _REACH else -1

    def _click(self, event: Any) -> None:
        if event.double():
            self.fit()
            return
        at = self._nearest(event.scenePos())
        if at >= 0 and self._points is not None:
            self._session.select(int(self._points.row[at]))

    def _hover(self, position: QPointF) -> None:
        at = self._nearest(position) if self._box.sceneBoundingRect().contains(position) else -1
        facts, cell = self._session.facts, self._session.cell
        if at < 0 or self._points is None or facts is None or cell is None:
            self._plot.setCursor(Qt.CursorShape.ArrowCursor)
            QToolTip.hideText()
            return
        self._plot.setCursor(Qt.CursorShape.PointingHandCursor)
        row = int(self._points.row[at])
        sized = bool(np.isfinite(cell.rows.error[row]))
        tip = text(
            "gui.trajectory.tip" if sized else "gui.trajectory.tip_reason",
            name=shown(facts.operators[int(facts.operator[row])]),
            slot=shown(facts.slots[int(facts.slot[row])]),
            verdict=Category(int(facts.category[row])).word,
            error=numbers.scientific(float(cell.rows.error[row])),
            allowed=numbers.scientific(float(cell.rows.allowed[row])),
            reason=text(f"reason.{Reason(int(cell.rows.reason[row])).name.lower()}"),
        )
        where = self._plot.mapToGlobal(self._plot.mapFromScene(position)) + QPoint(12, 8)
        QToolTip.showText(where, tip, self._plot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        points = self._points
        if event.key() not in steps or points is None or not len(points):
            super().keyPressEvent(event)
            return
        at = int(np.searchsorted(points.row, self._session.row))
        exact = at < len(points) and points.row[at] == self._session.row
        if event.key() == Qt.Key.Key_Right:
            at = at + 1 if exact else at
        else:
            at -= 1
        self._session.select(int(points.row[np.clip(at, 0, len(points) - 1)]))

    # ---- looks

    def _restyle(self) -> None:
        colours = self._theme.colours
        self._plot.setBackground(colours.card)
        self._axis.setPen(QColor(0, 0, 0, 0))
        self._axis.setTextPen(QColor(colours.dim))
        self._axis.setStyle(tickLength=0, tickTextOffset=6, autoExpandTextSpace=False, tickAlpha=0)
        self._axis.setTickFont(self.font())
        self._axis.setWidth(62)
        for line in self._guides:
            line.setPen(pg.mkPen(colours.line, width=1))
        self._band.setPen(pg.mkPen(None))
        self._band.setBrush(QColor(colours.band))
        self._turn.setPen(pg.mkPen(colours.dim, width=1, style=Qt.PenStyle.DashLine))
        self._cursor.setPen(pg.mkPen(colours.accent, width=1))
        for category, item in self._scatters.items():
            symbol, size = _SYMBOLS[category]
            item.setSymbol(symbol)
            item.setSize(size)
            item.setPen(pg.mkPen(None))
            item.setBrush(QColor(colours.of(category)))
        faint = QColor(colours.dim)
        faint.setAlphaF(0.22)
        self._faint.setPen(pg.mkPen(None))
        self._faint.setBrush(faint)
        self._faint.setSymbol("o")
        self._faint.setSize(3.5)
        self._ring.setSymbol("o")
        self._ring.setSize(13)
        self._ring.setBrush(pg.mkBrush(None))
        self._ring.setPen(pg.mkPen(colours.text, width=1.6))
        bold = self.font()
        bold.setWeight(bold.Weight.DemiBold)
        self._label.setFont(bold)
        self._label.setColor(QColor(colours.introduces))
        self._label.fill = pg.mkBrush(colours.card)  # the lines behind it stop at its edges
        for item in (self._noise_label, self._forward_label, self._backward_label):
            item.setFont(self.font())
            item.setColor(QColor(colours.dim))
        self._fit.setIcon(icon("fit", colours.dim))
        self._soon()

    def retranslate(self) -> None:
        if self._points is not None and self._points.has_unsized:
            self._axis.rename(self._points.unsized, text("gui.trajectory.lane"))
        self.set_title(text("gui.trajectory.title"), text("gui.trajectory.subtitle"))
        self._noise_label.setText(text("gui.trajectory.noise"))
        self._forward_label.setText(text("gui.trajectory.forward"))
        self._backward_label.setText(text("gui.trajectory.backward"))
        self._fit.setToolTip(text("gui.trajectory.fit"))
        self._fit.setAccessibleName(text("gui.trajectory.fit"))
        self._plot.setAccessibleName(text("gui.trajectory.title"))
        self._place_labels()
