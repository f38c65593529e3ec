"""What every judgement looks at: both runs, how they lie on each other, the loss and its deviation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.curves.deviation import deviation_of
from core.curves.judgement.windows import noise_before
from core.curves.limits import CurveLimits
from core.records.columns import Float64, Int64
from core.records.curves import Alignment, LoggedRun, NoiseBand, Paired

_LEAST_WINDOW = 5


@dataclass(frozen=True)
class PairView:
    """One series of both runs, and where their difference stands out."""

    name: str
    paired: Paired
    limits: CurveLimits
    band: NoiseBand | None = None

    @property
    def steps(self) -> Int64:
        """The target's steps."""
        return self.paired.steps

    @cached_property
    def relative(self) -> Float64:
        """Signed relative deviation; NaN where either side is not finite."""
        made = deviation_of(self.paired)
        made[~(np.isfinite(self.paired.target) & np.isfinite(self.paired.golden))] = np.nan
        return made

    @cached_property
    def size(self) -> Float64:
        """Its absolute value without what printing rounded away.

        With a noise band it is the multiple of what is allowed at each place, times the limit.
        """
        size = np.abs(self.relative)
        if self.band is None:
            return self._unrounded(size)
        allowed = np.interp(self.paired.x, self.band.x, self.band.allowed)
        centre = np.interp(self.paired.x, self.band.x, self.band.centre)
        outside = np.abs(self.paired.target - centre) / np.maximum(allowed, np.finfo(float).tiny)
        outside[np.isnan(size)] = np.nan
        return outside * self.limits.limit

    def _unrounded(self, size: Float64) -> Float64:
        paired = self.paired
        if not paired.rounding:
            return size
        with np.errstate(divide="ignore", invalid="ignore"):
            printed = paired.rounding / np.maximum(np.abs(paired.golden), paired.scale)
        return np.where(size <= printed, 0.0, size)

    @property
    def window(self) -> int:
        """Places of the sliding window."""
        return max(min(int(self.limits.window), len(self.steps) // 5), _LEAST_WINDOW)

    @cached_property
    def over(self) -> NDArray[np.bool_]:
        """Places over the limit."""
        return self.size > self.limits.limit

    @cached_property
    def noise(self) -> Float64:
        """Robust standard deviation of the deviation over the window before each place."""
        return noise_before(self.size, self.window)

    @cached_property
    def finite(self) -> NDArray[np.bool_]:
        """Places at which both sides are finite."""
        return ~np.isnan(self.relative)


@dataclass(frozen=True)
class Context:
    """Two runs laid on each other."""

    target: LoggedRun
    golden: LoggedRun
    alignment: Alignment
    pairs: Mapping[str, PairView]
    limits: CurveLimits
    intervals: Mapping[str, int] = field(default_factory=dict)
    """Steps between the records of a log without numbers, by side, where they were found out."""
    doubled: tuple[str, ...] = ()
    """Repeats of the golden that hold what another log holds."""

    def pair(self, name: str) -> PairView | None:
        """Return the series *name* where both have it at common places."""
        return self.pairs.get(name)
