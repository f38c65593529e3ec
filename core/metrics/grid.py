"""Whether every value of a wider format sits on the grid of a 16-bit one: it was rounded to it.

bf16 is often kept in float32: the official loader and MindSpore save it so, and under autocast a float32
result may be a widened bf16 one. Its noise is then that of the grid. Whole numbers, ones and the like
sit on every grid by nature, so the last two bits of the grid must also look random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES
from core.formats.tensors.handle import TensorHandle

_ENOUGH = 32
"""Non-zero elements without which the last bits prove nothing."""
_EVEN = 0.25
"""Least share of ones, and of zeros, in bits that rounding leaves."""
_CUT = {"bfloat16": 16, "float16": 13}
"""Low bits of a float32 that are zero on the grid."""


class GridWatch:
    """Watches the chunks of one float32 tensor; :attr:`alive` falls with the first value off both grids."""

    __slots__ = ("_nonzero", "_ones", "_possible", "alive")

    def __init__(self) -> None:
        self.alive = True
        self._possible = dict.fromkeys(_CUT, True)
        self._ones = {name: [0, 0] for name in _CUT}
        self._nonzero = 0

    @classmethod
    def of(cls, tensor: TensorHandle) -> GridWatch | None:
        """Return a watch for *tensor*, ``None`` if its format is not one that hides another."""
        same = tensor.stored is tensor.dtype is DTYPES["float32"]
        return cls() if same and tensor.storage.isnative else None

    def watch(self, bits: NDArray[Any]) -> None:
        """Take in the next chunk of stored float32 *bits*."""
        words = np.ascontiguousarray(bits).view(np.uint32)
        used = int(np.bitwise_or.reduce(words))
        self._nonzero += int(np.count_nonzero(words << np.uint32(1)))
        for name, cut in _CUT.items():
            if used & ((1 << cut) - 1) or (name == "float16" and not _fits_half(words.view(np.float32))):
                self._possible[name] = False
            if self._possible[name]:
                for position in (0, 1):
                    ones = words & np.uint32(1 << (cut + position))
                    self._ones[name][position] += int(np.count_nonzero(ones))
        self.alive = any(self._possible.values())

    @property
    def name(self) -> str:
        """The grid that all values sit on; empty if there is none, or no proof."""
        if self._nonzero >= _ENOUGH:
            for name, possible in self._possible.items():
                shares = [ones / self._nonzero for ones in self._ones[name]]
                if possible and all(_EVEN <= share <= 1 - _EVEN for share in shares):
                    return name
        return ""


def _fits_half(values: NDArray[np.float32]) -> bool:
    """Return whether finite *values* lie in float16's range and on its subnormal grid."""
    finite = values[np.isfinite(values)]
    small = finite[np.abs(finite) < 2.0**-14] * np.float32(2.0**24)
    return bool(np.all(np.abs(finite) <= 65504.0) and np.all(small == np.rint(small)))
