"""A constant offset of 64-bit integers that float64 cannot tell apart."""

from __future__ import annotations

import numpy as np

from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import AGREE, BITS
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Pattern
from core.metrics.patterns.scaling import told
from core.progress import Work

_EXACT = 2.0**53
"""Up to here float64 holds every integer."""
_CHANCE_BITS = 20.0
"""What each value that agrees counts for, as -log2 of the chance that it does by accident."""


def find_long_offset(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return the offset that nearly all differing elements have, where the numbers are that long.

    Counted modulo 2^64, as integers run over.
    """
    _, t, g = pair.sample.finite()
    dtypes = {pair.target.stored.storage, pair.golden.stored.storage}
    long = pair.exact and len(dtypes) == 1 and pair.target.stored.itemsize == 8
    if not (long and max(np.abs(t).max(initial=0.0), np.abs(g).max(initial=0.0)) > _EXACT):
        return []
    offset, agreeing, values = 0, 0, set[int]()
    for block in pair.blocks():
        target, golden = (side.ravel().view(np.int64) for side in pair.block(block))
        distance = target - golden  # runs over without a warning
        if not offset and distance.any():
            offset = int(distance[np.flatnonzero(distance)[0]])
        alike = distance == offset
        agreeing += int(np.count_nonzero(alike)) if offset else 0
        if offset and len(values) <= BITS:
            values |= set(golden[alike][: int(BITS)].tolist())
        yield pair.progress(block.top * pair.columns + block.right)
    share = agreeing / evidence.different if evidence.different else 0.0
    if share < AGREE or (len(values) - 1) * _CHANCE_BITS < BITS:
        return []
    return [told(pair, evidence, 1.0, float(offset), share)]
