"""Where the inputs of a call come from and where its outputs go, as stations to be shown beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.messages import text
from core.records.dump import Dump, SlotGroup
from core.records.flow import basis_of
from core.records.names import Direction, short_name
from core.records.result import CellResult, Reason
from gui import numbers
from gui.models.call.details import pool_text, slot_label, slot_text
from gui.models.call.flow_columns import CellFlow, SideFlow
from gui.models.call.flow_paths import INPUTS, OUTPUTS, Paths
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts

LONGEST = 120
"""Stations of a column; more are counted and not shown."""
_PASSERS = 6
"""Calls that only pass a value on that are shown of an input, the nearest to its maker."""
_TOLD, _GROWN = 2.0, 4.0
"""Times by which an error must grow for it to be told, and to be marked where the call differs too."""


@dataclass(frozen=True)
class Station:
    """One card."""

    title: str
    detail: str = ""
    figures: str = ""
    row: int = -1
    """The row of the result that it leads to; -1 for nowhere."""
    category: Category | None = None
    dim: bool = False
    """Only passes the value on, or is no call at all."""
    grown: bool = False
    """Whether the call differs and the error grows in it."""
    help: str = ""
    stands_for: int = 1
    """Stations that it stands for: more where they are only counted."""


@dataclass(frozen=True)
class FlowPicture:
    """The three columns."""

    sources: list[Station] = field(default_factory=list)
    call: list[Station] = field(default_factory=list)
    takers: list[Station] = field(default_factory=list)


def flow_picture(cell: CellResult, facts: Facts, row: int, found: CellFlow, golden: bool) -> FlowPicture:
    """Return the columns around the call that *row* belongs to, of the side that *golden* tells."""
    side = _Side(cell, facts, found.golden if golden else found.target, golden)
    operator = int((cell.rows.golden_operator if golden else cell.rows.target_operator)[row])
    if operator < 0:
        return FlowPicture(call=[Station(text("gui.flow.absent"), dim=True)])
    sources, takers = side.sources(operator), side.takers(operator)
    return FlowPicture(_shown(side, sources), _shown(side, side.call(operator)), _shown(side, takers))


class _Way(NamedTuple):
    """How a value goes between the call and another one."""

    slot: int
    """The other call's."""
    end: int
    """The call's own."""
    comes: bool
    """Whether the value comes from the other call, and does not go there."""
    passes: bool = False
    """Whether the other call only passes the value on."""
    inside: bool = False
    """Whether the other call is a part of this one."""


def _shown(side: _Side, ways: Iterator[_Way | Station | int] | Iterator[Station | int]) -> list[Station]:
    """Return the first of *ways* as stations; of a hub only so many are made, and the rest is counted."""
    made: list[Station] = []
    left = 0
    for way in ways:
        if isinstance(way, int) or len(made) == LONGEST:
            left += way if isinstance(way, int) else 1
        else:
            made.append(way if isinstance(way, Station) else side.station(way))
    if left:
        made.append(Station(text("gui.flow.more", count=left), dim=True, stands_for=left))
    return made


class _Side:
    """One side of a cell, with what its stations are made of."""

    def __init__(self, cell: CellResult, facts: Facts, side: SideFlow, golden: bool) -> None:
        self._dump: Dump = cell.golden if golden else cell.target
        self._cell, self._facts, self._side = cell, facts, side
        self._paths = Paths(self._dump, side)

    # ---- columns

    def sources(self, operator: int) -> Iterator[_Way | Station | int]:
        """Yield who made the inputs of *operator*, then who passed them on to it, slot by slot."""
        inputs = self._paths.tensors(operator, INPUTS)
        for slot in inputs[:LONGEST]:
            label, chain = self._label(slot), self._paths.chain(slot)
            if not chain:
                yield Station(text("gui.flow.outside", slot=label), text("gui.flow.outside.help"), dim=True)
                continue
            yield _Way(chain[-1], slot, comes=True)
            for source in chain[-2 : -2 - _PASSERS : -1]:
                yield _Way(source, slot, comes=True, passes=True)
        if len(inputs) > LONGEST:
            yield len(inputs) - LONGEST
        for slot in self._paths.tensors(operator, OUTPUTS)[:LONGEST]:
            chain = [source for source in self._paths.chain(slot) if self._paths.is_inside(source, operator)]
            if chain:
                yield _Way(chain[-1], slot, comes=True, inside=True)

    def call(self, operator: int) -> Iterator[Station | int]:
        """Yield *operator* itself, then its slots."""
        dump = self._dump
        parent = pool_text(dump.strings, int(dump.operators.parent[operator]))
        name = self._name(operator)
        figures, grown = self._growth(operator)
        yield Station(
            self._title(operator), text("gui.flow.part_of", name=short_name(parent)) if parent else name,
            figures, int(self._side.row_of_operator[operator]), self._worst(operator), grown=grown,
            help=name,
        )  # fmt: skip
        slots = dump.slots_of(operator)
        for slot in slots[:LONGEST]:
            row = int(self._side.row_of_slot[slot])
            yield Station(
                self._label(slot), slot_text(dump, slot), self._error(row), row, self._category(row)
            )
        if len(slots) > LONGEST:
            yield len(slots) - LONGEST

    def takers(self, operator: int) -> Iterator[_Way | Station | int]:
        """Yield who takes the outputs of *operator*, also from those who only pass them on, and how many more
        there are.
        """
        operators = self._dump.slots.operator
        for slot in self._paths.tensors(operator, OUTPUTS):
            taken, passing = self._paths.taken(slot)
            if not len(taken):
                words = text("gui.flow.nobody", slot=self._label(slot))
                yield Station(words, text("gui.flow.nobody.help"), dim=True)
            callers = operators[taken[:LONGEST]].tolist()
            # modules too, that hand the value to a call inside of them
            passing |= {module for caller in callers for module in self._paths.around(caller)}
            for at, caller in zip(taken[:LONGEST].tolist(), callers):
                yield _Way(at, slot, comes=False, passes=caller in passing)
            if len(taken) > LONGEST:
                yield len(taken) - LONGEST

    # ---- words

    def station(self, way: _Way) -> Station:
        """Return the call at the other end of *way*."""
        slot, end, passes = way.slot, way.end, way.passes
        operator = int(self._dump.slots.operator[slot])
        row = int(self._side.row_of_slot[slot])
        name = self._name(operator)
        basis = basis_of(self._dump, slot, end).name.lower()
        figures, grown = self._growth(operator)
        labels = [self._label(slot), self._label(end)]
        parts = (
            " → ".join(labels if way.comes else reversed(labels)),
            text("gui.flow.inside") if way.inside else text("gui.flow.passes") if passes else "",
            text(f"gui.flow.basis.{basis}"),
        )
        return Station(
            self._title(operator), " · ".join(part for part in parts if part),
            "   ".join(part for part in (self._error(row), figures) if part),
            row if row >= 0 else int(self._side.row_of_operator[operator]),
            self._category(row), passes, grown and not passes,
            f"{name}\n{text(f'gui.flow.basis.{basis}.help')}",
        )  # fmt: skip

    def _title(self, operator: int) -> str:
        name = short_name(self._name(operator))
        backward = self._dump.operators.direction[operator] == Direction.BACKWARD
        return text("gui.flow.backward", name=name) if backward else name

    def _name(self, operator: int) -> str:
        return pool_text(self._dump.strings, int(self._dump.operators.name[operator]))

    def _label(self, slot: int) -> str:
        return slot_label(self._dump, slot)

    def _category(self, row: int) -> Category | None:
        if row < 0:
            return Category.NOT_COMPARED
        single = self._cell.rows.reason[row] == Reason.SINGLE_RUN  # has no verdict at all
        return None if single else Category(int(self._facts.category[row]))

    def _worst(self, operator: int) -> Category | None:
        row = int(self._side.row_of_operator[operator])
        if row < 0 or self._category(row) is None:
            return None
        return Category(int(self._facts.calls.category[int(self._facts.call_of_row[row])]))

    def _error(self, row: int) -> str:
        error = float(self._cell.rows.error[row]) if row >= 0 else math.nan
        return "" if math.isnan(error) else text("gui.flow.error", error=numbers.scientific(error, 1))

    def _growth(self, operator: int) -> tuple[str, bool]:
        """Return by how many times the error grows from the inputs to the outputs, and if that is much."""
        taken, made = self._largest(operator, INPUTS), self._largest(operator, OUTPUTS)
        if not taken or not made:
            return "", False
        ratio = made / taken
        if ratio < _TOLD:
            return "", False
        worst = self._worst(operator)
        differs = worst is not None and worst.differs
        return text("gui.flow.growth", times=numbers.times(ratio)), differs and ratio > _GROWN

    def _largest(self, operator: int, groups: tuple[SlotGroup, ...]) -> float:
        rows = self._side.row_of_slot[self._paths.tensors(operator, groups)]
        errors = self._cell.rows.error[rows[rows >= 0]]
        errors = errors[np.isfinite(errors)]
        return float(errors.max()) if len(errors) else 0.0
