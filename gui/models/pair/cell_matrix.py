"""Rank × step of a comparison: how each cell compares, as numbers and as levels of a colour scale. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from itertools import islice

import numpy as np

from core.messages import text
from core.records.columns import Float64, UInt8
from core.records.run import CellKey
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.roll_up import CellSummary, RollUp


class Metric(Enum):
    """By what cells are coloured; the value ends the code of its name."""

    VERDICT = "verdict"
    ERROR = "error"
    COSINE = "cosine"
    DIFFERING = "differing"
    COMPARED = "compared"
    PLACE = "place"

    @property
    def word(self) -> str:
        """Its name in the language in force."""
        return text(f"gui.cells.metric.{self.value}")


class CellState(IntEnum):
    """How much is known of a cell."""

    MISSING = 0
    """Not in both runs."""
    WAITING = 1
    """Still to be counted."""
    COUNTED = 2


class Level(IntEnum):
    """Levels that are no place on the scale, and the ends of it."""

    MISSING = 0
    WAITING = 1
    NOTHING = 2
    """Counted, but there is no such number."""
    BEYOND = 3
    """NaN or Inf."""
    FIRST = 16
    LAST = 255


_LOGARITHMIC = (Metric.ERROR, Metric.COSINE, Metric.DIFFERING)


_EXACT = -16.0
"""Where a cosine of 1 stands, as log10 of what is missing to it."""


@dataclass(frozen=True)
class Spot:
    """A row of a cell that is not on show."""

    operator: str
    place: float
    """How far along the run, from 0 to 1."""
    error: float | None


@dataclass(frozen=True)
class Scale:
    """Levels of all cells, and the numbers at both ends of their scale; the last level is the worst."""

    levels: UInt8
    low: str
    high: str
    """Empty where nothing has a place on it."""


class CellMatrix:
    """One row a rank, one column a step of a phase."""

    def __init__(self, cells: Sequence[CellKey] = ()) -> None:
        self.ranks: tuple[int, ...] = tuple(sorted({key.rank for key in cells}))
        self.steps: tuple[tuple[str, int], ...] = tuple(sorted({key[:2] for key in cells}))
        self._row = {rank: at for at, rank in enumerate(self.ranks)}
        self._column = {step: at for at, step in enumerate(self.steps)}
        shape = (len(self.ranks), len(self.steps))
        self.state = np.full(shape, CellState.MISSING, np.uint8)
        if cells:
            rows = np.fromiter((self._row[key.rank] for key in cells), np.int64, len(cells))
            columns = np.fromiter((self._column[key[:2]] for key in cells), np.int64, len(cells))
            self.state[rows, columns] = CellState.WAITING
        self.category = np.zeros(shape, np.uint8)
        self.values: dict[Metric, Float64] = {
            metric: np.full(shape, np.nan) for metric in Metric if metric is not Metric.VERDICT
        }
        self._roll_up = RollUp()

    @property
    def counted(self) -> int:
        """How many cells are counted."""
        return len(self._roll_up.counts)

    @property
    def missing(self) -> int:
        """How many places have no cell."""
        return int(np.count_nonzero(self.state == CellState.MISSING))

    def key(self, row: int, column: int) -> CellKey:
        """Return which cell stands there."""
        return CellKey(*self.steps[column], self.ranks[row])

    def place(self, key: CellKey) -> tuple[int, int] | None:
        """Return row and column of *key*."""
        row, column = self._row.get(key.rank, -1), self._column.get((key.phase, key.step), -1)
        return (row, column) if row >= 0 and column >= 0 else None

    def take(self, roll_up: RollUp) -> None:
        """Take over the cells that were counted since the last time; all, if this is another count."""
        if not roll_up.continues(self._roll_up):
            self._forget()
        done, self._roll_up = self.counted, roll_up
        for key, counts in islice(roll_up.counts.items(), done, None):
            place = self.place(key)
            if place is None:
                continue
            self.state[place] = CellState.COUNTED
            self.category[place] = roll_up.category(key) or 0
            summary, rows = roll_up.summaries.get(key, CellSummary()), sum(counts)
            for metric, value in (
                (Metric.ERROR, summary.worst_error),
                (Metric.COSINE, summary.worst_cosine),
                (Metric.DIFFERING, roll_up.differing(key)),
                (Metric.COMPARED, 1 - counts[Category.NOT_COMPARED] / rows if rows else None),
                (Metric.PLACE, summary.place),
            ):
                self.values[metric][place] = np.nan if value is None else value

    def _forget(self) -> None:
        """Know nothing of any cell."""
        self._roll_up = RollUp()
        self.state[self.state == CellState.COUNTED] = CellState.WAITING
        self.category[:] = 0
        for values in self.values.values():
            values[:] = np.nan

    def scale(self, metric: Metric) -> Scale:
        """Return the levels of all cells by *metric*; for the verdict a level is its category."""
        if metric is Metric.VERDICT:
            counted = self.state == CellState.COUNTED
            return Scale(np.where(counted, self.category + np.uint8(Level.FIRST), self.state), "", "")
        values = self.values[metric]
        size = _sizes(metric, values)
        known = np.isfinite(size)
        levels = np.where(self.state == CellState.COUNTED, Level.NOTHING, self.state).astype(np.uint8)
        levels[np.isposinf(size)] = Level.BEYOND
        if not known.any():
            return Scale(levels, "", "")
        low, high = float(size[known].min()), float(size[known].max())
        if metric in (Metric.COMPARED, Metric.PLACE):
            low, high = 0.0, 1.0
        share = (size[known] - low) / max(high - low, 1e-12)
        levels[known] = np.rint(Level.FIRST + share * (Level.LAST - Level.FIRST)).astype(np.uint8)
        return Scale(levels, spelled(metric, _value(metric, low)), spelled(metric, _value(metric, high)))

    def told(self, row: int, column: int) -> list[str]:
        """Return what is known of one cell, a sentence each."""
        key, state = self.key(row, column), CellState(int(self.state[row, column]))
        if state is not CellState.COUNTED:
            return [text(f"gui.cells.{state.name.lower()}")]
        counts, summary = self._roll_up.counts[key], self._roll_up.summaries.get(key, CellSummary())
        rows, category = sum(counts), self._roll_up.category(key)
        if category is None:
            return [text("gui.cells.no_rows")]
        differing = self._roll_up.differing(key)
        lines = [
            text("gui.cells.rows", count=differing, differing=numbers.grouped(differing),
                 rows=numbers.grouped(rows)),
            text("gui.cells.share", share=numbers.percent(float(self.values[Metric.COMPARED][row, column]))),
        ]  # fmt: skip
        if summary.worst_error is not None:
            lines.append(text("gui.cells.worst", error=spelled(Metric.ERROR, summary.worst_error)))
        if summary.worst_cosine is not None:
            lines.append(text("gui.cells.cosine", cosine=spelled(Metric.COSINE, summary.worst_cosine)))
        return lines

    def first_differing(self, row: int, column: int) -> Spot | None:
        """Return the first row that differs in a cell, ``None`` where none does."""
        summary = self._roll_up.summaries.get(self.key(row, column))
        if summary is None or summary.place is None:
            return None
        return Spot(summary.first, summary.place, summary.error)


def _sizes(metric: Metric, values: Float64) -> Float64:
    """Return *values* as they lie on the scale, the worst highest; NaN where there is no number."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if metric is Metric.COSINE:
            made = np.log10(np.maximum(1 - values, 10.0**_EXACT))
        elif metric is Metric.ERROR:
            made = np.log10(np.where(values == 0, np.nan, values))
        elif metric is Metric.DIFFERING:
            made = np.log10(1 + values)
        else:  # little compared, and early on, is worst
            made = 1 - values
    return made


def _value(metric: Metric, size: float) -> float:
    """Return the number at *size* of the scale."""
    if metric is Metric.COSINE:
        return 1 - 10.0**size if size > _EXACT else 1.0
    if metric is Metric.DIFFERING:
        return float(round(10.0**size - 1))
    return 10.0**size if metric in _LOGARITHMIC else 1 - size


def spelled(metric: Metric, value: float) -> str:
    """Return *value* as it is read."""
    if metric is Metric.ERROR:
        return numbers.scientific(value)
    if metric is Metric.COSINE:
        return numbers.cosine(value)
    return numbers.grouped(int(value)) if metric is Metric.DIFFERING else numbers.percent(value)
