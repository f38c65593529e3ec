"""A difference that is a smooth function of the golden's value: another formula of the same function."""

from __future__ import annotations

import numpy as np

from core.messages import Message
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import REDUCTION
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Number, Pattern, PatternName

_GROUP = 32
"""Elements of neighbouring golden values that are looked at together."""
_FEWEST = 32 * _GROUP
"""Elements without which nothing is claimed."""
_DISTINCT = 0.5
"""Least share of different golden values: rounded ones and flags have a function of the value by accident."""
_SMOOTH = 0.9
"""Share of the groups of a range in which the difference must be smooth."""
_RANGE = 0.4
"""Least share of the elements in that range: half are the side of an activation that has one branch."""
_JUMP = 0.5
"""Largest jump between neighbouring groups, as a share of what the difference spans; rounding jumps by 1."""
_CROSSINGS = 12
"""Most times that the difference crosses its mean; that of a rounded value does so at each step."""
_BENT = 0.2
"""Least share of the difference that is no straight line, such as that of a constant is but for rounding."""
_DIFFERING = 0.1
"""Least share of the elements that differ by more than noise."""


def find_function(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return whether the difference is a function of the golden's value, and not a straight line.

    Neighbours by golden value are taken in groups. In a group, the difference must leave a straight line by
    an eighth of its own size at most, which noise of no size and no tail does, whatever a group holds. That
    must be so for a range of values: where a function falls and rises again, the difference has two values.
    """
    if pair.complex or pair.exact or evidence.bad < _DIFFERING * pair.size:
        return []
    _, t, g = pair.sample.finite()
    number = len(g) // _GROUP * _GROUP
    if number < _FEWEST or np.unique(g).size < _DISTINCT * len(g):
        return []
    order = np.argsort(g, kind="stable")[:number]
    x, d = g[order], (t - g)[order]
    spread = float(np.std(x))
    if not 0.0 < spread < np.inf or not np.isfinite(d).all():
        return []
    x_groups, d_groups = x.reshape(-1, _GROUP), d.reshape(-1, _GROUP)
    size = np.sqrt(np.mean(d_groups**2, axis=1))
    left = np.sqrt(np.mean(_without_line(x_groups, d_groups) ** 2, axis=1))
    start, stop = _longest(left * REDUCTION <= size)
    if stop - start < _RANGE * len(size):
        return []
    bent = _without_line(x_groups[start:stop].reshape(1, -1), d_groups[start:stop].reshape(1, -1))
    means = d_groups[start:stop].mean(axis=1)
    beyond = np.abs(means) > pair.tolerance(x_groups[start:stop].mean(axis=1))
    straight = np.mean(bent**2) < _BENT**2 * np.mean(d_groups[start:stop] ** 2)
    if straight or not _continuous(means) or np.count_nonzero(beyond) < _DIFFERING * len(means):
        return []
    at, least = int(np.abs(means).argmax()), int(np.abs(means).argmin())
    places = x_groups[start:stop].mean(axis=1)
    found = {
        "from": float(x_groups[start, 0]), "to": float(x_groups[stop - 1, -1]), "largest": float(means[at]),
        "largest_at": float(places[at]), "smallest_at": float(places[least]),
    }  # fmt: skip
    share = (stop - start) / len(size)
    numbers: dict[str, Number] = {**found, "share_of_values": share}
    parameters = {
        "low": found["from"], "high": found["to"], "largest": found["largest"],
        "at": found["largest_at"], "least": found["smallest_at"],
    }  # fmt: skip
    return [Pattern(PatternName.FUNCTION_OF_VALUE, Message("pattern.function_of_value", parameters), numbers,
                    (), share)]  # fmt: skip


def _without_line(x: Values, y: Values) -> Values:
    """Return what is left of each row of *y* once its straight line over *x* is taken away."""
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    size = (x * x).sum(axis=1, keepdims=True)
    slope = np.where(size > 0, (x * y).sum(axis=1, keepdims=True) / np.where(size > 0, size, 1.0), 0.0)
    return np.asarray(y - slope * x)


def _longest(smooth: Values) -> tuple[int, int]:
    """Return the longest range of groups of which nearly all are *smooth*."""
    gain = np.concatenate([[0.0], np.cumsum(np.where(smooth, 1.0, -_SMOOTH / (1.0 - _SMOOTH)))])
    lowest = np.minimum.accumulate(gain)
    stop = int(np.argmax(gain - lowest))
    start = int(np.argmin(gain[: stop + 1]))
    return start, stop


def _continuous(means: Values) -> bool:
    """Return whether the *means* of neighbouring groups follow each other as those of a smooth function."""
    crossings = np.count_nonzero(np.diff(np.sign(means - means.mean())))
    return bool(crossings <= _CROSSINGS and np.abs(np.diff(means)).max() <= _JUMP * np.ptp(means))
