"""An error that grows with the index along a dimension: positions, steps of a recurrence."""

from __future__ import annotations

import numpy as np

from core.messages import Message
from core.metrics.patterns.evidence import AxisSums, Evidence
from core.metrics.patterns.limits import (
    GROWTH_EXCESS,
    GROWTH_INDICES,
    GROWTH_RANK,
    GROWTH_RATIO,
    GROWTH_START,
)
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.metrics.patterns.places import word_of
from core.metrics.patterns.ranks import rank_correlation

_PARTS = 8
"""Even parts of the axis whose errors are told and must not fall."""
_FALL = 0.7
"""How far the error of a part may stay below the one before."""


def find_growth(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return the growth of the error along the axis where it is the clearest."""
    if evidence.bad < GROWTH_EXCESS * pair.size or pair.exact:
        return []
    found = []
    for axis, sums in enumerate(evidence.axes):
        pattern = _along(pair, axis, sums) if sums is not None else None
        if pattern is not None:
            found.append(pattern)
    found.sort(key=lambda pattern: -float(pattern.numbers["rank_correlation"]))  # type: ignore[arg-type]
    return found[:1]


def _along(pair: Pair, axis: int, sums: AxisSums) -> Pattern | None:
    length = pair.shape[axis]
    if length < GROWTH_INDICES or pair.length(axis) < 2:
        return None
    inside = pair.length(axis)
    absolute = np.sqrt(sums.dd / inside)
    relative = np.sqrt(sums.dd / np.maximum(sums.gg, 1e-300))
    if not (np.isfinite(absolute).all() and sums.gg.all()):
        return None
    if min(_rank(absolute), _rank(relative)) < GROWTH_RANK:
        return None
    parts_a, parts_r = _parts(absolute), _parts(relative)
    for parts in (parts_a, parts_r):
        if parts[-1] < GROWTH_RATIO * parts[0] or np.any(parts[1:] < _FALL * parts[:-1]):
            return None
    if parts_r[0] > GROWTH_START:
        return None
    exponent = _exponent(relative)
    start, end = float(parts_r[0]), float(parts_r[-1])
    numbers: dict[str, Number] = {
        "axis": axis, "length": length, "first_eighth": start, "last_eighth": end,
        "rank_correlation": min(_rank(absolute), _rank(relative)), "exponent": exponent,
        "relative_error": parts_r.tolist(), "absolute_error": parts_a.tolist(),
    }  # fmt: skip
    parameters = {"start": start, "end": end, "exponent": exponent, "axis": axis, "length": length}
    box = tuple(
        (length - max(length // _PARTS, 1), length) if k == axis else (0, n) for k, n in enumerate(pair.shape)
    )
    message = Message(f"pattern.growth.{word_of(pair, axis)}", parameters)
    return Pattern(PatternName.GROWTH, message, numbers, (Mark(box=box),))


def _rank(errors: Values) -> float:
    return rank_correlation(errors, np.arange(len(errors)))


def _parts(errors: Values) -> Values:
    """Return the root mean square of each even part."""
    return np.array([np.sqrt(np.mean(part**2)) for part in np.array_split(errors, _PARTS)])


def _exponent(errors: Values) -> float:
    """Return p of error ~ index^p, by least squares of the logarithms; 1 is linear."""
    index = np.arange(1, len(errors) + 1, dtype=np.float64)
    keep = errors > 0
    if np.count_nonzero(keep) < 2:
        return 0.0
    x, y = np.log(index[keep]), np.log(errors[keep])
    x = x - x.mean()
    return float(x @ (y - y.mean()) / (x @ x))
