"""Where a run of extra calls stands, when it could stand in several places.

``a b b c`` against ``a b c``: one ``b`` is extra, and the names do not say which. The numbers do.
"""

from __future__ import annotations

import numpy as np

from core.match.calls import Calls
from core.match.gaps import evidence
from core.match.hashing import Keys
from core.records.columns import Int64

_FARTHEST = 1 << 17
"""Places that a run may move."""
_LONGEST_PART = 4
"""Calls at an end of a longer run that may move without the rest of it."""
_GAIN = 0.05
"""Evidence that a move must win; less is rounding."""


def slide(found: Int64, left: Calls, right: Calls, keys: tuple[Keys, Keys]) -> Int64:
    """Return *found* with the runs of extra calls of both sides moved to where most speaks for them.

    A run may move past calls that agree with it in *keys*, those that *found* was made by.
    """
    moved = _slide_left(found, left, right, keys[0])
    backwards = _slide_left(_inverse(moved, len(right)), right, left, keys[1])
    return _inverse(backwards, len(left))


def _inverse(found: Int64, count: int) -> Int64:
    inverse = np.full(count, -1, np.int64)
    rows = np.flatnonzero(found >= 0)
    inverse[found[rows]] = rows
    return inverse


def _slide_left(found: Int64, left: Calls, right: Calls, keys: Keys) -> Int64:
    """Move the runs of *left* that have no partner."""
    found = found.copy()
    alone = np.append(np.append(False, found < 0), False)
    starts = np.flatnonzero(alone[1:] & ~alone[:-1])
    stops = np.flatnonzero(alone[:-1] & ~alone[1:])
    before, after = np.append(-1, stops[:-1]), np.append(starts[1:], len(found))
    for start, stop, low, high in zip(starts.tolist(), stops.tolist(), before.tolist(), after.tolist()):
        limits = max(low, 0), high

        def move(first: int, last: int, *steps: int, within: tuple[int, int] = limits) -> bool:
            rows = {step: _movable(found, keys, (first, last), within, step) for step in steps}
            return _slide_run(found, left, right, (first, last), rows)

        if move(start, stop, 1, -1) or stop - start == 1:
            continue
        # Extra calls in a row may belong to different places: the first ones before, the last ones behind.
        parts = range(1, min(stop - start, _LONGEST_PART + 1))
        moved = next((part for part in parts if move(start, start + part, -1)), 0)
        start += moved
        any(move(stop - part, stop, 1) for part in parts if part < stop - start)
    return found


def _slide_run(
    found: Int64, left: Calls, right: Calls, run: tuple[int, int], movable: dict[int, Int64]
) -> bool:
    start, stop = run
    length = stop - start
    best, gain = 0, _GAIN
    for step, rows in movable.items():
        if not len(rows):
            continue
        partners = found[rows]
        won = evidence(left, right, rows - step * length, partners) - evidence(left, right, rows, partners)
        total = np.cumsum(won)
        most = int(total.argmax())
        if total[most] > gain:
            best, gain = step * (most + 1), float(total[most])
    if best > 0:
        found[start : start + best] = found[stop : stop + best].copy()
        found[start + best : stop + best] = -1
    elif best < 0:
        found[stop + best : stop] = found[start + best : start].copy()
        found[start + best : stop + best] = -1
    return best != 0


def _movable(found: Int64, keys: Keys, run: tuple[int, int], limits: tuple[int, int], step: int) -> Int64:
    """Return the rows behind (*step* 1) or before the run that look like the rows a run's length nearer."""
    start, stop = run
    length = stop - start
    size, done = 64, 0
    most = min(_FARTHEST, limits[1] - stop if step > 0 else start - limits[0])
    while done < most:
        size = min(size, most - done)
        offsets = np.arange(done, done + size)
        rows = stop + offsets if step > 0 else start - 1 - offsets
        unlike = keys[rows] != keys[rows - step * length]
        if unlike.any():
            done += int(unlike.argmax())
            break
        done += size
        size *= 4
    rows = stop + np.arange(done) if step > 0 else start - 1 - np.arange(done)
    if not done:
        return rows
    # The run must not jump over a call that only the other side has.
    steady = (found[rows] >= 0) & (found[rows] == found[rows[0]] + step * np.arange(done))
    return rows if steady.all() else rows[: int((~steady).argmax())]
