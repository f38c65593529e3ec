"""The number at the right of a node: how many rows below differ, or how far its outputs are off.

Imports no Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

from core.records.columns import Float64, Int32
from core.records.result import RowTable
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.tree.arrangements import Arrangement


class Shown(StrEnum):
    """Which number a node shows, as the settings and the catalogue name it."""

    DIFFERING = "differing"
    ERROR = "error"
    COSINE = "cosine"


class NodeNumbers:
    """Worked out over all nodes when first asked for."""

    def __init__(self, arrangement: Arrangement, rows: RowTable) -> None:
        self._arrangement, self._rows = arrangement, rows
        self._made: dict[Shown, Any] = {}

    def words(self, shown: Shown, node: int) -> str:
        """Return the number of *node* as it is written; empty where there is none."""
        if shown is Shown.DIFFERING:
            count = int(self.differing[node])
            return numbers.grouped(count) if count and self._arrangement.has_below[node] else ""
        return self.written(shown, float(self.worst(shown)[node]))

    @staticmethod
    def written(shown: Shown, value: float) -> str:
        """Return an error or a cosine as it is written; nothing for NaN."""
        if np.isnan(value):
            return ""
        return numbers.scientific(value) if shown is Shown.ERROR else numbers.cosine(value)

    def worst_of(self, shown: Shown, node: int) -> float:
        """Return what :meth:`worst` says of one *node*, without working it out for all."""
        values, known = self._outputs(shown)
        found = values[self._arrangement.rows_below(node) & known]
        if not len(found):
            return float("nan")
        return float(found.max() if shown is Shown.ERROR else found.min())

    @property
    def differing(self) -> Int32:
        """How many rows below each node differ."""
        found: Int32 = self._once(
            Shown.DIFFERING,
            lambda: self._arrangement.count(self._arrangement.facts.category >= Category.INHERITED),
        )
        return found

    def worst(self, shown: Shown) -> Float64:
        """Return the largest error, or the smallest cosine, of the outputs below each node; else NaN."""
        found: Float64 = self._once(shown, lambda: self._worst(shown))
        return found

    def _once(self, shown: Shown, make: Callable[[], Any]) -> Any:
        if shown not in self._made:
            self._made[shown] = make()
        return self._made[shown]

    def _outputs(self, shown: Shown) -> tuple[Float64, np.ndarray]:
        """Return the metric of all rows, NaN but for outputs, and which rows have one."""
        facts = self._arrangement.facts
        metric = self._rows.error if shown is Shown.ERROR else self._rows.cosine
        wanted = facts.is_output & (facts.category != Category.IGNORED)
        values: Float64 = np.where(wanted, metric, np.nan)
        return values, ~np.isnan(values)

    def _worst(self, shown: Shown) -> Float64:
        arrangement, total = self._arrangement, len(self._arrangement)
        values, known = self._outputs(shown)
        rows = np.flatnonzero(known)
        at = arrangement.node_of_row[rows]
        sign = 1.0 if shown is Shown.ERROR else -1.0
        own = np.full(total + 1, -np.inf)
        np.maximum.at(own, at, sign * values[rows])
        bounds = np.column_stack([np.arange(total), arrangement.end]).ravel()
        below = sign * np.maximum.reduceat(own, bounds)[::2] if total else own[:0]
        below[arrangement.count(known) == 0] = np.nan
        return below
