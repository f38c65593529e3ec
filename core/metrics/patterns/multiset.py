"""The same values in an order that has no name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.messages import Message
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Pattern, PatternName
from core.metrics.patterns.places import marks_of
from core.metrics.patterns.wording import grouped
from core.progress import Work

_DISTINCT = 32
"""Fewest different values among those that moved; fewer agree by chance."""
_ENERGY = 1e-6
_PRIMES = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


def find_other_order(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return whether both sides hold exactly the same values, whatever their order.

    The sums of 64-bit hashes of all values are compared, which does not depend on the order; two different
    collections agree in both once in 2^128.
    """
    _, t, g = pair.sample.finite()
    moved = t != g
    few = np.unique(t[moved][:4096]).size < _DISTINCT
    if few or pair.complex or abs(evidence.tt - evidence.gg) > _ENERGY * evidence.gg:
        return []
    sums = np.zeros((2, 2), np.uint64)
    rows_equal = pair.columns <= 1 << 20
    for block in pair.blocks():
        hashes = [_hashes(side) for side in pair.block(block)]
        for side, pair_of in enumerate(hashes):
            for number, values in enumerate(pair_of):
                sums[side, number] += values.sum(dtype=np.uint64)
        rows_equal = rows_equal and np.array_equal(*(item[0].sum(axis=1) for item in hashes))
        yield pair.progress(block.top * pair.columns + block.right)
    if not np.array_equal(sums[0], sums[1]):
        return []
    whole_rows = bool(rows_equal and pair.rows > 1 and pair.columns < (1 << 17))
    kind = "rows" if whole_rows else "all"
    numbers = {"within_rows": whole_rows, "differing": evidence.different}
    message = Message(f"pattern.other_order.{kind}", {"differing": grouped(evidence.different)})
    return [Pattern(PatternName.OTHER_ORDER, message, numbers, marks_of(pair, evidence))]


def _hashes(values: Values) -> list[NDArray[np.uint64]]:
    """Return two well-mixed 64-bit hashes of each value (S. Vigna's splitmix64 finaliser)."""
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    found = []
    for prime in _PRIMES:
        mixed = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9) + prime
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found.append(mixed ^ (mixed >> np.uint64(31)))
    return found
