"""The pair of tensors in focus, and where in it the user looks; the views of one detail card share it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from core.messages import text
from core.metrics.inspection.kept.place import kept_place
from core.metrics.inspection.sources import PairSources
from core.metrics.pictures.plane import Plane, Region, Shape
from core.records.result import Reason
from core.store.tensor_bytes import place_of
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.plain_value import plain_value
from gui.tensors.layouts import Layouts, layout_key


@dataclass(frozen=True)
class Nothing:
    """Why there is no pair to look into."""

    sentence: str
    arguments: bool = False
    """Whether the tab of arguments shows more."""


class ShownPair(QObject):
    """Follows *focus*. A place is an index of the pair's shape, a rectangle a region of the plane."""

    changed = Signal()
    """Another pair, or none; the plane and the place are those of the new one already."""
    plane_changed = Signal()
    place_changed = Signal()
    rectangle_changed = Signal()

    def __init__(self, context: Context, focus: Focus, parent: QObject) -> None:
        super().__init__(parent)
        self.focus, self._session = focus, context.session
        self.sources: PairSources | None = None
        self.nothing: Nothing | None = None
        self.shape: Shape = ()
        """As the dump has it; of the golden where there is no target."""
        self.plane = Plane()
        self.place: tuple[int, ...] | None = None
        """The element that is looked at."""
        self.rectangle: Region | None = None
        """What is marked in the plane."""
        self.layout_key = ""
        """The kind of tensor whose layout is remembered."""
        self._layouts = Layouts(context.settings)
        self._pinned = False
        """Whether the user chose the plane's place himself: else it follows the largest difference."""
        focus.row_changed.connect(self._take)
        focus.cell_changed.connect(self._take)
        context.session.dumps.changed.connect(self._take)
        self._take()

    @property
    def worst(self) -> tuple[int, ...] | None:
        """The index of the largest absolute difference; ``None`` where it is not known."""
        selected = self.focus.selected
        if selected is None:
            return None
        cell, _, row = selected
        flat = int(cell.rows.max_abs_index[row])
        if not 0 <= flat < math.prod(self.shape):
            return None
        return tuple(int(at) for at in np.unravel_index(flat, self.shape))

    def go_to(self, place: tuple[int, ...]) -> None:
        """Look at the element *place*, in the plane that holds it."""
        if self.plane.position(self.shape, place) is None:
            self.set_plane(self.plane.at(place))
        self.place = place
        self.place_changed.emit()

    def let_go(self) -> None:
        """Look at no element but the one that differs most, and mark nothing."""
        self.select(None)
        worst = self.worst
        self.place = worst if worst and self.plane.position(self.shape, worst) is not None else None
        self.place_changed.emit()

    @property
    def held(self) -> bool:
        """Whether there is something to let go."""
        return self.rectangle is not None or (self.place is not None and self.place != self.worst)

    def go_to_worst(self) -> None:
        """Look at the largest difference, and follow it from row to row again."""
        self._pinned = False
        worst = self.worst
        if worst is not None:
            self.go_to(worst)

    def set_plane(self, plane: Plane, pinned: bool = False) -> None:
        """Show another plane; *pinned* keeps its place when another row is selected."""
        self._pinned = self._pinned or pinned
        if plane == self.plane:
            return
        self.plane = plane
        self.select(None)
        self.plane_changed.emit()

    def lay_out(self, plane: Plane) -> None:
        """Show the axes of *plane*, and those of every tensor of this kind from now on."""
        self._layouts.keep(self.layout_key, plane, self.shape)
        self.set_plane(plane)

    def lay_out_anew(self) -> None:
        """Forget the layout of this kind of tensor."""
        self._layouts.forget(self.layout_key)
        self.set_plane(self._layouts.plane(self.layout_key, self.shape, self.plane.fixed))

    @property
    def laid_out(self) -> bool:
        """Whether the layout is the user's own."""
        return self._layouts.known(self.layout_key)

    def select(self, rectangle: Region | None) -> None:
        """Mark *rectangle* of the plane, or nothing."""
        if rectangle != self.rectangle:
            self.rectangle = rectangle
            self.rectangle_changed.emit()

    # ---- following

    def _take(self) -> None:
        """Take the pair of the row in focus."""
        before = self.plane
        self.sources, self.nothing, self.shape = None, None, ()
        self.place = self.rectangle = None
        selected = self.focus.selected
        if selected is None:
            self.nothing = Nothing(text("gui.detail.nothing_selected"))
        else:
            self._look_up()
        self.layout_key = self._key()
        self.plane = self._plane(before)
        worst = self.worst
        self.place = worst if worst and self.plane.position(self.shape, worst) is not None else None
        self.changed.emit()

    def _look_up(self) -> None:
        selected = self.focus.selected
        assert selected is not None
        cell, _, row = selected
        slots = int(cell.rows.target_slot[row]), int(cell.rows.golden_slot[row])
        sides = tuple(zip((cell.target, cell.golden), slots))
        target, golden = (place_of(dump, slot) if slot >= 0 else None for dump, slot in sides)
        if target is not None or golden is not None:
            kept = kept_place(self._session.result_path, cell, row)
            self.sources = PairSources(target, golden, kept)
            dump, slot = sides[0] if target is not None else sides[1]
            self.shape = dump.shape(slot) or ()
            return
        plain = plain_value(cell, row)
        if plain is not None:
            self.nothing = Nothing(self._plain_words(*plain), arguments=True)
            return
        one_sided = Reason(int(cell.rows.reason[row])) in (Reason.TARGET_ONLY, Reason.GOLDEN_ONLY)
        self.nothing = Nothing(text("gui.tensors.one_sided" if one_sided else "gui.tensors.none"))

    def _key(self) -> str:
        selected = self.focus.selected
        if selected is None:
            return ""
        _, facts, row = selected
        operator, slot = facts.operators[int(facts.operator[row])], facts.slots[int(facts.slot[row])]
        return layout_key(operator, slot, len(self.shape))

    def _plain_words(self, target: str, golden: str) -> str:
        if self.focus.exploring or target == golden:
            return text("gui.tensors.plain", value=target or golden)
        return text("gui.tensors.plain_both", target=target or "—", golden=golden or "—")

    def _plane(self, before: Plane) -> Plane:
        """Return the plane to begin with: at the largest difference, or where the user left it."""
        wanted = before.fixed if self._pinned else self.worst or ()
        return self._layouts.plane(self.layout_key, self.shape, wanted)
