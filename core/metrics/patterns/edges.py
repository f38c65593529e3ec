"""Whether the errors of a range begin and end with a jump, or grow beyond noise."""

from __future__ import annotations

from core.metrics.patterns.evidence import AxisSums
from core.metrics.patterns.limits import JUMP, PART
from core.metrics.patterns.pair import Pair

_EDGE = 16
"""Elements on each side of an edge whose errors are compared."""


def sharp(
    pair: Pair, sums: AxisSums, axis: int, start: int, stop: int, around: tuple[int, int] | None = None
) -> bool:
    """Return whether errors begin and end with a jump where a range of *axis* does, and not by growing.

    A range that is nearly all of the axis has no such edges. *around*: the same range with the slices that it
    cuts at its ends, which are left out.
    """
    length, number = pair.shape[axis], stop - start
    low, high = around or (start, stop)
    if number == length:
        return True
    if number > PART * length:
        return False
    wanted = -(-_EDGE // pair.length(axis))
    first, last = (max(1, min(wanted, free // 4, number // 4)) for free in (low, length - high))
    edges = (
        (sums.dd[max(low - first, 0) : low], sums.dd[start : start + first]),
        (sums.dd[high : high + last], sums.dd[stop - last : stop]),
    )
    return all(float(inside.sum()) >= JUMP**2 * float(outside.sum()) for outside, inside in edges)
