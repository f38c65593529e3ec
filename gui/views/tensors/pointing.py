"""How pointer and keys over the pictures lead to elements, and the cursor that all pictures share."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QObject

from core.metrics.inspection.pictures import SidePicture
from core.metrics.inspection.sources import PairSources
from core.metrics.pictures.plane import Region
from gui.tensors.shown_pair import ShownPair
from gui.views.tensors.asking import Desk
from gui.views.tensors.maps_page import MapsPage
from gui.views.tensors.pane import Pane


class Pointing(QObject):
    """Tells the desk which element is pointed at, and the pair which one is held."""

    def __init__(self, pair: ShownPair, maps: MapsPage, desk: Desk) -> None:
        super().__init__(maps)
        self._pair, self._maps, self._desk = pair, maps, desk
        for pane in maps.panes:
            canvas = pane.canvas
            canvas.hovered.connect(partial(self._hover, pane))
            canvas.left.connect(self.show_place)
            canvas.chosen.connect(partial(self._choose, pane))
            canvas.stepped.connect(self._step)
            canvas.marked.connect(partial(self._mark, pane))
            canvas.let_go.connect(pair.let_go)
            canvas.worst_wanted.connect(pair.go_to_worst)
        pair.place_changed.connect(self.show_place)
        for signal in (pair.rectangle_changed, pair.changed):
            signal.connect(self.show_rectangle)

    def show_place(self) -> None:
        """Show the element that is held."""
        pair, maps = self._pair, self._maps
        maps.set_holds(pair.held)
        if pair.sources is None:
            return
        place = pair.place
        if place is None and math.prod(pair.shape) == 1:
            place = (0,) * len(pair.shape)
        at = pair.plane.position(pair.shape, place) if place is not None else None
        maps.set_cursor(at)
        self._desk.value(place if at is not None else None)

    def bring_place(self) -> None:
        """Bring the element that is held into sight."""
        pair, sight = self._pair, self._maps.sight
        at = pair.plane.position(pair.shape, pair.place) if pair.place is not None else None
        if at is not None and not sight.whole:
            sight.bring(*at)

    def show_all_unless_in_sight(self) -> None:
        """Show all of the plane where the part in sight, kept from another pair, misses what is held."""
        pair, part = self._pair, self._maps.sight.region()
        at = pair.plane.position(pair.shape, pair.place) if pair.place is not None else None
        if at is None:
            return
        if not (part.top <= at[0] < part.bottom and part.left <= at[1] < part.right):
            self._maps.fit()

    def show_rectangle(self) -> None:
        """Outline what is marked."""
        self._maps.set_rectangle(self._pair.rectangle)
        self._maps.set_holds(self._pair.held)

    def _apart(self, pane: Pane) -> bool:
        """Whether *pane* shows another plane than the others."""
        return pane is self._maps.golden and not self._maps.linked

    def _place(self, row: int, column: int) -> tuple[int, ...] | None:
        return self._pair.plane.index(self._pair.shape, row, column)

    def _hover(self, pane: Pane, row: int, column: int) -> None:
        if self._apart(pane):
            self._hover_golden(row, column)
            return
        place = self._place(row, column)
        if place is not None:
            self._maps.set_cursor((row, column))
            self._desk.value(place)

    def _hover_golden(self, row: int, column: int) -> None:
        """Tell an element of a golden of another shape."""
        pictures, sources = self._maps.pictures, self._pair.sources
        golden = pictures.golden if pictures is not None else SidePicture()
        if golden.plane is None or golden.shape is None or sources is None:
            return
        place = golden.plane.index(golden.shape, row, column)
        if place is not None:
            self._maps.golden.canvas.set_cursor((row, column))
            self._desk.value(place, PairSources(None, sources.golden))

    def _choose(self, pane: Pane, row: int, column: int) -> None:
        place = None if self._apart(pane) else self._place(row, column)
        if place is not None:
            self._pair.go_to(place)

    def _mark(self, pane: Pane, region: Region) -> None:
        if not self._apart(pane):
            self._pair.select(region)

    def _step(self, rows: int, columns: int) -> None:
        pair, sight = self._pair, self._maps.sight
        at = pair.plane.position(pair.shape, pair.place) if pair.place is not None else None
        if at is None:
            at = int(sight.top + sight.height / 2), int(sight.left + sight.width / 2)
        row = min(max(at[0] + rows, 0), sight.rows - 1)
        column = min(max(at[1] + columns, 0), sight.columns - 1)
        place = self._place(row, column)
        if place is not None:
            pair.go_to(place)
            self.bring_place()
