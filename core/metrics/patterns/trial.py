"""Whether a hypothesis explains a difference: what agrees once it is undone, and how likely by chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray

from core.metrics.patterns.limits import AGREE, BITS, MANY_FACTORS, PROBES, REDUCTION
from core.metrics.patterns.pair import Pair, Values

_PAIRINGS = 4
"""Random partners of each element by which chance agreement is counted."""


@dataclass(slots=True)
class Trial:
    """Counts over the elements looked at; add blocks, then ask."""

    pair: Pair
    factor: float | Values = 1.0
    """By how much the hypothesis scales the golden: so much more of its noise is to be expected."""
    total: int = 0
    agreeing: int = 0
    bad: int = 0
    explained: int = 0
    before: float = 0.0
    """Sum of squared differences of the bad elements, as they are."""
    after: float = 0.0
    """Sum of squared differences of the same elements once the hypothesis is undone."""

    def add(self, t: Values, g: Values, expected: Values) -> None:
        """Take in elements of both sides, and what the hypothesis *expected* of the target.

        All three of one shape. Special values agree with their like.
        """
        d, rest = np.abs(t - g), np.abs(t - expected)
        bad = _apart(t, g, d, self.pair.tolerance(g))
        agree = ~_apart(t, expected, rest, self.pair.tolerance(expected, self.factor))
        good = bad & agree
        self.total += int(t.size)
        self.agreeing += int(np.count_nonzero(agree))
        self.bad += int(np.count_nonzero(bad))
        self.explained += int(np.count_nonzero(good))
        self.before += _energy(d, good)
        self.after += _energy(rest, good)

    @property
    def share(self) -> float:
        """Share of the bad elements that the hypothesis explains."""
        return self.explained / self.bad if self.bad else 0.0

    @property
    def explains(self) -> bool:
        """Whether what is left is noise, and much smaller than what was there."""
        if not self.total or not self.explained:
            return False
        enough = self.agreeing >= AGREE * self.total and self.share >= AGREE
        return enough and self.after * REDUCTION**2 <= self.before

    def convincing(self, chance: float, parameters: int = 0) -> bool:
        """Return whether it explains the difference, and chance can't, having fitted *parameters* numbers."""
        free = self.explained - parameters
        if not self.explains or parameters > MANY_FACTORS * self.total or chance >= 1.0:
            return False
        return free * -log2(chance) >= BITS


def _apart(t: Values, expected: Values, distance: Values, tolerance: Values) -> NDArray[np.bool_]:
    apart = distance > tolerance
    if not np.isfinite(distance.max(initial=0.0)):
        odd = ~np.isfinite(distance)
        same = (t == expected) | (np.isnan(t) & np.isnan(expected))
        apart = np.where(odd, ~same, apart)
    return np.asarray(apart, np.bool_)


def _energy(distance: Values, where: NDArray[np.bool_]) -> float:
    """Return the sum of squares of finite distances; not by BLAS, whose threads wait for each other."""
    wanted = where & np.isfinite(distance)
    return float(np.add.reduce(distance * distance, axis=None, where=wanted, dtype=np.float64))


def chance_of(pair: Pair, t: Values, expected: Values, factor: float | Values = 1.0) -> float:
    """Return how likely an element of *t* agrees with an *expected* value of another element, at least.

    Both one-dimensional, as is *factor* if each expected value has its own. Counted over random pairings;
    never below what the tolerance is of the spread, where the smallest step between values (whole numbers,
    few bits) counts as a tolerance too.
    """
    finite = np.isfinite(expected)
    scales = np.broadcast_to(np.asarray(factor, np.float64), expected.shape)[finite]
    t, expected = t[np.isfinite(t)], expected[finite]
    if t.size < 2 or expected.size < 2:
        return 1.0
    t = t[:: -(-t.size // PROBES)]
    random = np.random.default_rng(t.size)
    at = random.integers(0, expected.size, (_PAIRINGS, t.size))
    other = expected[at]
    tolerance = pair.tolerance(other, scales[at])
    agreeing = int(np.count_nonzero(np.abs(t - other) <= tolerance))
    spread = float(np.mean(np.abs(t - np.median(t.real))))
    counted = max((agreeing + 1) / (other.size + 1), 2.0**-20)
    if not spread:  # as where flags are all lost: what counts is how often the other side has that value
        return counted
    window = max(2.0 * float(np.median(tolerance)), _step(t)) / (4.0 * spread)
    return min(1.0, max(counted, window))


def _step(values: Values) -> float:
    """Return the smallest step between different values."""
    distinct = np.unique(values.real if values.dtype.kind == "c" else values)
    return float(np.diff(distinct).min()) if distinct.size > 1 else np.inf


def separates(marked: int, others: int) -> bool:
    """Return whether it is beyond chance that a threshold parts *marked* elements from all *others*.

    Of all choices of as many elements, only one is parted from the rest by its magnitude.
    """
    if not marked or not others:
        return False
    total, few = marked + others, min(marked, others)
    return few * log2(total / few) >= BITS
