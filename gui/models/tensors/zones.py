"""Which exponents of two a number format holds, and what becomes of the others. Imports no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.dtypes import COMPUTING_FORMATS, DTYPES
from core.records.columns import Int64

FORMATS = {
    "float16": "fp16", "bfloat16": "bf16", "hf32": "HF32", "tf32": "TF32",
    "float8_e4m3fn": "fp8 E4M3", "float8_e5m2": "fp8 E5M2",
}  # fmt: skip
"""Names in the table of formats, and on the screen."""


@dataclass(frozen=True)
class Zones:
    """Exponents e of numbers 2**e <= |x| < 2**(e+1)."""

    lowest: int
    """Of the smallest subnormal number; what is smaller becomes 0."""
    normal: int
    """Of the smallest normal number."""
    highest: int
    """Of the largest finite number; what is larger overflows."""

    def shares(self, first: int, counts: Int64, zeros: int) -> tuple[float, float, float]:
        """Return which shares of the finite numbers are lost, subnormal and too large.

        Parameters
        ----------
        first
            The exponent of ``counts[0]``.
        counts
            Numbers of each exponent.
        zeros
            How many are 0.
        """
        exponents = first + np.arange(len(counts))
        total = max(int(counts.sum()) + zeros, 1)
        lost = int(counts[exponents < self.lowest].sum())
        subnormal = int(counts[(exponents >= self.lowest) & (exponents < self.normal)].sum())
        beyond = int(counts[exponents > self.highest].sum())
        return lost / total, subnormal / total, beyond / total


def zones_of(name: str) -> Zones:
    """Return the zones of one of :data:`FORMATS`."""
    dtype = {**DTYPES, **COMPUTING_FORMATS}[name]
    return Zones(
        int(math.log2(dtype.smallest_subnormal)),
        int(math.log2(dtype.smallest_normal)),
        math.frexp(dtype.maximum)[1] - 1,
    )
