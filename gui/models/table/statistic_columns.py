"""Columns of the four statistics: of the target, of the golden, and what is between them."""

from __future__ import annotations

import numpy as np

from core.records.dump import STATISTICS, Known
from core.records.result import CellResult
from gui import numbers
from gui.models.pair.facts import Facts
from gui.models.table.metric_column import Column, of_numbers

_FLAGS = dict(zip(STATISTICS, (Known.MAX, Known.MIN, Known.MEAN, Known.NORM)))
_WIDTH = 100


def statistic_columns() -> tuple[Column, ...]:
    """Return target, golden, difference and relative difference of each statistic."""
    return tuple(column for name in STATISTICS for column in _columns_of(name))


def _columns_of(name: str) -> tuple[Column, ...]:
    def target(cell: CellResult, _facts: Facts, rows: np.ndarray) -> np.ndarray:
        return _statistic(cell, name, True, rows)

    def golden(cell: CellResult, _facts: Facts, rows: np.ndarray) -> np.ndarray:
        return _statistic(cell, name, False, rows)

    def difference(cell: CellResult, _facts: Facts, rows: np.ndarray) -> np.ndarray:
        return _difference(_statistic(cell, name, True, rows), _statistic(cell, name, False, rows))

    def relative(cell: CellResult, _facts: Facts, rows: np.ndarray) -> np.ndarray:
        return relative_difference(cell, name, rows)

    return (
        of_numbers(f"target_{name}", _WIDTH, target, numbers.compact, hides=True),
        of_numbers(f"golden_{name}", _WIDTH, golden, numbers.compact),
        of_numbers(f"difference_{name}", _WIDTH, difference, numbers.scientific),
        of_numbers(f"relative_{name}", _WIDTH, relative, _per_cent, hides=True),
    )


def _statistic(cell: CellResult, name: str, of_target: bool, rows: np.ndarray) -> np.ndarray:
    """Return statistic *name* of *rows* as one dump has it, NaN where it has none."""
    dump, places = (cell.target, cell.rows.target_slot) if of_target else (cell.golden, cell.rows.golden_slot)
    if not len(dump.slots):
        return np.full(len(rows), np.nan)
    slot = places[rows]
    there = (slot >= 0) & ((dump.slots.known[slot] & _FLAGS[name]) != 0)
    return np.where(there, getattr(dump.slots, name)[slot], np.nan)


def _difference(target: np.ndarray, golden: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(target == golden, 0.0, target - golden)  # equal infinities differ by nothing


def relative_difference(cell: CellResult, name: str, rows: np.ndarray) -> np.ndarray:
    """Return by how much statistic *name* of *rows* differs, as a share of the golden's."""
    target, golden = _statistic(cell, name, True, rows), _statistic(cell, name, False, rows)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return np.where(target == golden, 0.0, np.abs(_difference(target, golden) / golden))


def _per_cent(share: float) -> str:
    """Return *share* in per cent, which may be many."""
    return f"{numbers.compact(share * 100, 3)}{numbers.THIN_SPACE}%"
