"""The patterns of a pair, for the window."""

from __future__ import annotations

from core.metrics.inspection.overwriting import of_one_state
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.patterns.engine import find_patterns
from core.metrics.patterns.pattern import Pattern
from core.progress import Work


@of_one_state
def pair_patterns(sources: PairSources) -> Work[tuple[Pattern, ...]]:
    """Return the patterns of both tensors, best first; none where a side can't be read."""
    pair = open_pair(sources)
    if pair.condensed is not None:
        return tuple(kept.pattern() for kept in pair.condensed.patterns)
    if pair.target is None or pair.golden is None:
        return ()
    return (yield from find_patterns(pair.target, pair.golden))
