"""The latest pictures, so that going back to a tensor or a zoom costs nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class PictureCache(Generic[T]):
    """Keeps what was used last, up to *limit* bytes of it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._kept: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def find(self, key: Hashable) -> T | None:
        """Return what is kept under *key*, ``None`` if nothing is."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Hashable, value: T, nbytes: int) -> None:
        """Keep *value*, which takes *nbytes*, unless it alone is too large."""
        if nbytes > self._limit:
            return
        self._bytes += nbytes - self._kept.pop(key, (None, 0))[1]
        self._kept[key] = value, nbytes
        while self._bytes > self._limit:
            self._bytes -= self._kept.popitem(last=False)[1][1]
