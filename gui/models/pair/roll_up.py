"""How the steps and ranks of a result compare: of each cell, how many rows are of each category. No Qt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.progress import Progress
from core.records.columns import UInt8
from core.records.dump import SlotGroup
from core.records.result import CellResult
from core.records.run import CellKey
from gui.models.call.details import pool_text
from gui.models.pair.categories import Category, categories

_OUTPUTS = (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE)
_PARTS = ("phase", "step", "rank")


@dataclass(frozen=True)
class CellSummary:
    """What is known of a cell beside its counts; ``None`` where there is nothing to tell."""

    worst_error: float | None = None
    """The largest error of an output; infinite for NaN and Inf."""
    worst_cosine: float | None = None
    """The smallest cosine of an output."""
    first: str = ""
    """The operator of the first row that differs."""
    place: float | None = None
    """How far along the run that is, from 0 to 1."""
    error: float | None = None
    """The error of that row; ``None`` where it has no size."""


def counted(cell: CellResult, category: UInt8 | None = None) -> tuple[int, ...]:
    """Return how many rows of *cell* are of each category; *category* of the rows, where some are ignored."""
    shown = categories(cell.rows) if category is None else category
    counts: list[int] = np.bincount(shown, minlength=len(Category)).tolist()
    return tuple(counts)


def summary_of(cell: CellResult, category: UInt8 | None = None) -> CellSummary:
    """Return what a map of cells says of *cell*; *category* of the rows, where some are ignored."""
    shown = categories(cell.rows) if category is None else category
    rows, slots = cell.rows, cell.target.slots
    outputs = (rows.target_slot >= 0) & (shown != Category.IGNORED)
    outputs[outputs] = np.isin(slots.group[rows.target_slot[outputs]], _OUTPUTS)
    error, cosine = rows.error[outputs], rows.cosine[outputs]
    differs = np.flatnonzero(shown >= Category.INHERITED)
    first, place, size = "", None, None
    if len(differs):
        row = int(differs[0])
        target, golden = int(rows.target_operator[row]), int(rows.golden_operator[row])
        dump, operator = (cell.target, target) if target >= 0 else (cell.golden, golden)
        first = pool_text(dump.strings, int(dump.operators.name[operator])) if operator >= 0 else ""
        place = row / len(rows)
        size = None if np.isnan(rows.error[row]) else float(rows.error[row])
    return CellSummary(
        float(np.fmax.reduce(error)) if not np.isnan(error).all() else None,
        float(np.fmin.reduce(cosine)) if not np.isnan(cosine).all() else None,
        first, place, size,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellsCounted(Progress):
    """Cells that were counted since the last word of it."""

    counts: Mapping[CellKey, tuple[int, ...]] = field(default_factory=dict)
    summaries: Mapping[CellKey, CellSummary] = field(default_factory=dict)


@dataclass(frozen=True)
class RollUp:
    """Of each cell, how many rows are of each :class:`Category`, in its order, and its summary."""

    counts: Mapping[CellKey, tuple[int, ...]] = field(default_factory=dict)
    summaries: Mapping[CellKey, CellSummary] = field(default_factory=dict)

    def with_cells(self, more: CellsCounted) -> RollUp:
        """Return these cells and those of *more*."""
        made = RollUp({**self.counts, **more.counts}, {**self.summaries, **more.summaries})
        # what is known of all cells follows from the new ones alone: they come often, and there may be many
        fresh = RollUp(more.counts)
        worst = dict(self._worst)
        for at, category in fresh._worst.items():
            worst[at] = max(worst.get(at, category), category)
        differing = self._differing + fresh._differing
        made.__dict__.update(
            _worst=worst, _bad=sorted([*self._bad, *fresh._bad]), _differing=differing, _start=self._start
        )
        return made

    def continues(self, other: RollUp) -> bool:
        """Return whether this is *other*, or was made of it: all that *other* tells still holds."""
        return self._start is other._start

    @cached_property
    def _start(self) -> object:
        """The same in all that was made of one by :meth:`with_cells`, and in no other one."""
        return object()

    @cached_property
    def _worst(self) -> dict[tuple[str, object], Category]:
        found: dict[tuple[str, object], Category] = {}
        for key in self.counts:
            category = self.category(key)
            if category is not None:
                for part in _PARTS:
                    at = (part, getattr(key, part))
                    found[at] = max(found.get(at, category), category)
        return found

    @cached_property
    def _bad(self) -> list[CellKey]:
        return sorted(key for key in self.counts if self.differing(key))

    @cached_property
    def _differing(self) -> int:
        return sum(map(self.differing, self.counts))

    def worst(self, part: str, value: object) -> Category | None:
        """Return the worst category of all cells whose *part* (phase, step or rank) is *value*."""
        return self._worst.get((part, value))

    def category(self, key: CellKey) -> Category | None:
        """Return the worst category of the cell *key*; ``None`` where it has no rows or is not counted."""
        counts = self.counts.get(key, ())
        return next((Category(at) for at in range(len(counts) - 1, -1, -1) if counts[at]), None)

    def differing(self, key: CellKey) -> int:
        """Return how many rows of the cell *key* differ."""
        return sum(self.counts.get(key, ())[Category.INHERITED :])

    def differing_elsewhere(self, key: CellKey | None) -> int:
        """Return how many rows of all other cells differ."""
        return self._differing - (self.differing(key) if key is not None else 0)

    def next_differing(self, key: CellKey, forward: bool = True) -> tuple[CellKey, bool] | None:
        """Return the next cell after *key* in which rows differ, and whether it is beyond an end."""
        if not [other for other in self._bad[:2] if other != key]:
            return None
        if not forward:
            before = bisect_left(self._bad, key)
            if before:
                return self._bad[before - 1], False
            return self._bad[-1], True
        after = bisect_right(self._bad, key)
        return (self._bad[after], False) if after < len(self._bad) else (self._bad[0], True)
