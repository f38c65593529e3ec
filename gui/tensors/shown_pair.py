"""The pair of tensors in focus, and where in it the user looks; the views of one detail card share it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from core.messages import text
from core.metrics.inspection.kept.place import kept_place
from core.metrics.inspection.sources import PairSources
from core.metrics.inspection.values import ElementPair
from core.metrics.pictures.plane import Plane, Region, Shape
from core.records.result import CellResult, Reason
from core.store.tensor_bytes import place_of
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.plain_value import plain_value
from gui.processes.picture_client import PictureClient
from gui.tensors.classes import classes_differ
from gui.tensors.layouts import Layouts, layout_key
from gui.tensors.one_sided import Side, slot_of_side


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
    worst_changed = Signal()
    """NaN or Inf that only one side has was found: that is the worst element."""

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
        self.slot = ""
        """The slot on show, as the dump names it."""
        self.alone: Side | None = None
        """The side that has this call, where only one has it."""
        self.worst_special: ElementPair | None = None
        """The first element where NaN and Inf of the two sides disagree, once it was looked for."""
        self._client = PictureClient(context.session.pictures, self)
        self._client.answered.connect(self._take_worst)
        self._sought = False
        """Whether such an element was asked for."""
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
        """The index of the worst element; ``None`` where it is not known.

        NaN or Inf that only one side has is worse than any difference of finite numbers.
        """
        if self.worst_special is not None:
            return self.worst_special.index
        selected = self.focus.selected
        if selected is None:
            return None
        cell, _, row = selected
        flat = int(cell.rows.max_abs_index[row])
        if not 0 <= flat < math.prod(self.shape):
            return None
        return tuple(int(at) for at in np.unravel_index(flat, self.shape))

    def seek_worst(self) -> None:
        """Look for NaN or Inf that only one side has, once a pair, where the comparison counted some."""
        selected, sources = self.focus.selected, self.sources
        if self._sought or selected is None or sources is None:
            return
        cell, _, row = selected
        self._sought = True
        if classes_differ(cell, row):
            from core.metrics.inspection.elements import WorstRequest, worst_elements

            self._client.request("worst", worst_elements, WorstRequest(sources, count=1))

    def go_to(self, place: tuple[int, ...]) -> None:
        """Look at the element *place*, in the plane that holds it."""
        self.place = place
        if self.plane.position(self.shape, place) is None:
            self.set_plane(self.plane.at(place))
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
        """Show another plane; *pinned* keeps its place when another row is selected.

        The element that is looked at moves along, to the same place of the new slice.
        """
        self._pinned = self._pinned or pinned
        if plane == self.plane:
            return
        before, self.plane = self.place, plane
        if before is not None and plane.position(self.shape, before) is None:
            self.place = tuple(
                plane.fixed[axis] if axis in plane.free else at for axis, at in enumerate(before)
            )
        self.select(None)
        self.plane_changed.emit()
        if self.place != before:
            self.place_changed.emit()

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
        self._client.forget("worst")
        self._sought, self.worst_special = False, None
        self.sources, self.nothing, self.shape = None, None, ()
        self.slot, self.alone = "", None
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
        cell, facts, row = selected
        slots = int(cell.rows.target_slot[row]), int(cell.rows.golden_slot[row])
        self.slot = facts.slots[int(facts.slot[row])]
        if Reason(int(cell.rows.reason[row])) in (Reason.TARGET_ONLY, Reason.GOLDEN_ONLY):
            slots = self._of_one_side(cell, row, slots)
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
        self.nothing = Nothing(text("gui.tensors.one_sided" if self.alone else "gui.tensors.none"))

    def _of_one_side(self, cell: CellResult, row: int, slots: tuple[int, int]) -> tuple[int, int]:
        """Return the slot to show of a call that only one side has, whose row names none."""
        self.alone, slot = slot_of_side(cell, row, slots)
        if slot < 0:
            return slots
        dump = cell.target if self.alone is Side.TARGET else cell.golden
        self.slot = dump.slot_name(slot)
        return (slot, -1) if self.alone is Side.TARGET else (-1, slot)

    def missing_words(self) -> str:
        """Return why a side has no tensor."""
        return text(f"gui.tensors.only_on.{self.alone.value}" if self.alone else "gui.tensors.side_missing")

    def _take_worst(self, _channel: str, answer: object) -> None:
        """Follow NaN or Inf that was found, unless the user has gone elsewhere."""
        from core.metrics.inspection.elements import WorstElements

        if not isinstance(answer, WorstElements) or not answer.rows:
            return
        followed = not self._pinned and self.place == self.worst
        self.worst_special = answer.rows[0]
        self.worst_changed.emit()
        if followed and self.worst is not None:
            self.go_to(self.worst)

    def _key(self) -> str:
        selected = self.focus.selected
        if selected is None:
            return ""
        _, facts, row = selected
        return layout_key(facts.operators[int(facts.operator[row])], self.slot, len(self.shape))

    def _plain_words(self, target: str, golden: str) -> str:
        if self.focus.exploring or target == golden:
            return text("gui.tensors.plain", value=target or golden)
        return text("gui.tensors.plain_both", target=target or "—", golden=golden or "—")

    def _plane(self, before: Plane) -> Plane:
        """Return the plane to begin with: at the largest difference, or where the user left it."""
        wanted = before.fixed if self._pinned else self.worst or ()
        return self._layouts.plane(self.layout_key, self.shape, wanted)
