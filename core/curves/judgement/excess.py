"""Where the deviation is over the limit: spikes, stretches that last, single steps, and mere noise."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.curves.judgement.context import PairView
from core.curves.judgement.windows import mean_ahead

_CAP = 1e6
"""Relative deviations count no more than this in means: one infinite one would hide all others."""
_MANY = 3
"""Places of a window below which they are not many, however short it is."""
_FACTOR_FOR = 1000
"""Places for which ``step_factor`` holds."""
_SPARSE = 3.0
"""Times the usual distance of places over the limit from which one lies apart from the others."""
_STANDS_OUT = 2.0
"""Times the noise before a place that its deviation must have to count for a stretch that lasts."""

Mask = NDArray[np.bool_]


class Stretch(NamedTuple):
    """Places of a series from *first* to *last*, both included."""

    first: int
    last: int


class Excess:
    """The places of *view* over its limit, each in one of four kinds."""

    def __init__(self, view: PairView) -> None:
        self.view = view
        self._limits = view.limits

    @cached_property
    def spikes(self) -> list[Stretch]:
        """Short and high, with calm on both sides; not at the very first place."""
        view, limits = self.view, self._limits
        high = view.over & (view.size >= limits.spike_least)
        found = []
        for stretch in groups(np.flatnonzero(high), 1):
            length = stretch.last - stretch.first + 1
            if stretch.first > 0 and length <= limits.spike_length:
                around = self._around(stretch)
                peak = float(view.size[stretch.first : stretch.last + 1].max())
                if len(around) and peak >= limits.spike_factor * float(np.median(around)):
                    found.append(stretch)
        return found

    def _around(self, stretch: Stretch) -> NDArray[np.float64]:
        """Return the deviations beside *stretch*, half a window on each side."""
        size, reach = self.view.size, self.view.window
        before = size[max(stretch.first - reach, 0) : stretch.first]
        around = np.concatenate([before, size[stretch.last + 1 :][:reach]])
        return np.asarray(around[~np.isnan(around)], np.float64)

    @cached_property
    def _in_spike(self) -> Mask:
        inside = np.zeros(len(self.view.size), bool)
        for stretch in self.spikes:
            inside[stretch.first : stretch.last + 1] = True
        return inside

    @cached_property
    def lasting(self) -> list[Stretch]:
        """Stretches over which the mean is over the limit, or many places are."""
        begun, going_on = self._begins, self._goes_on
        found = []
        for stretch in groups(np.flatnonzero(going_on), self.view.window):
            starts = np.flatnonzero(begun[stretch.first : stretch.last + 1])
            if not len(starts):
                continue
            first = self._onset(stretch, stretch.first + int(starts[0]))
            if first < stretch.last or len(begun) < _MANY:  # else it is a single place
                found.append(Stretch(first, stretch.last))
        return found

    def _onset(self, stretch: Stretch, first: int) -> int:
        """Return where *stretch* begins in earnest: without single places long before the others."""
        places = first + np.flatnonzero(self._over[first : stretch.last + 1])
        gaps = np.diff(places)
        if not len(gaps):
            return first
        usual = max(_SPARSE * float(np.median(gaps)), _SPARSE)
        lone = int(np.argmax(np.append(gaps, 0) <= usual))
        return int(places[lone])

    @cached_property
    def _over(self) -> Mask:
        return self.view.over & ~self._in_spike

    @cached_property
    def _high_mean(self) -> Mask:
        """Places from which on the mean of a window is over the limit."""
        calm = np.where(self._in_spike, np.nan, np.minimum(self.view.size, _CAP))
        with np.errstate(invalid="ignore"):
            return mean_ahead(calm, self.view.window) > self._limits.limit

    def _many(self, places: Mask) -> Mask:
        """Places from which on many of a window are among *places*."""
        known = np.where(self._in_spike | np.isnan(self.view.size), np.nan, places)
        share = max(self._limits.standing_share, _MANY / self.view.window)
        with np.errstate(invalid="ignore"):
            return mean_ahead(known, self.view.window) >= share

    @cached_property
    def _begins(self) -> Mask:
        """Places at which a stretch may begin: there it must stand out of the noise before."""
        standing = self._over & (self.view.size > _STANDS_OUT * self.view.noise)
        return self._over & (self._high_mean | self._many(standing))

    @cached_property
    def _goes_on(self) -> Mask:
        return self._over & (self._high_mean | self._many(self._over))

    @cached_property
    def _lasts(self) -> Mask:
        inside = np.zeros(len(self.view.size), bool)
        for stretch in self.lasting:
            inside[stretch.first : stretch.last + 1] = True
        return inside

    @cached_property
    def single(self) -> NDArray[np.int64]:
        """Single places that stand far out of the noise before them."""
        view = self.view
        alone = view.over & ~self._in_spike & ~self._lasts
        # of more places one lies farther out by chance: the largest of n grows with the root of log n
        reach = max(math.sqrt(math.log(max(len(view.size), 2)) / math.log(_FACTOR_FOR)), 1.0)
        return np.flatnonzero(alone & (view.size > self._limits.step_factor * reach * view.noise))

    @cached_property
    def by_chance(self) -> int:
        """How many other places are over the limit, no farther than noise reaches."""
        inside = self._in_spike | self._lasts
        return int((self.view.over & ~inside).sum()) - len(self.single)

    @property
    def first(self) -> int | None:
        """The first place that is no chance; ``None`` where there is none."""
        starts = [stretch.first for stretch in (*self.spikes, *self.lasting)]
        starts += self.single[:1].tolist()
        return min(starts, default=None)


def groups(places: NDArray[np.int64], reach: int) -> list[Stretch]:
    """Return *places*, ascending, as stretches; those at most *reach* apart belong together."""
    if not len(places):
        return []
    cuts = np.flatnonzero(np.diff(places) > reach)
    firsts, lasts = places[[0, *(cuts + 1)]], places[[*cuts, len(places) - 1]]
    return [Stretch(int(first), int(last)) for first, last in zip(firsts, lasts)]
