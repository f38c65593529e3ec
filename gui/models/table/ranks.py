"""Places of values in their order, worked out once a column; to sort by them again is quick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.records.columns import Int64

_HALF = 16
"""Bits that numpy sorts by counting, in a tenth of the time of a sort by comparing."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """The place of each value among the distinct known ones; all that are not known share the last."""

    place: np.ndarray
    """uint32, one a value."""
    distinct: int

    @classmethod
    def of(cls, keys: np.ndarray) -> Ranks:
        """Rank *keys*; NaN is not known."""
        order = np.argsort(keys, kind="stable")  # NaN comes last
        arranged = keys[order]
        known = len(keys)
        if keys.dtype.kind == "f":
            known -= int(np.isnan(arranged).sum())
        begins = np.zeros(len(keys), bool)
        begins[1:known] = arranged[1:known] != arranged[: max(known - 1, 0)]
        numbers = np.cumsum(begins, dtype=np.uint32)
        distinct = int(numbers[known - 1]) + 1 if known else 0
        numbers[known:] = distinct
        place = np.empty(len(keys), np.uint32)
        place[order] = numbers
        return cls(place, distinct)

    def directed(self, descending: bool) -> np.ndarray:
        """Return the places from the largest on, or from the smallest; what is not known stays last."""
        if not descending or not self.distinct:
            return self.place
        last = np.uint32(self.distinct)
        return np.where(self.place < last, last - np.uint32(1) - self.place, last)


def ordered(places: Sequence[np.ndarray]) -> Int64:
    """Return the order by the first of *places*, where that says nothing by the second, and so on; stable."""
    order: np.ndarray | None = None
    for place in reversed(places):
        taken = place if order is None else place[order]
        found = np.argsort(taken.astype(np.uint16), kind="stable")
        if len(taken) and int(taken.max()) >> _HALF:
            upper = (taken >> _HALF).astype(np.uint16)
            found = found[np.argsort(upper[found], kind="stable")]
        order = found if order is None else order[found]
    assert order is not None
    return order
