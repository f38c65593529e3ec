"""Grids of layers by steps or ranks, as the heat map wants them; made and kept in the service process.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from core.records.columns import Int64
from core.records.trends import Bool, GridAxis, TrendDifference, TrendGrid, TrendTable
from gui.models.trends.scale import (
    ColourScale,
    Special,
    TrendSide,
    scale_of_difference,
    scale_of_values,
)

if TYPE_CHECKING:
    from core.curves.shelf import Shelved

_KEPT_GRIDS = 3


@dataclass(frozen=True)
class Chosen:
    """Which grid."""

    target: Shelved
    golden: Shelved | None
    metric: str
    axis: GridAxis
    at: int
    """The rank, or the step, of all cells."""
    shift: int
    limit: float


@dataclass(frozen=True)
class PlaneFacts:
    """What is known of a whole grid."""

    chosen: Chosen
    layers: tuple[str, ...]
    places: Int64
    """Steps or ranks."""
    scales: Mapping[TrendSide, ColourScale]
    """Of the sides there are."""
    counts: Mapping[TrendSide, Mapping[Special, int]]
    bad: int
    """Cells over the limit; of a run alone, those that are not finite."""
    bad_rows: Bool
    bad_columns: Bool


@dataclass(frozen=True)
class Planes:
    """Grids of one shape; of a run alone the first of them."""

    grids: Mapping[TrendSide, TrendGrid]
    clipped: Mapping[TrendSide, Bool | None]
    """Cut values; of the difference, those of which nothing can be said."""
    bad: Bool
    upward: bool
    """A step computes the lowest layer first: gradients go up the model."""
    order: Int64
    """Keys of the bad cells, ascending; see :meth:`key`."""
    facts: PlaneFacts

    def key(self, row: int, column: int) -> int:
        """Return a number that grows by column, and in it as a step computes the layers."""
        rows = self.bad.shape[0]
        return column * rows + (rows - 1 - row if self.upward else row)

    def cell(self, key: int) -> tuple[int, int]:
        """Return row and column of a key."""
        rows = max(self.bad.shape[0], 1)
        column, row = divmod(key, rows)
        return (rows - 1 - row if self.upward else row), column


@lru_cache(maxsize=2)
def tables_of(target: Shelved, golden: Shelved | None) -> tuple[TrendTable, TrendTable | None]:
    """Return the tables of both sides from the shelf."""
    from core.curves.shelf import unshelve

    return unshelve(target), unshelve(golden) if golden is not None else None


@lru_cache(maxsize=_KEPT_GRIDS)
def planes_of(chosen: Chosen) -> Planes:
    """Return the grids of *chosen*, made now or before."""
    target, golden = tables_of(chosen.target, chosen.golden)
    if golden is None:
        return _alone(chosen, target)
    return _compared(chosen, target, golden)


def _alone(chosen: Chosen, target: TrendTable) -> Planes:
    from core.curves.trends.grids import grid_by_rank, grid_of

    if chosen.axis is GridAxis.STEP:
        grid = grid_of(target, chosen.metric, rank=chosen.at)
    else:
        grid = grid_by_rank(target, chosen.metric, step=chosen.at)
    bad = grid.present & ~np.isfinite(grid.values)
    scales = {TrendSide.TARGET: scale_of_values([grid.values])}
    clipped = {TrendSide.TARGET: _cut(target, grid, chosen)}
    return _made(chosen, {TrendSide.TARGET: grid}, clipped, bad, scales)


def difference_of(chosen: Chosen) -> TrendDifference:
    """Return the difference of both sides, of which there must be two."""
    from core.curves.trends.difference import difference, difference_by_rank

    target, golden = tables_of(chosen.target, chosen.golden)
    assert golden is not None
    if chosen.axis is GridAxis.STEP:
        return difference(target, golden, chosen.metric, rank=chosen.at, shift=chosen.shift)
    return difference_by_rank(target, golden, chosen.metric, step=chosen.at, shift=chosen.shift)


def _compared(chosen: Chosen, target: TrendTable, golden: TrendTable) -> Planes:
    found = difference_of(chosen)
    t, g, relative = found.target, found.golden, found.relative
    cut = _cut(target, t, chosen), _cut(golden, g, golden_place(chosen, target, golden))
    unknown = None
    if cut[0] is not None or cut[1] is not None:
        # the difference of two values cut to one bound is NaN though neither is
        unknown = relative.present & np.isnan(relative.values) & ~np.isnan(t.values) & ~np.isnan(g.values)
        unknown &= np.isfinite(g.values)
        relative = replace(relative, present=relative.present & ~unknown)
    rounding = _rounding(chosen.target, chosen.golden, chosen.metric)
    bad = _over(relative, t, g, chosen.limit, rounding)
    values = scale_of_values([t.values, g.values])
    scales = {
        TrendSide.TARGET: values,
        TrendSide.GOLDEN: values,
        TrendSide.DIFFERENCE: scale_of_difference(relative.values, chosen.limit),
    }
    grids = {TrendSide.TARGET: t, TrendSide.GOLDEN: g, TrendSide.DIFFERENCE: relative}
    clipped = {TrendSide.TARGET: cut[0], TrendSide.GOLDEN: cut[1], TrendSide.DIFFERENCE: unknown}
    return _made(chosen, grids, clipped, bad, scales)


def _over(relative: TrendGrid, target: TrendGrid, golden: TrendGrid, limit: float, rounding: float) -> Bool:
    """Return which cells are over *limit*, by the rule of the judgement."""
    with np.errstate(invalid="ignore", over="ignore"):
        told_apart = np.abs(target.values - golden.values) > rounding * (1 + 1e-9)
        far = (np.abs(relative.values) > limit) & told_apart
    found: Bool = relative.present & (far | (np.isnan(target.values) & np.isfinite(golden.values)))
    return found


@lru_cache(maxsize=64)
def _rounding(target: Shelved, golden: Shelved | None, metric: str) -> float:
    from core.curves.trends.scale import rounding_of

    return max(rounding_of(table, metric) for table in tables_of(target, golden) if table is not None)


def golden_place(chosen: Chosen, target: TrendTable, golden: TrendTable) -> Chosen:
    """Return where the golden's numbers stand in its own numbering; columns stay as the target numbers."""
    if chosen.axis is GridAxis.STEP:
        one = len(target.ranks) == len(golden.ranks) == 1
        at = golden.ranks[0] if one else chosen.at
    else:
        at = chosen.at + chosen.shift
    return replace(chosen, at=at)


def _cut(table: TrendTable, grid: TrendGrid, place: Chosen) -> Bool | None:
    """Return which cells of *grid* show a value that was cut; ``None`` if none does."""
    rows = table.rows_of(place.metric)
    fixed = table.rank if place.axis is GridAxis.STEP else table.step
    found = rows.start + np.flatnonzero(table.clipped[rows] & (fixed[rows] == place.at))
    if not len(found):
        return None
    numbers = {label: number for number, label in enumerate(grid.layers)}
    row = np.array([numbers.get(table.labels[layer], -1) for layer in table.layer[found]], np.int64)
    across = table.step[found] if place.axis is GridAxis.STEP else table.rank[found].astype(np.int64)
    if table is not tables_of(place.target, place.golden)[0]:
        across = across - place.shift if place.axis is GridAxis.STEP else _as_target(across, place)
    column = np.minimum(np.searchsorted(grid.places, across), max(len(grid.places) - 1, 0))
    there = (row >= 0) & (grid.places[column] == across)
    there &= grid.values[row, column] == table.value[found]
    made = np.zeros(grid.values.shape, np.bool_)
    made[row[there], column[there]] = True
    return made if made.any() else None


def _as_target(ranks: Int64, place: Chosen) -> Int64:
    """Return the target's numbers of the golden's *ranks*: one alone goes with one alone."""
    target, golden = tables_of(place.target, place.golden)
    one = golden is not None and len(target.ranks) == len(golden.ranks) == 1
    return np.full(len(ranks), target.ranks[0], np.int64) if one else ranks


def _made(
    chosen: Chosen,
    grids: Mapping[TrendSide, TrendGrid],
    clipped: Mapping[TrendSide, Bool | None],
    bad: Bool,
    scales: Mapping[TrendSide, ColourScale],
) -> Planes:
    from core.formats.monitors.kinds import Phase, phase_of

    first = grids[TrendSide.TARGET]
    table = tables_of(chosen.target, chosen.golden)
    kinds = {name: kind for side in table if side is not None for name, kind in zip(side.metrics, side.kinds)}
    upward = phase_of(kinds.get(chosen.metric, "")) is Phase.BACKWARD
    order = np.flatnonzero((bad[::-1] if upward else bad).T).astype(np.int64)
    facts = PlaneFacts(
        chosen, first.layers, first.places, scales,
        {side: _counted(grid, clipped[side], grids) for side, grid in grids.items()},
        len(order), np.any(bad, axis=1), np.any(bad, axis=0),
    )  # fmt: skip
    return Planes(grids, clipped, bad, upward, order, facts)


def _counted(
    grid: TrendGrid, clipped: Bool | None, grids: Mapping[TrendSide, TrendGrid]
) -> dict[Special, int]:
    values, present = grid.values, grid.present
    counts = {
        Special.NAN: int((np.isnan(values) & present).sum()),
        Special.PLUS_INF: int((values == np.inf).sum()),
        Special.MINUS_INF: int((values == -np.inf).sum()),
        Special.CLIPPED: int(clipped.sum()) if clipped is not None else 0,
    }
    there = [grids[each].present for each in (TrendSide.TARGET, TrendSide.GOLDEN) if each in grids]
    if len(there) == 2:
        target, golden = there
        counts[Special.TARGET_ONLY] = int((target & ~golden).sum())
        counts[Special.GOLDEN_ONLY] = int((golden & ~target).sum())
    counts[Special.ABSENT] = int((~np.logical_or.reduce(there)).sum())
    return counts
