"""The error trajectory: relative error of each output over the order of execution.

Where the curve jumps is the bug. A click selects; the wheel zooms along the run, dragging moves.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip

from core.messages import Message, text
from gui.context import Context
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.trajectory.jumps import Jumps, jumps_of
from gui.models.trajectory.passes import Pass, passes_of
from gui.models.trajectory.points import Lane, Trajectory, trajectory_of
from gui.models.trajectory.seen import seen_points
from gui.views.trajectory.axis import DecadeAxis
from gui.views.trajectory.heading_buttons import HeadingButtons
from gui.views.trajectory.labels import Labels, room
from gui.views.trajectory.legend import SignLegend
from gui.views.trajectory.naming import named_point
from gui.views.trajectory.overlay_bar import OverlayBar, fill_overlay_menu
from gui.views.trajectory.plot import LEAST_PLOT, Plot
from gui.views.trajectory.pointer import Pointer
from gui.views.trajectory.scene import Scene
from gui.widgets.card import Card
from gui.widgets.translated import Translated

LEAST_HEIGHT = 150
"""Pixels of the card below which it tells nothing."""
_AROUND = 8
"""Pixels of the card above and below the plot."""
_ZOOM = 0.7
_LANES = (Lane.SPECIAL, Lane.ZERO, Lane.UNSIZED, Lane.LOST)
"""Those with a word of their own; where there is no room for all, the first ones have it."""


class TrajectoryView(Translated, Card):
    """The card with the plot."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._session, self._theme = context, context.session, context.theme
        self._settings, self._overlays = context.settings, context.session.overlays
        self._facts: Facts | None = None
        """Those that the points are of: between two cells the session is ahead of what is drawn."""
        self._all: Trajectory | None = None
        self._points: Trajectory | None = None
        self._passes: tuple[Pass, ...] = ()
        self._jumps: Jumps | None = None
        self._named = (0.0, "")
        """The call that is named, and what is said of it."""
        self._folded, self._other = False, True
        self.setMinimumHeight(1)  # where there is no room for it, it is folded and not drawn small
        self._axis = DecadeAxis()
        self._plot = Plot(self._axis)
        self._box = self._plot.box
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._scene, self._labels = Scene(self._box), Labels(self._box)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._redraw)
        self._load_soon = QTimer(self)
        self._load_soon.setSingleShot(True)
        self._load_soon.timeout.connect(self._load)
        self.buttons, self._pointer = HeadingButtons(self.header), Pointer(self._box)
        self.overlay_bar = OverlayBar(context)
        self.body.addWidget(self.overlay_bar)
        self.body.addWidget(self._plot, 1)
        self.body.setContentsMargins(4, 0, 4, 6)
        self._connect()
        self._restyle()
        self.retranslate()

    def _connect(self) -> None:
        buttons = self.buttons
        buttons.inputs.setChecked(self._settings.trajectory_inputs)
        buttons.inputs.toggled.connect(self._show_inputs)
        buttons.jump.clicked.connect(self.next_jump)
        buttons.menu.aboutToShow.connect(partial(fill_overlay_menu, buttons.menu, self._context))
        buttons.legend.clicked.connect(self._show_legend)
        buttons.fit.clicked.connect(self.fit)
        self._box.sigRangeChanged.connect(self._soon)
        self._box.sigResized.connect(self._fit_height)
        self._plot.scene().sigMouseClicked.connect(self._click)
        self._plot.scene().sigMouseMoved.connect(self._hover)
        self._session.opened.connect(self._open_other)
        self._session.cell_changed.connect(self._change)
        self._session.row_changed.connect(self._mark)
        self._session.filter_changed.connect(self._soon)
        self._session.suspects.changed.connect(self._name)
        self._overlays.changed.connect(self._lay_over)
        self._theme.changed.connect(self._restyle)

    # ---- content

    def _change(self) -> None:
        """Show another cell in the next turn of the event loop: all views in one would be felt."""
        self._show()
        self._load_soon.start(0)

    def _load(self) -> None:
        session = self._session
        if session.cell is None or session.facts is None:
            return
        self._facts = session.facts
        calls = self._all.calls if self._all is not None else -1
        self._all = trajectory_of(session.cell, session.facts)
        self._passes = passes_of(session.cell, session.facts)
        self._jumps = None
        self._lay()
        if self._other or self._all.calls != calls:  # the same place is looked at in another step or rank
            self._other = False
            self.fit()
        self._mark()

    def _open_other(self) -> None:
        """See all of the run that is opened next."""
        self._other = True

    def _lay_over(self) -> None:
        """Draw the lines of other cells, or draw them no more."""
        self.buttons.compare.setEnabled(self._overlays.possible)
        if self._all is not None and self._facts is self._session.facts:
            self._lay()
            self._mark()

    def _lay(self) -> None:
        """Give all that is shown its place on the axis."""
        assert self._all is not None
        overlay = self._overlays.found
        if overlay is not None and (self._session.cell is None or overlay.base != self._session.cell.key):
            overlay = None
        whole = self._all if overlay is None else overlay.make_room(self._all)
        points = self._points = whole if self.buttons.inputs.isChecked() else whole.outputs
        heights = points.heights
        lanes = {heights[lane]: self._lane_word(lane) for lane in _LANES if lane in heights.lanes}
        self._axis.set_lanes(lanes, heights.lowest - 0.4, heights.highest + 0.4)
        self._scene.show_ground(points, self._passes, self._axis.guides())
        self._scene.show_overlay(overlay, points)
        self._pointer.show(points, overlay)
        self._fit_height()
        self._name()

    @staticmethod
    def _lane_word(lane: Lane) -> str:
        if lane is Lane.ZERO:
            return "0"
        if lane is Lane.SPECIAL:
            return "NaN/Inf"
        return text("gui.trajectory.lane" if lane is Lane.UNSIZED else "gui.trajectory.lane_lost")

    def fold(self, folded: bool) -> None:
        """Give the room to the table, or take it back."""
        if folded != self._folded:
            self._folded = folded
            self._show()

    def _show(self) -> None:
        self.setVisible(self.possible and not self._folded)

    @property
    def possible(self) -> bool:
        """Whether there is anything to draw: one run alone has no errors, nor has what was not compared."""
        facts = self._session.facts
        compared = facts is None or not len(facts) or int(facts.counts[Category.NOT_COMPARED]) < len(facts)
        return not self._session.is_exploring() and compared

    def _show_inputs(self, shown_too: bool) -> None:
        self._settings.trajectory_inputs = shown_too
        if self._all is not None:
            self._lay()
            self._mark()

    def fit(self) -> None:
        """Show the whole run."""
        if self._points is None:
            return
        calls = self._points.calls
        margin = max(calls * 0.008, 0.5)
        self._box.setLimits(xMin=-margin * 2, xMax=calls + margin * 2, minXRange=min(8, calls + 1))
        self._box.setXRange(-margin, calls - 1 + margin, padding=0)
        self._fit_height()
        self._soon()

    def _fit_height(self, *_: Any) -> None:
        """Show all errors, with room above them for the label whatever the height of the card."""
        if self._points is None:
            return
        heights = self._points.heights
        lanes = Lane.SPECIAL in heights.lanes or Lane.UNSIZED in heights.lanes
        low, high = heights.bottom - 0.3, heights.top + (0.3 if lanes else -0.5)
        height = max(self._box.height(), LEAST_PLOT - 10)
        decade = (high - low) / (height - 2 * room(height))
        low, high = low - decade * room(height), high + decade * room(height)
        self._box.setLimits(yMin=low, yMax=high)
        self._box.setYRange(low, high, padding=0)
        self._place_labels()

    def _soon(self, *_: Any) -> None:
        """Redraw once all that is changing now has changed."""
        self._timer.start(0)

    def _redraw(self) -> None:
        points, facts, mask = self._points, self._session.facts, self._session.mask
        if points is None or facts is not self._facts or facts is None or len(mask) != len(facts):
            return
        (left, right), _y = self._box.viewRange()
        passing = mask[points.row] if self._session.filter.active else None
        seen = seen_points(points, left, right, max(round(self._box.width()), 1), passing)
        self._scene.show_points(points, seen, np.ones(len(seen), bool) if passing is None else passing[seen])
        self._place_labels()

    def _mark(self) -> None:
        points, session, scene = self._points, self._session, self._scene
        facts = session.facts
        scene.cursor.setVisible(points is not None and facts is not None and session.row >= 0)
        scene.ring.setVisible(False)
        if points is None or facts is None or facts is not self._facts or session.row < 0:
            return
        call = float(facts.call_of_row[session.row])
        scene.cursor.setPos(call)
        mine = points.of_call(call)
        if mine.stop > mine.start:
            exact = np.flatnonzero(points.row[mine] == session.row)
            at = mine.start + int(exact[0] if len(exact) else np.argmax(points.category[mine]))
            scene.ring.setData([points.x[at]], [points.y[at]])
            scene.ring.setVisible(True)
        (left, right), _y = self._box.viewRange()
        if not left <= call <= right:
            half = (right - left) / 2
            self._box.setXRange(call - half, call + half, padding=0)

    def _name(self) -> None:
        """Name the point that matters most."""
        session = self._session
        if self._points is None or session.cell is None or self._facts is not session.facts:
            return
        assert self._facts is not None
        self._named = named_point(self._points, session.suspects, session.cell, self._facts)
        self._place_labels()
        self._soon()

    def _place_labels(self) -> None:
        call, words = self._named
        self._labels.place_headline(words, call)
        self._labels.place_below(self._passes)
        (left, right), _y = self._box.viewRange()
        if self._points is not None:
            band = self._scene.noise_in(left, right)
            self._labels.place_noise(self._points.x, self._points.y, band, self._passes)

    # ---- going along the run

    def _found_jumps(self) -> Jumps:
        if self._jumps is None:
            self._jumps = jumps_of(self._points) if self._points is not None else Jumps()
        return self._jumps

    def next_jump(self) -> None:
        """Select where the error rises for good next, after the selected row."""
        self._go_to(self._found_jumps().after(self._session.row))

    def steepest_jump(self) -> None:
        """Select where the error rises most."""
        self._go_to(self._found_jumps().steepest)

    def _go_to(self, row: int) -> None:
        if row >= 0:
            self._session.select(row)
        elif self._points is not None:
            self._session.noticed.emit(Message("gui.trajectory.no_jump"), "")

    def _zoom(self, factor: float) -> None:
        """Zoom about the selected call where it is in sight, else about the middle."""
        (left, right), _y = self._box.viewRange()
        facts, row = self._session.facts, self._session.row
        call = float(facts.call_of_row[row]) if facts is not None and row >= 0 else np.nan
        about = call if left <= call <= right else (left + right) / 2
        self._box.setXRange(about - (about - left) * factor, about + (right - about) * factor, padding=0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, points = event.key(), self._points
        if points is None or not len(points):
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            at = int(np.searchsorted(points.row, self._session.row))
            exact = at < len(points) and points.row[at] == self._session.row
            at += (1 if exact else 0) if key == Qt.Key.Key_Right else -1
            self._session.select(int(points.row[np.clip(at, 0, len(points) - 1)]))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._session.select(int(points.row[0 if key == Qt.Key.Key_Home else -1]))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom(1 / _ZOOM if key == Qt.Key.Key_Minus else _ZOOM)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_J:
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.next_jump() if shifted else self.steepest_jump()
        else:
            super().keyPressEvent(event)

    # ---- pointer

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave words out where heading and plot need the room."""
        super().resizeEvent(event)
        self.buttons.make_room(self.width())
        self._plot.make_room(self.height())
        # what of the entries has no room beside the plot is cut off: the plot matters more
        room_for_bar = self.height() - self.header.height() - LEAST_PLOT - _AROUND
        self.overlay_bar.setMaximumHeight(max(room_for_bar, 0))

    def _click(self, event: Any) -> None:
        if event.double():
            self.fit()
            return
        at, _away = self._pointer.point_at(event.scenePos())
        if at >= 0 and self._points is not None:
            self._session.select(int(self._points.row[at]))

    def _hover(self, position: QPointF) -> None:
        facts, cell, tip = self._session.facts, self._session.cell, ""
        if facts is not None and cell is not None and facts is self._facts:
            tip = self._pointer.tip(position, cell, facts)
        at, _away = self._pointer.point_at(position) if tip else (-1, 0.0)
        self._plot.setCursor(Qt.CursorShape.PointingHandCursor if at >= 0 else Qt.CursorShape.ArrowCursor)
        if not tip:
            QToolTip.hideText()
            return
        where = self._plot.mapToGlobal(self._plot.mapFromScene(position)) + QPoint(12, 8)
        QToolTip.showText(where, tip, self._plot)

    # ---- looks

    def _show_legend(self) -> None:
        SignLegend(self._theme, self).open_under(self.buttons.legend)

    def _restyle(self) -> None:
        colours = self._theme.colours
        self._plot.restyle(colours, self.font())
        self._scene.restyle(colours)
        self._labels.restyle(colours, self.font())
        self.buttons.restyle(colours)
        self._soon()

    def retranslate(self) -> None:
        self.set_title(text("gui.trajectory.title"), text("gui.trajectory.subtitle"))
        self._labels.retranslate()
        self.buttons.retranslate()
        self.buttons.compare.setEnabled(self._overlays.possible)
        self._plot.name_errors(text("gui.trajectory.errors"))
        self._plot.setAccessibleName(text("gui.trajectory.title"))
        if self._points is not None:
            for lane in self._points.heights.lanes & {Lane.UNSIZED, Lane.LOST}:
                self._axis.rename(self._points.heights[lane], self._lane_word(lane))
        self._place_labels()
