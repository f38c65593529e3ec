"""How the steps and ranks of a result compare: of each cell, how many rows are of each category. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.records.result import CellResult
from core.records.run import CellKey
from gui.models.categories import Category, categories


def counted(cell: CellResult) -> tuple[int, ...]:
    """Return how many rows of *cell* are of each category."""
    counts: list[int] = np.bincount(categories(cell.rows), minlength=len(Category)).tolist()
    return tuple(counts)


@dataclass(frozen=True)
class RollUp:
    """Of each cell, how many rows are of each :class:`Category`, in its order."""

    counts: Mapping[CellKey, tuple[int, ...]] = field(default_factory=dict)

    def worst(self, part: str, value: object) -> Category | None:
        """Return the worst category of all cells whose *part* (phase, step or rank) is *value*."""
        found = [
            category
            for key, counts in self.counts.items()
            if getattr(key, part) == value
            for category in Category
            if counts[category]
        ]
        return max(found, default=None)

    def differing(self, key: CellKey) -> int:
        """Return how many rows of the cell *key* differ."""
        counts = self.counts.get(key, ())
        return sum(count for category, count in zip(Category, counts) if category.differs)

    def differing_elsewhere(self, key: CellKey | None) -> int:
        """Return how many rows of all other cells differ."""
        return sum(self.differing(other) for other in self.counts if other != key)

    def next_differing(self, key: CellKey, forward: bool = True) -> tuple[CellKey, bool] | None:
        """Return the next cell after *key* in which rows differ, and whether it is beyond an end."""
        bad = sorted(other for other in self.counts if other != key and self.differing(other))
        if not bad:
            return None
        if not forward:
            before = [other for other in bad if other < key]
            return (before[-1], False) if before else (bad[-1], True)
        later = [other for other in bad if other > key]
        return (later[0], False) if later else (bad[0], True)
