"""Arrays that are used again for every block: fresh memory would cost more than the arithmetic on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Scratch:
    """Arrays by name. One that is asked for again is the same memory."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def array(self, name: str, kind: Any, size: int) -> NDArray[Any]:
        """Return an array of *size* elements of *kind*; what it holds is not defined."""
        kept = self._arrays.get(name)
        if kept is None or len(kept) < size:
            kept = self._arrays[name] = np.empty(size, kind)
        return kept[:size]

    def only(self, name: str, values: NDArray[Any], there: NDArray[np.bool_], other: float) -> NDArray[Any]:
        """Return *values* where they are *there*, else *other*."""
        made = self.array(name, values.dtype, len(values))
        made.fill(other)
        np.copyto(made, values, where=there)
        return made

    def counts(self, bins: NDArray[Any], least: int = 0) -> NDArray[np.int64]:
        """Return how often each number occurs in *bins*, for at least *least* numbers."""
        wide = self.array("bins", np.intp, len(bins))
        np.copyto(wide, bins, casting="unsafe")
        return np.bincount(wide, minlength=least)
