"""Errors of other cells along the calls of the one on show, as few enough points to draw. Imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Float64, Int64
from core.records.dump import SlotGroup
from core.records.result import CellResult, Verdict
from core.records.run import CellKey
from gui.models.trajectory.points import SPECIAL, Heights, Lane, Trajectory

Float32 = NDArray[np.float32]

MOST_LINES = 8
"""Cells that are drawn each with a line of its own."""
_BINS = 2000
"""Places along the run that a line is reduced to; of each the largest error is kept."""
_FEW_ZEROS = 8
"""Errors of 0 in a row from which they are drawn."""
_OUTPUTS = (SlotGroup.OUTPUT, SlotGroup.PARAMETER_GRAD, SlotGroup.VALUE)


@dataclass(frozen=True)
class Line:
    """One other cell: ``y`` is log10 of the largest error of a call; −inf for 0, +inf for NaN and Inf."""

    key: CellKey
    x: Float32
    """Calls of the cell on show."""
    y: Float32
    shared: int
    """How many calls both cells have and could be compared in both runs."""

    def nearest(self, x: float) -> int:
        """Return the point whose call is next to *x*; -1 where the line has none."""
        if not len(self.x):
            return -1
        after = int(np.clip(np.searchsorted(self.x, x), 1, len(self.x) - 1)) if len(self.x) > 1 else 0
        return after - 1 if after and x - self.x[after - 1] < self.x[after] - x else after


@dataclass(frozen=True)
class Band:
    """From the smallest to the largest error of cells that have no line of their own."""

    x: Float32
    low: Float32
    high: Float32
    count: int
    """How many cells."""


@dataclass(frozen=True)
class Overlay:
    """What is drawn behind the trajectory of one cell."""

    base: CellKey
    lines: tuple[Line, ...]
    band: Band | None = None

    def make_room(self, points: Trajectory) -> Trajectory:
        """Return *points* on an axis on which all that is drawn of the other cells has its place."""
        parts = [line.y for line in self.lines]
        parts += [self.band.low, self.band.high] if self.band is not None else []
        sizes = np.concatenate(parts) if parts else np.empty(0)
        lanes = {lane for lane, end in ((Lane.ZERO, -np.inf), (Lane.SPECIAL, np.inf)) if (sizes == end).any()}
        sizes = sizes[np.isfinite(sizes)]
        low = float(sizes.min()) if len(sizes) else points.heights.lowest
        high = float(sizes.max()) if len(sizes) else points.heights.highest
        return points.widened(low, high, frozenset(lanes))


def drawn_heights(sizes: NDArray[np.float32], heights: Heights) -> NDArray[np.float32]:
    """Return where errors of a line or band are drawn: 0, NaN and Inf in their lanes."""
    return np.clip(sizes, heights[Lane.ZERO], heights[Lane.SPECIAL])


class Aligner:
    """Puts the calls of other cells in the places of the calls of one, by their names."""

    def __init__(self, cell: CellResult) -> None:
        rows = cell.rows
        changed = np.ones(len(rows), bool)
        changed[1:] = (rows.target_operator[1:] != rows.target_operator[:-1]) | (
            rows.golden_operator[1:] != rows.golden_operator[:-1]
        )
        call = np.cumsum(changed) - 1
        self.calls = int(call[-1]) + 1 if len(call) else 0
        self._place = np.full(len(cell.target.operators), -1, np.int64)
        known = rows.target_operator >= 0
        self._place[rows.target_operator[known][::-1]] = call[known][::-1]
        self._strings, self._names = cell.target.strings, cell.target.operators.name
        self._of_name: dict[str, int] = {}

    def line(self, cell: CellResult) -> Line:
        """Return the errors of *cell*, another cell of the same result."""
        sizes = _largest_errors(cell)
        places = self._places(cell)
        shared = np.flatnonzero(~np.isnan(sizes) & (places >= 0))
        order = shared[np.argsort(places[shared], kind="stable")]
        x, y = _without_lone_zeros(places[order], sizes[order])
        if len(x) > 2 * _BINS:
            x, y = _largest_of_bins(x, y, self.calls)
        return Line(cell.key, x.astype(np.float32), y.astype(np.float32), len(shared))

    def _places(self, cell: CellResult) -> Int64:
        strings, names = cell.target.strings, cell.target.operators.name
        same = len(strings.data) == len(self._strings.data) and len(names) == len(self._names)
        if same and np.array_equal(names, self._names) and np.array_equal(strings.data, self._strings.data):
            return self._place  # the usual case: every rank runs the same calls
        if not self._of_name:
            texts = list(self._strings)
            spelled = map(texts.__getitem__, self._names.tolist())
            self._of_name = dict(zip(spelled, self._place.tolist()))
        texts = list(strings)
        return np.array([self._of_name.get(texts[name], -1) for name in names.tolist()], np.int64)


def _largest_errors(cell: CellResult) -> Float64:
    """Return log10 of the largest error among the outputs of each target call; NaN where none was judged."""
    rows, slots = cell.rows, cell.target.slots
    sizes = np.full(len(cell.target.operators), np.nan)
    told = (rows.target_slot >= 0) & (rows.verdict != Verdict.NOT_COMPARED) & ~np.isnan(rows.error)
    told[told] = np.isin(slots.group[rows.target_slot[told]], _OUTPUTS)
    error = np.where(np.isin(rows.reason[told], SPECIAL), np.inf, rows.error[told])
    with np.errstate(divide="ignore"):
        np.fmax.at(sizes, rows.target_operator[told], np.log10(error))
    return sizes


def _without_lone_zeros(x: Int64, y: Float64) -> tuple[Int64, Float64]:
    """Return points without short runs of errors of 0, between which a line would go up and down."""
    zero = np.isneginf(y)
    starts = np.flatnonzero(np.r_[True, zero[1:] != zero[:-1]]) if len(y) else np.empty(0, np.int64)
    lengths = np.diff(np.r_[starts, len(y)])
    kept = ~zero | np.repeat(lengths >= _FEW_ZEROS, lengths)
    return x[kept], y[kept]


def _largest_of_bins(x: Int64, y: Float64, calls: int) -> tuple[Int64, Float64]:
    starts = np.flatnonzero(np.r_[True, np.diff(x * _BINS // calls) > 0])
    highest = np.maximum.reduceat(y, starts)
    at = np.flatnonzero(y == np.repeat(highest, np.diff(np.r_[starts, len(y)])))
    _, one = np.unique(np.searchsorted(starts, at, "right"), return_index=True)
    return x[at[one]], y[at[one]]


def overlay_of(base: Line, others: Sequence[Line], calls: int) -> Overlay:
    """Return what is drawn of *others*: the eight that leave *base* furthest, and the rest as a band."""
    if len(others) <= MOST_LINES:
        return Overlay(base.key, tuple(others))
    away = [_distance(base, line) for line in others]
    leading = set(np.argsort(np.negative(away), kind="stable")[:MOST_LINES].tolist())
    lines = tuple(line for at, line in enumerate(others) if at in leading)
    return Overlay(
        base.key, lines, _band([line for at, line in enumerate(others) if at not in leading], calls)
    )


def _distance(base: Line, line: Line) -> float:
    """Return by how many decades two lines differ on average."""
    if not len(base.x) or not len(line.x):
        return 0.0
    mine, theirs = (np.clip(part.y.astype(float), -40, 40) for part in (base, line))
    return float(np.mean(np.abs(np.interp(line.x, base.x, mine) - theirs)))


def _band(lines: Sequence[Line], calls: int) -> Band:
    bins = min(max(calls, 1), _BINS)
    low, high = np.full(bins, np.nan, np.float32), np.full(bins, np.nan, np.float32)
    for line in lines:
        at = (line.x.astype(np.int64) * bins) // max(calls, 1)
        np.fmin.at(low, at, line.y)
        np.fmax.at(high, at, line.y)
    held = np.flatnonzero(~np.isnan(low))
    x = (held * (max(calls, 1) / bins)).astype(np.float32)
    return Band(x, low[held], high[held], len(lines))
