"""Whether two logs are of one run: copied, cut, or numbered anew, they still hold its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.records.columns import Float64, Int64
from core.records.curves import LoggedRun
from core.records.series import Series

LEAST_LOSSES = 10
"""Different losses without which equal numbers may be chance."""
_TRIED = 100
"""Records at the beginning of one log that are looked for in the other one."""

_COUNTS = (Series.CONSUMED_SAMPLES, Series.CONSUMED_TOKENS, Series.EPOCH)
"""Other numberings: they move with the steps."""


class _Records(NamedTuple):
    """What a run logs at the steps of its loss, of the series that both runs have."""

    steps: Int64
    values: Float64
    """(n, series), the loss first; NaN where a step lacks one."""


def is_one_run(first: LoggedRun, second: LoggedRun) -> bool:
    """Whether all that both log, the loss among it, is equal to the last bit.

    All of both logs, however short; or all that they have in common, with at least ten different losses:
    where one is cut, lacks lines or counts its steps otherwise. What only one of them logs tells nothing.
    """
    if first.path == second.path:
        return True
    if Series.LOSS not in first.curves or Series.LOSS not in second.curves:
        return False
    others = sorted(set(first.curves) & set(second.curves) - {Series.LOSS, *_COUNTS})
    mine, theirs = (_records(run, [Series.LOSS, *others]) for run in (first, second))
    if not len(mine.steps) or not len(theirs.steps):
        return False
    if np.array_equal(mine.values, theirs.values, equal_nan=True):
        return True
    return any(_equal_where_common(*laid) for laid in _laid(mine, theirs))


def _records(run: LoggedRun, names: list[str]) -> _Records:
    steps = run.curves[Series.LOSS].steps
    values = np.full((len(steps), len(names)), np.nan)
    for column, name in enumerate(names):
        curve = run.curves[name]
        mine, theirs = _common(steps, curve.steps)
        values[mine, column] = curve.values[theirs]
    return _Records(steps, values)


def _laid(mine: _Records, theirs: _Records) -> Iterator[tuple[_Records, _Records]]:
    """Yield both as they are numbered, moved so that equal records lie on each other, and counted."""
    yield mine, theirs
    counted = [records._replace(steps=np.arange(len(records.steps))) for records in (mine, theirs)]
    for one, other in ((mine, theirs), (counted[0], counted[1])):
        shift = _shift(one, other)
        if shift is not None:
            yield one._replace(steps=one.steps + shift), other


def _shift(mine: _Records, theirs: _Records) -> int | None:
    """Return how far *mine* must be moved for most of its first records to lie on their like."""
    shifts: Counter[int] = Counter()
    for step, loss in zip(mine.steps[:_TRIED], mine.values[:_TRIED, 0]):
        shifts.update((theirs.steps[theirs.values[:, 0] == loss] - step).tolist())
    return shifts.most_common(1)[0][0] if shifts else None


def _equal_where_common(mine: _Records, theirs: _Records) -> bool:
    here, there = _common(mine.steps, theirs.steps)
    losses = mine.values[here, 0]
    if not np.array_equal(losses, theirs.values[there, 0], equal_nan=True):
        return False
    if len(np.unique(losses)) < LEAST_LOSSES:
        return False
    return np.array_equal(mine.values[here], theirs.values[there], equal_nan=True)


def _common(first: Int64, second: Int64) -> tuple[Int64 | slice, Int64 | slice]:
    """Return where the steps stand that both have."""
    if np.array_equal(first, second):
        return slice(None), slice(None)
    _, here, there = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return here, there
