"""What the heat map of layers asks for; these functions run in the service process. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.records.columns import Int64
from core.records.log_table import UNSAID
from core.records.trends import GridAxis
from gui.models.trends.scale import TrendSide
from gui.trends.drawing import Drawing, Region, drawing_of
from gui.trends.planes import Chosen, PlaneFacts, golden_place, planes_of, tables_of

if TYPE_CHECKING:
    from core.records.curves import Track


@dataclass(frozen=True)
class Overview:
    """A whole grid."""

    facts: PlaneFacts
    drawing: Drawing


@dataclass(frozen=True)
class CellFacts:
    """One cell."""

    row: int
    column: int
    layer: str
    place: int
    target: float
    golden: float
    relative: float
    in_target: bool
    in_golden: bool
    target_clipped: bool
    golden_clipped: bool
    bad: bool
    number: int
    """How many bad cells are computed before it."""
    micro_step: int
    """:data:`~core.records.log_table.UNSAID` where there is none."""


class BadCell(NamedTuple):
    """Where a cell over the limit is."""

    row: int
    column: int


@dataclass(frozen=True)
class LayerCurve:
    """One row of a grid; x is the middle of the column."""

    layer: str
    row: int
    target: Track
    golden: Track | None
    relative: Track | None
    places: Int64


def look(chosen: Chosen, side: TrendSide, pixels: tuple[int, int]) -> Overview:
    """Return a whole grid in at most *pixels* (rows, columns) blocks."""
    planes = planes_of(chosen)
    rows, columns = planes.bad.shape
    return Overview(planes.facts, drawing_of(planes, side, Region(0, rows, 0, columns), pixels))


def draw(chosen: Chosen, side: TrendSide, region: Region, pixels: tuple[int, int]) -> Drawing:
    """Return the *region* of a grid in at most *pixels* (rows, columns) blocks."""
    return drawing_of(planes_of(chosen), side, region, pixels)


def cell_at(chosen: Chosen, row: int, column: int) -> CellFacts | None:
    """Return what stands in a cell; ``None`` for one that is not there."""
    planes = planes_of(chosen)
    rows, columns = planes.bad.shape
    if not (0 <= row < rows and 0 <= column < columns):
        return None
    nothing = np.nan, False
    found = {
        side: (float(grid.values[row, column]), bool(grid.present[row, column]))
        for side, grid in planes.grids.items()
    }
    cut = {side: bool(mask[row, column]) for side, mask in planes.clipped.items() if mask is not None}
    target, golden = found[TrendSide.TARGET], found.get(TrendSide.GOLDEN, nothing)
    facts = planes.facts
    layer, place = facts.layers[row], int(facts.places[column])
    return CellFacts(
        row, column, layer, place, target[0], golden[0], found.get(TrendSide.DIFFERENCE, nothing)[0],
        target[1], golden[1], cut.get(TrendSide.TARGET, False), cut.get(TrendSide.GOLDEN, False),
        bool(planes.bad[row, column]),
        int(np.searchsorted(planes.order, planes.key(row, column))),
        _micro_step(chosen, layer, place, *target, golden[0]),
    )  # fmt: skip


def bad_cell(chosen: Chosen, row: int, column: int, forward: bool) -> BadCell | None:
    """Return the next bad cell after a cell, or the one before, by column and then as a step computes the
    layers; ``None`` at the end.

    Row and column of -1 ask for the first, or the last.
    """
    planes = planes_of(chosen)
    order = planes.order
    if row < 0 or column < 0:
        at = 0 if forward else len(order) - 1
    else:
        here = planes.key(row, column)
        at = int(np.searchsorted(order, here, "right" if forward else "left")) - (0 if forward else 1)
    if not 0 <= at < len(order):
        return None
    return BadCell(*planes.cell(int(order[at])))


def curve(chosen: Chosen, row: int) -> LayerCurve | None:
    """Return one layer over all places; ``None`` for one that is not there."""
    from core.curves.drawing.tracks import track_of

    planes = planes_of(chosen)
    if not 0 <= row < planes.bad.shape[0]:
        return None
    tracks: dict[TrendSide, Track] = {}
    for side, grid in planes.grids.items():
        there = np.flatnonzero(grid.present[row])
        tracks[side] = track_of(there.astype(np.float64) + 0.5, grid.values[row, there])
    return LayerCurve(
        planes.facts.layers[row], row, tracks[TrendSide.TARGET], tracks.get(TrendSide.GOLDEN),
        tracks.get(TrendSide.DIFFERENCE), planes.facts.places,
    )  # fmt: skip


def rank_of(chosen: Chosen, layer: str, step: int) -> int:
    """Return the first rank of the target on which *layer* is bad at *step*, -1 if it is on none."""
    planes = planes_of(replace(chosen, axis=GridAxis.RANK, at=step))
    if layer not in planes.facts.layers:
        return -1
    bad = np.flatnonzero(planes.bad[planes.facts.layers.index(layer)])
    return int(planes.facts.places[bad[0]]) if len(bad) else -1


def _micro_step(chosen: Chosen, layer: str, place: int, target: float, in_target: bool, golden: float) -> int:
    """Return the micro-step of the number that a cell shows."""
    mine, other = tables_of(chosen.target, chosen.golden)
    table, value, where = mine, target, chosen
    if not in_target and other is not None:
        table, value, where = other, golden, golden_place(chosen, mine, other)
    if layer not in table.labels:
        return UNSAID
    rank, step = (where.at, place) if where.axis is GridAxis.STEP else (place, where.at)
    rows = table.rows_of(chosen.metric)
    start, end = rows.start, rows.stop
    for keys, key in ((table.rank, rank), (table.step, step), (table.layer, table.labels.index(layer))):
        low, high = np.searchsorted(keys[start:end], (key, key + 1)).tolist()
        start, end = start + low, start + high
    found = table.value[start:end]
    same = np.flatnonzero((found == value) | (np.isnan(found) & np.isnan(value)))
    return int(table.micro_step[start + same[-1]]) if len(same) else UNSAID
