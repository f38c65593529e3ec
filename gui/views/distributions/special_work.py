"""What the service does to find special values of either side; imports no Qt."""

from __future__ import annotations

from typing import Literal

from core.metrics.inspection.sources import PairSources
from core.metrics.inspection.specials import Special, next_special
from core.progress import Work

_SIDES: tuple[Literal["target", "golden"], ...] = ("target", "golden")


def next_special_pair(sources: PairSources, after: tuple[int, ...] | None) -> Work[tuple[int, ...] | None]:
    """Return the next place after *after*, in C order and going round, where a side is NaN or infinite."""
    found: set[tuple[int, ...]] = set()
    for side in _SIDES:
        for special in Special:
            place = yield from next_special(sources, side, special, after)
            if place is not None:
                found.add(place)
    behind = [place for place in found if after is None or place > after]
    return min(behind or found, default=None)
