"""How many elements of a row are NaN or Inf, as the comparison counted them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.records.result import CLASSES, CellResult

_FINITE, _NAN = CLASSES.index("finite"), CLASSES.index("nan")


@dataclass(frozen=True)
class SpecialTotals:
    """Of target and golden."""

    nan: tuple[int, int] = (0, 0)
    inf: tuple[int, int] = (0, 0)
    same: int = 0
    """Elements that are the same special value on both sides."""


def special_totals(cell: CellResult, row: int) -> SpecialTotals:
    """Return how many elements of *row* are NaN, and how many Inf of either sign."""
    counts = _counts(cell, row)
    if counts is None:
        return SpecialTotals()
    sides = counts.sum(axis=1), counts.sum(axis=0)
    nan = [int(side[_NAN]) for side in sides]
    inf = [int(side.sum() - side[_FINITE] - side[_NAN]) for side in sides]
    same = int(np.trace(counts) - counts[_FINITE, _FINITE])
    return SpecialTotals((nan[0], nan[1]), (inf[0], inf[1]), same)


def classes_differ(cell: CellResult, row: int) -> bool:
    """Whether an element of *row* is NaN or Inf on one side and something else on the other."""
    counts = _counts(cell, row)
    return counts is not None and int(counts.sum()) > int(np.trace(counts))


def _counts(cell: CellResult, row: int) -> NDArray[np.int64] | None:
    """Return the classes of target × golden; ``None`` where all is finite."""
    table = cell.class_counts
    at = int(table.row.searchsorted(row))
    if at >= len(table.row) or int(table.row[at]) != row:
        return None
    counts: NDArray[np.int64] = table.counts[at].reshape(len(CLASSES), len(CLASSES))
    return counts
