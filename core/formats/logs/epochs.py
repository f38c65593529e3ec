"""Steps that begin again with each epoch, counted on over the epochs."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.formats.logs.columns import Collected
from core.records.columns import Float64, Int64
from core.records.series import Series

_VALIDATED = (Series.VALIDATION_LOSS, Series.VALIDATION_ACCURACY)

_RECENT = 1000
"""Records before the end of an epoch that show how far apart they usually are."""


class _Reached(NamedTuple):
    """The latest epoch so far."""

    epoch: float
    offset: int
    """What is added to its steps."""
    last: int
    """The largest step that was said in it."""


def steps_over_epochs(said: Collected) -> Int64:
    """Return the steps of the records *said*, counted on where they fall as the epoch grows.

    A step that falls while the epoch stays or goes back is a restart, and keeps the place of its epoch. Each
    rank is looked at by itself.

    Returns
    -------
    ndarray, int64
        One a record; the same array where nothing is counted on.
    """
    epochs = said.columns.get(Series.EPOCH)
    if epochs is None:
        return said.step
    epoch = np.full(len(said.step), np.nan)
    epoch[epochs.record] = epochs.value
    known = (said.step >= 0) & np.isfinite(epoch)
    trained = known & ~_validating(said)
    step = said.step
    for rank in np.unique(said.rank[known]).tolist():
        mine = said.rank == rank
        offsets = _offsets(said.step[mine & trained], epoch[mine & trained])
        if not any(offsets.values()):
            continue
        step = step.copy() if step is said.step else step
        numbers = np.array(sorted(offsets))
        at = np.minimum(np.searchsorted(numbers, epoch), len(numbers) - 1)
        moved = mine & known & (numbers[at] == epoch)
        step[moved] += np.array([offsets[number] for number in numbers.tolist()])[at[moved]]
    return step


def _validating(said: Collected) -> NDArray[np.bool_]:
    """Return which records are of a validation alone: their steps may be counted otherwise."""
    made = np.zeros(len(said.step), bool)
    for name in _VALIDATED:
        if name in said.columns:
            made[said.columns[name].record] = True
    if Series.LOSS in said.columns:
        made[said.columns[Series.LOSS].record] = False
    return made


def _offsets(step: Int64, epoch: Float64) -> dict[float, int]:
    """Return what is to be added to the steps of each epoch; nothing where epochs are no whole numbers."""
    if not len(step) or (epoch != np.floor(epoch)).any():
        return {}
    alike = bool((step == step[0]).all())  # one record an epoch: its last
    starts = [0, *(np.flatnonzero(epoch[1:] != epoch[:-1]) + 1).tolist(), len(step)]
    offsets: dict[float, int] = {}
    reached: _Reached | None = None
    for start, end in pairwise(starts):
        now, first, last = float(epoch[start]), int(step[start]), int(step[start:end].max())
        if reached is None:
            reached = _Reached(now, 0, last)
        elif now == reached.epoch:
            reached = reached._replace(last=max(reached.last, last))
        elif now > reached.epoch:
            again = first < reached.last or (alike and first == reached.last)
            more = _length(step[:start], reached.last, first) if again else 0
            reached = _Reached(now, reached.offset + more, last)
        offsets.setdefault(now, reached.offset if now >= reached.epoch else min(offsets.values()))
    return offsets


def _length(before: Int64, last: int, first: int) -> int:
    """Return the steps of an epoch that ended with *last*, where the next begins with *first*.

    Usually records are as far apart as *before*. Less at the end shows that *last* is the very last step.
    """
    gaps = np.diff(before[-_RECENT:])
    if not (gaps > 0).any():
        return max(last + (first == 0), 1)
    usual = int(np.median(gaps[gaps > 0]))
    if 0 < int(gaps[-1]) < usual:
        return last + (first == 0)
    return max(last - first + usual, 1)
