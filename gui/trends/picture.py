"""What the heat map of layers shows: metric, side, axis, cell; asks the service, drops late answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.records.trends import GridAxis, TrendsReport
from gui.models.trends.scale import TrendSide
from gui.trends import grids as trends_grids
from gui.trends.choice import GridChoice
from gui.trends.drawing import Drawing, Region
from gui.trends.grids import BadCell, CellFacts, LayerCurve, Overview
from gui.trends.planes import PlaneFacts
from gui.trends.work import Reading

if TYPE_CHECKING:
    from gui.processes.picture_service import PictureService

_LOOK, _PART, _CELL, _POINT, _CURVE, _BAD, _RANK = (
    f"trends {name}" for name in ("look", "part", "cell", "point", "curve", "bad", "rank")
)
Wish = tuple[str, int | None] | bool
"""What to go to in a grid once it is there: a layer and a place, or the first (last) bad cell."""


class TrendsPicture(GridChoice):
    """One grid at a time, and one cell of it that is looked at."""

    chosen_changed = Signal()
    """Another metric, side or axis is wanted."""
    drawn = Signal()
    """Another grid is there; all of it is to be seen."""
    redrawn = Signal()
    """The same grid from another side."""
    part_drawn = Signal()
    cell_changed = Signal()
    pointed = Signal()
    curve_changed = Signal()
    failed = Signal(object, str)

    def __init__(self, parent: QObject, service: PictureService) -> None:
        super().__init__(parent)
        self._service = service
        self.facts: PlaneFacts | None = None
        self.drawing: Drawing | None = None
        self.part: Drawing | None = None
        self.cell: CellFacts | None = None
        self.hovered: CellFacts | None = None
        self.curve: LayerCurve | None = None
        self.waiting = False
        """Whether another grid is being made."""
        self._wish: Wish | None = None
        self._walk: bool | None = None
        self._awaited: tuple[str, str, int] | None = None
        self._pixels = (400, 800)
        service.answered.connect(self._take)
        service.rejected.connect(self._refuse)
        service.crashed.connect(self._break)

    # ---- what is to be seen

    def show(self, reading: Reading | None, report: TrendsReport | None, shift: int) -> None:
        """Show what was read, the first bad cell of it where there is one; ``None`` shows nothing."""
        for channel in (_LOOK, _PART, _CELL, _POINT, _CURVE, _BAD, _RANK):
            self._service.forget(channel)
        self._offer(reading, report, shift)
        self.facts = self.drawing = self.part = self.cell = self.hovered = self.curve = None
        self.waiting, self._wish, self._walk = False, None, None
        if reading is None:
            self.chosen_changed.emit()
            return
        first = report.first_bad if report is not None else None
        if first is not None:
            self.go_to(first.metric, first.layer, first.step, first.rank)
        else:
            self._look()

    # ---- what the user chooses

    def choose_metric(self, metric: str) -> None:
        """Show another metric; the layer and the place that are looked at stay."""
        if metric != self.metric and metric in self.metrics.names:
            self.metric = metric
            self._keep_cell()
            self._look()

    def choose_side(self, side: TrendSide) -> None:
        """Show another side of the same grid."""
        if side is not self.side and side in self.sides:
            self.side = side
            self._look()

    def choose_axis(self, axis: GridAxis) -> None:
        """Lay steps, or ranks, across; of the rank or step that is looked at."""
        if axis is self.axis:
            return
        self.axis = axis
        if self.cell is not None:
            place, layer = self.cell.place, self.cell.layer
            if axis is GridAxis.RANK:
                self._wish, self.step = (layer, self.rank), place
            else:
                self._wish, self.rank = (layer, self.step), place
        self._look()

    def choose_place(self, at: int) -> None:
        """Show another rank, or another step where ranks lie across."""
        if at == self.at:
            return
        if self.axis is GridAxis.STEP:
            self.rank = at
        else:
            self.step = at
        self._keep_cell()
        self._look()

    def _keep_cell(self) -> None:
        if self.cell is not None:
            self._wish = (self.cell.layer, self.cell.place)

    def go_to(self, metric: str, layer: str, step: int | None, rank: int | None) -> None:
        """Look at a cell over the steps; where *step* or *rank* is not said, at the first bad one there."""
        if metric in self.metrics.names:
            self.metric = metric
        self.axis, self.rank = GridAxis.STEP, self.rank if rank is None else rank
        self._wish = (layer, step)
        self._look()

    def go_to_layer(self, metric: str, layer: str, step: int) -> None:
        """Look at a cell on the first rank that is bad there."""
        before, self.metric = self.metric, metric
        chosen, self.metric = self.chosen, before
        if chosen is not None:
            self._awaited = (metric, layer, step)
            self._service.request(_RANK, trends_grids.rank_of, chosen, layer, step)

    # ---- cells

    def choose_cell(self, row: int, column: int) -> None:
        """Look at a cell."""
        facts = self.facts
        if facts is None or not (0 <= row < len(facts.layers) and 0 <= column < len(facts.places)):
            return
        self._service.request(_CELL, trends_grids.cell_at, facts.chosen, row, column)
        if self.curve is None or self.curve.row != row:
            self._service.request(_CURVE, trends_grids.curve, facts.chosen, row)

    def point_at(self, row: int, column: int) -> None:
        """Ask what stands in the cell under the pointer; -1 for none."""
        if self.facts is None or row < 0 or column < 0:
            self._service.forget(_POINT)
            if self.hovered is not None:
                self.hovered = None
                self.pointed.emit()
            return
        self._service.request(_POINT, trends_grids.cell_at, self.facts.chosen, row, column)

    def turn(self, forward: bool) -> None:
        """Look at the next bad cell, or the one before; after the last one, of the next metric."""
        if self.facts is not None:
            here = (self.cell.row, self.cell.column) if self.cell is not None else (-1, -1)
            self._walk = forward
            self._service.request(_BAD, trends_grids.bad_cell, self.facts.chosen, *here, forward)

    def go_to_bad(self, first: bool) -> None:
        """Look at the first bad cell of this grid, or the last one."""
        if self.facts is not None:
            self._walk = None
            self._service.request(_BAD, trends_grids.bad_cell, self.facts.chosen, -1, -1, first)

    # ---- pictures

    def set_pixels(self, rows: int, columns: int) -> None:
        """Draw in so many blocks at most from now on."""
        before, self._pixels = self._pixels, (max(rows, 1), max(columns, 1))
        drawing = self.drawing
        if before == self._pixels or drawing is None:
            return
        fits = all(size <= room for size, room in zip(drawing.levels.shape, self._pixels))
        if not (drawing.exact and fits):
            self._look(again=True)

    def see(self, region: Region) -> None:
        """Draw *region* as sharp as the pixels allow."""
        if self.facts is not None and self.drawing is not None and not self.drawing.exact:
            arguments = (self.facts.chosen, self.side, region, self._pixels)
            self._service.request(_PART, trends_grids.draw, *arguments)

    def see_all(self) -> None:
        """Be content with the whole."""
        self._service.forget(_PART)
        self.part = None

    def _look(self, again: bool = False) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        other = self.facts is None or self.facts.chosen != chosen
        if other:
            self._service.forget(_CURVE)
            self._service.forget(_CELL)
        self.see_all()
        self.waiting = other
        self._service.request(_LOOK, trends_grids.look, chosen, self.side, self._pixels)
        if not again:
            self.chosen_changed.emit()

    # ---- answers

    def _take(self, channel: str, answer: object) -> None:
        if channel == _LOOK and isinstance(answer, Overview):
            self._show(answer)
        elif channel == _PART and isinstance(answer, Drawing):
            self.part = answer
            self.part_drawn.emit()
        elif channel == _CELL and isinstance(answer, CellFacts):
            self.cell = answer
            self.cell_changed.emit()
        elif channel == _POINT:
            self.hovered = answer if isinstance(answer, CellFacts) else None
            self.pointed.emit()
        elif channel == _CURVE and isinstance(answer, LayerCurve):
            self.curve = answer
            self.curve_changed.emit()
        elif channel == _BAD:
            self._go_on(answer if isinstance(answer, BadCell) else None)
        elif channel == _RANK and isinstance(answer, int) and self._awaited is not None:
            metric, layer, step = self._awaited
            self.go_to(metric, layer, step, answer if answer >= 0 else None)

    def _show(self, overview: Overview) -> None:
        before = self.facts
        other = before is None or before.chosen != overview.facts.chosen
        self.facts, self.drawing, self.part, self.waiting = overview.facts, overview.drawing, None, False
        if not other:
            self.redrawn.emit()
        else:
            self.cell = self.hovered = self.curve = None
            self.drawn.emit()
            self.cell_changed.emit()
            self.curve_changed.emit()
        wish, self._wish = self._wish, None
        if isinstance(wish, bool):
            self.go_to_bad(wish)
        elif wish is not None:
            self._grant(overview.facts, *wish)

    def _grant(self, facts: PlaneFacts, layer: str, place: int | None) -> None:
        # a module's parameters, or the module of a parameter, where other things are monitored
        near = (name for name in facts.layers if name.startswith(f"{layer}.") or layer.startswith(f"{name}."))
        known = layer if layer in facts.layers else next(near, "")
        if not known:
            self.go_to_bad(True)
            return
        row = facts.layers.index(known)
        found = np.flatnonzero(facts.places == place) if place is not None else np.empty(0, np.int64)
        self.choose_cell(row, int(found[0]) if len(found) else 0)

    def _go_on(self, found: BadCell | None) -> None:
        """Go to a bad cell, or where there is none left, to the next metric that has some."""
        forward, self._walk = self._walk, None
        if found is not None:
            self.choose_cell(found.row, found.column)
        elif forward is not None:
            metric = self.metrics.next_bad(self.metric, forward)
            if metric == self.metric:
                self.go_to_bad(forward)
            elif metric:
                self.metric, self._wish = metric, forward
                self._look()

    def _refuse(self, channel: str, problem: Problem) -> None:
        if channel.startswith("trends "):
            self.waiting = False
            self.failed.emit(problem, "")

    def _break(self, channel: str, traceback: str) -> None:
        if channel.startswith("trends "):
            self.waiting = False
            self.failed.emit(Message("gui.trends.not_drawn"), traceback)
