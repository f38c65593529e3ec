"""NaN and Inf: where the sides disagree about them, and in which ways."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES
from core.metrics.patterns.pair import Values

_MAXIMA = {dtype.maximum: name for name, dtype in DTYPES.items() if name.startswith(("float", "bfloat"))}
"""The largest number of each format, where a saturating unit stops."""


@dataclass(slots=True)
class SpecialCounts:
    """How often the sides disagree about special values, by kind."""

    target_nan: int = 0
    """Target NaN, golden finite."""
    target_inf: int = 0
    golden_nan: int = 0
    golden_inf: int = 0
    nan_for_inf: int = 0
    inf_for_nan: int = 0
    inf_sign: int = 0
    shared: int = 0
    shared_nan: int = 0
    zero_for_nan: int = 0
    """Target zero, golden NaN."""
    saturated: dict[str, int] = field(default_factory=dict)
    """Target the largest number of a format where the golden is infinite, by format."""
    first: dict[str, int] = field(default_factory=dict)
    """Flat index of the first place of each kind."""
    finite_beyond: float = np.inf
    """Smallest golden magnitude where the target is infinite and the golden finite."""

    @property
    def disagreeing(self) -> int:
        """Elements that are special in another way on the other side."""
        return (
            self.target_nan
            + self.target_inf
            + self.golden_nan
            + self.golden_inf
            + self.nan_for_inf
            + self.inf_for_nan
            + self.inf_sign
        )

    def take(self, t: Values, g: Values, flat: int) -> tuple[Values, Values, NDArray[np.bool_]]:
        """Count a block; return it with 0 at special places of either side, and where the sides disagree."""
        nan_t, nan_g = np.isnan(t), np.isnan(g)
        inf_t, inf_g = np.isinf(t), np.isinf(g)
        finite_t, finite_g = np.isfinite(t), np.isfinite(g)
        opposed = inf_t & inf_g & (t != g)
        kinds = {
            "target_nan": nan_t & finite_g,
            "target_inf": inf_t & finite_g,
            "golden_nan": finite_t & nan_g,
            "golden_inf": finite_t & inf_g,
            "nan_for_inf": nan_t & inf_g,
            "inf_for_nan": inf_t & nan_g,
            "inf_sign": opposed,
        }
        for name, mask in kinds.items():
            number = int(np.count_nonzero(mask))
            if number:
                setattr(self, name, getattr(self, name) + number)
                self.first.setdefault(name, flat + int(mask.reshape(-1).argmax()))
        zeroed = kinds["golden_nan"] & (t == 0)
        if zeroed.any():
            self.zero_for_nan += int(np.count_nonzero(zeroed))
            self.first.setdefault("zero_for_nan", flat + int(zeroed.reshape(-1).argmax()))
        self._saturation(t[kinds["golden_inf"]], g[kinds["golden_inf"]])
        beyond = np.abs(g[kinds["target_inf"]])
        if beyond.size:
            self.finite_beyond = min(self.finite_beyond, float(beyond.min()))
        both = finite_t & finite_g
        self.shared_nan += int(np.count_nonzero(nan_t & nan_g))
        self.shared += int(np.count_nonzero((nan_t & nan_g) | (inf_t & inf_g & ~opposed)))
        disagree = ~both & ~(nan_t & nan_g) & ~(inf_t & inf_g & ~opposed)
        zero = t.dtype.type(0)
        return np.where(both, t, zero), np.where(both, g, zero), disagree

    def _saturation(self, stopped: Values, infinite: Values) -> None:
        if stopped.dtype.kind != "f" or not stopped.size:
            return
        right_way = np.sign(stopped) == np.sign(infinite)
        sizes = np.abs(stopped[right_way]).astype(np.float64)
        for maximum, name in _MAXIMA.items():
            number = int(np.count_nonzero(sizes == maximum))
            if number:
                self.saturated[name] = self.saturated.get(name, 0) + number
