"""The golden's elements in another order: which of many orders the target holds them in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.formats.tensors.handle import TensorHandle
from core.metrics.patterns.arrangement import Arrangement, Index, numbers_of, tried
from core.metrics.patterns.blocks import splits
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import FIRST_PROBES, PROBES
from core.metrics.patterns.long_shifts import long_shifts
from core.metrics.patterns.multiset import find_other_order
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Pattern
from core.metrics.patterns.permutations import permutations
from core.metrics.patterns.shifts import reversals, shifts, swapped_halves
from core.metrics.patterns.transposes import transposes
from core.metrics.patterns.trial import Trial, chance_of
from core.progress import Work

_ENERGY = 0.02
"""Relative difference of the sums of squares up to which two tensors may hold the same values."""
_FIRST_AGREE = 0.9
"""Share of the first probes that a hypothesis must meet to be tried further."""
_BETWEEN = 64
"""Hypotheses tried between two reports of progress."""


class Probes:
    """Differing elements of a pair, spread over all of it, on which orders are tried."""

    def __init__(self, pair: Pair, target: TensorHandle, golden: TensorHandle) -> None:
        self.pair, self.golden = pair, golden
        flat, t, g = pair.sample.finite()
        bad = np.flatnonzero(np.abs(t - g) > pair.tolerance(g))
        random = np.random.default_rng(bad.size)
        at = random.permutation(bad)[:PROBES]
        self.t, self.g = t[at], g[at]
        self.index: Index = tuple(np.unravel_index(flat[at], pair.shape)) if pair.shape else ()
        self.chance = chance_of(pair, self.t, g) if at.size else 1.0

    @property
    def useful(self) -> bool:
        """Whether agreement can prove anything."""
        return bool(self.index) and self.t.size > 0 and self.chance < 0.95

    def meets(self, arrangement: Arrangement) -> bool:
        """Return whether the probes are where *arrangement* says; few are looked at first."""
        first = self._trial(arrangement, slice(0, FIRST_PROBES))
        if first.agreeing < _FIRST_AGREE * first.total or not first.total:
            return False
        return self._trial(arrangement, slice(None)).explains

    def _trial(self, arrangement: Arrangement, part: slice) -> Trial:
        index = tuple(at[part] for at in self.index)
        trial = Trial(self.pair)
        sources, there, sign = arrangement.sources(index)
        t, g = self.t[part][there], self.g[part][there]
        expected = gathered(self.pair, self.golden, tuple(at[there] for at in sources))
        signs = sign[there] if isinstance(sign, np.ndarray) else sign
        trial.add(t, g, expected * signs)
        return trial


def gathered(pair: Pair, handle: TensorHandle, index: Index) -> Values:
    """Return the elements of *handle* at *index*, one a place."""
    return numbers_of(handle, handle.bits()[index], pair).astype(pair.sample.t.dtype)


def find_order(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return the order that explains the difference; a named one if there is one."""
    probes = Probes(pair, pair.target, pair.golden)
    if not probes.useful:
        return []
    searched = yield from long_shifts(pair, evidence)
    for energies, arrangements in (
        (True, swapped_halves(pair)),
        (False, shifts(pair, evidence, searched)),
        (True, reversals(pair)),
        (True, transposes(pair)),
        (True, splits(pair)),
        (True, permutations(pair, evidence, probes.chance)),
    ):
        if energies and not _same_energy(evidence):
            continue
        yield pair.progress(0)
        found = yield from first_that_holds(pair, probes, arrangements, evidence.bad)
        if found is not None:
            return [found]
    if _same_energy(evidence):
        return (yield from find_other_order(pair, evidence))
    return []


def first_that_holds(
    pair: Pair, probes: Probes, arrangements: Iterable[Arrangement], bad: int
) -> Work[Pattern | None]:
    """Return the first of *arrangements* that all elements agree with; *bad* is how many differ."""
    for number, arrangement in enumerate(arrangements):
        if number % _BETWEEN == _BETWEEN - 1:
            yield pair.progress(0)
        if not probes.meets(arrangement):
            continue
        trial = yield from tried(pair, arrangement, pair.target, pair.golden)
        if trial.convincing(probes.chance, arrangement.parameters):
            share = min(1.0, trial.explained / max(bad, 1))
            return Pattern(
                arrangement.name, arrangement.message, arrangement.numbers, arrangement.marks, share
            )
    return None


def _same_energy(evidence: Evidence) -> bool:
    """Return whether both sides have the same sum of squares, as two orders of the same values have."""
    larger = max(evidence.tt, evidence.gg)
    return bool(0 < larger < np.inf and abs(evidence.tt - evidence.gg) <= _ENERGY * larger)
