"""Rank × step: what is known of each cell. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from core.messages import text
from core.records.columns import Int32, UInt8
from core.records.overflow import CellTrack, OverflowReport, Special
from core.records.run import CellKey
from gui import numbers
from gui.models.overflow.words import sentence_of
from gui.models.pair.suspects import cell_label


class CellState(IntEnum):
    """The worst that is known of a cell; the larger one wins."""

    NOT_DUMPED = 0
    CLEAN = 1
    UNDECIDED = 2
    """All that can be told is finite, but not all can be told."""
    EXPECTED = 3
    """Only infinities that are meant."""
    BAD = 4
    """Bad values came here; none is born here."""
    BORN = 5
    EARLIEST = 6
    """A birth with none before it."""


@dataclass(frozen=True)
class Matrix:
    """One row a rank, one column a step."""

    ranks: tuple[int, ...] = ()
    steps: tuple[tuple[str, int], ...] = ()
    """Phase and step."""
    state: UInt8 = field(default_factory=lambda: np.empty((0, 0), np.uint8))
    birth: Int32 = field(default_factory=lambda: np.empty((0, 0), np.int32))
    """Position of the cell's first birth among the origins; -1 for none."""
    births: Int32 = field(default_factory=lambda: np.empty((0, 0), np.int32))
    """How many births it has."""

    def key(self, row: int, column: int) -> CellKey:
        """Return which cell stands there."""
        return CellKey(*self.steps[column], self.ranks[row])

    def place(self, key: CellKey) -> tuple[int, int] | None:
        """Return row and column of *key*."""
        step = (key.phase, key.step)
        if key.rank not in self.ranks or step not in self.steps:
            return None
        return self.ranks.index(key.rank), self.steps.index(step)

    @property
    def phases(self) -> list[str]:
        """The phases there are, in the order of the columns."""
        return list(dict.fromkeys(phase for phase, _ in self.steps))


def matrix_of(report: OverflowReport) -> Matrix:
    """Return what *report* says of each cell that it looked at."""
    keys = [track.key for track in report.tracks]
    ranks = tuple(sorted({key.rank for key in keys}))
    steps = tuple(sorted({(key.phase, key.step) for key in keys}))
    row_of = {rank: row for row, rank in enumerate(ranks)}
    column_of = {step: column for column, step in enumerate(steps)}
    state = np.full((len(ranks), len(steps)), CellState.NOT_DUMPED, np.uint8)
    birth = np.full(state.shape, -1, np.int32)
    births = np.zeros(state.shape, np.int32)
    meant = {born.cell for born in report.expected}
    reached = {station.cell for spread in report.spreads for path in spread.paths for station in path}
    for track in report.tracks:
        here = CellState.UNDECIDED if track.undecided else CellState.CLEAN
        here = CellState.EXPECTED if track.key in meant else here
        if len(track.rows):
            only_meant = track.key in meant and track.key not in reached and _only_infinities(track)
            here = CellState.EXPECTED if only_meant else CellState.BAD
        state[row_of[track.key.rank], column_of[track.key.phase, track.key.step]] = here
    found: dict[tuple[int, int], list[int]] = {}  # first birth, how many, worst state
    for at, born in enumerate(report.origins):
        worst = int(CellState.EARLIEST if born.earliest else CellState.BORN)
        column = column_of.get((born.cell.phase, born.cell.step), -1)
        for rank in {born.cell.rank, *born.ranks} if born.ranks else (born.cell.rank,):
            row = row_of.get(rank, -1)
            if row >= 0 and column >= 0:
                entry = found.setdefault((row, column), [at, 0, 0])
                entry[1] += 1
                entry[2] = max(entry[2], worst)
    for place, (first, count, worst) in found.items():
        birth[place], births[place] = first, count
        state[place] = max(int(state[place]), worst)
    return Matrix(ranks, steps, state, birth, births)


def _only_infinities(track: CellTrack) -> bool:
    found = int(np.bitwise_or.reduce(track.goes_in | track.comes_out))
    return not found & (Special.NAN | Special.SATURATED)


def cell_tip(matrix: Matrix, report: OverflowReport, row: int, column: int) -> str:
    """Return what the pointer is told of one cell."""
    key, state = matrix.key(row, column), CellState(int(matrix.state[row, column]))
    lines = [cell_label(key), text(f"gui.overflow.cell.{state.name.lower()}")]
    first = int(matrix.birth[row, column])
    if first >= 0:
        count = int(matrix.births[row, column])
        lines[1] = text("gui.overflow.births", count=count, number=numbers.grouped(count))
        lines.append(sentence_of(report.origins[first]))
    track = next((track for track in report.tracks if track.key == key), None)
    if track is not None and len(track.rows):
        count = len(track.rows)
        lines.append(
            text("gui.overflow.bad_calls", count=count, number=numbers.grouped(count),
                 total=numbers.grouped(track.operators))
        )  # fmt: skip
    if track is not None and track.undecided:
        count = track.undecided
        lines.append(text("gui.overflow.undecided", count=count, number=numbers.grouped(count)))
    return "\n".join(lines)
