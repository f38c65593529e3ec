"""Two sequences of calls, aligned as a text diff aligns lines, in nearly linear time.

Anchors are runs of calls that occur once on each side. Between anchors a scan follows equal calls and, where
they end, looks for the nearest place where both sides go on alike. What lies between is small and is solved
exactly by :mod:`core.match.gaps`. Last, a run of extra calls that could as well stand a few places on is
moved to where the numbers say it belongs (:mod:`core.match.sliding`).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from core.match.calls import Calls
from core.match.gaps import LARGEST, fill_gap
from core.match.hashing import Keys, grams, multiset_overlap
from core.match.similarity import Records, similarity
from core.match.sliding import slide
from core.records.columns import Int64

_GRAMS = (1, 2, 4, 8, 16, 32)
_MANY_ANCHORS = 1 / 50
"""Anchors a call from which no longer runs are tried."""
_IN_ORDER = 0.8
"""Share of the anchors that must come in the same order on both sides. In a model that runs again and again,
what occurs once is where a call was put in, which is chance, and comes in any order."""
_FEWEST = 12
"""Anchors; fewer may come in the same order by chance."""
_SMALL = 4096
"""Cells that are solved at once, without a scan."""
_NEAR = 48
"""Calls of both sides among which the scan weighs every place to go on."""
_UNSURE = np.array([np.inf, 6.0, 3.0, 1.5, 0.0])
"""What a place costs, in calls left out, when so many calls agree there; four are enough."""
_LIKE = 20.0
"""What likeness of the numbers is worth, in calls left out: more than a layer, so that one of many equal
layers is not taken for the next."""
_WINDOWS = ((512, 8), (4096, 16), (32768, 16))
"""How far the scan looks when nothing near agrees, and how many calls must agree there."""


class _Box(NamedTuple):
    """Rows ``left`` to ``left_end`` of one side beside rows ``right`` to ``right_end`` of the other."""

    left: int
    left_end: int
    right: int
    right_end: int

    @property
    def empty(self) -> bool:
        return self.left >= self.left_end or self.right >= self.right_end

    @property
    def cells(self) -> int:
        return (self.left_end - self.left) * (self.right_end - self.right)


def align(left: Calls, right: Calls) -> Int64:
    """Return for each row of *left* the row of *right* it is, or -1; growing where it is not -1."""
    found = np.full(len(left), -1, np.int64)
    if not len(left) or not len(right):
        return found
    level = _level(left, right)
    keys = getattr(left, level), getattr(right, level)
    if level != "whole" and max(len(left), len(right)) <= LARGEST:
        rows, columns = fill_gap(left, right, (0, 0), (len(left), len(right)))
        found[rows] = columns
        return slide(found, left, right, keys)
    scan = _Scan(keys, (left.records, right.records), found)
    for box in _between(_anchors(*keys), found, len(left), len(right)):
        scan.run(box)
    for gap in scan.gaps:
        rows, columns = fill_gap(left, right, (gap.left, gap.right), (gap.left_end, gap.right_end))
        found[rows] = columns
    return slide(found, left, right, keys)


def _level(left: Calls, right: Calls) -> str:
    """Return the finest key that is not unlike on both sides throughout, as after a change of the batch."""
    possible = multiset_overlap(left.line, right.line)
    for level in ("whole", "shape", "place"):
        if multiset_overlap(getattr(left, level), getattr(right, level)) >= 0.8 * possible:
            return level
    return "line"


def _anchors(left: Keys, right: Keys) -> tuple[Int64, Int64]:
    """Return rows of both sides, growing on both, where a run that occurs once on each begins."""
    best = np.empty(0, np.int64), np.empty(0, np.int64)
    for length in _GRAMS:
        pair = _unique_in_both(grams(left, length), grams(right, length))
        kept = _longest_growing(pair[1])
        # Runs that overlap are one witness, not many.
        apart, agree = (len(np.unique(rows // length)) for rows in (pair[0], pair[0][kept]))
        if len(kept) > len(best[0]) and agree >= max(_FEWEST, _IN_ORDER * apart):
            best = pair[0][kept], pair[1][kept]
        if len(best[0]) >= _MANY_ANCHORS * min(len(left), len(right)):
            break
    return best


def _unique_in_both(left: Keys, right: Keys) -> tuple[Int64, Int64]:
    sides = []
    for keys in (left, right):
        values, first, count = np.unique(keys, return_index=True, return_counts=True)
        sides.append((values[count == 1], first[count == 1]))
    _, at_left, at_right = np.intersect1d(sides[0][0], sides[1][0], assume_unique=True, return_indices=True)
    rows, columns = sides[0][1][at_left], sides[1][1][at_right]
    order = np.argsort(rows)
    return rows[order].astype(np.int64), columns[order].astype(np.int64)


def _longest_growing(values: Int64) -> Int64:
    """Return the positions of a longest growing subsequence of different *values* (patience sorting)."""
    if len(values) < 2 or bool((values[1:] > values[:-1]).all()):
        return np.arange(len(values))
    tails: list[int] = []
    at: list[int] = []
    before = np.empty(len(values), np.int64)
    for position, value in enumerate(values.tolist()):
        pile = bisect_left(tails, value)
        before[position] = at[pile - 1] if pile else -1
        if pile == len(tails):
            tails.append(value)
            at.append(position)
        else:
            tails[pile], at[pile] = value, position
    chain = np.empty(len(tails), np.int64)
    position = at[-1]
    for index in range(len(tails) - 1, -1, -1):
        chain[index] = position
        position = int(before[position])
    return chain


def _between(anchors: tuple[Int64, Int64], found: Int64, left_count: int, right_count: int) -> list[_Box]:
    """Note the *anchors* in *found* and return what lies between them, where both sides have something."""
    rows, columns = anchors
    found[rows] = columns
    starts = np.append(-1, rows) + 1, np.append(-1, columns) + 1
    stops = np.append(rows, left_count), np.append(columns, right_count)
    open_boxes = np.flatnonzero((stops[0] > starts[0]) & (stops[1] > starts[1]))
    edges = (part[open_boxes].tolist() for part in (starts[0], stops[0], starts[1], stops[1]))
    return [_Box(*box) for box in zip(*edges)]


class _Scan:
    """Follows equal keys; notes pairs in ``found`` and what it leaves between in ``gaps``."""

    def __init__(self, keys: tuple[Keys, Keys], records: tuple[Records, Records], found: Int64) -> None:
        left, right = self.left, self.right = keys
        self.records, self.found = records, found
        self.gaps: list[_Box] = []
        self._grams = {
            length: (grams(left, length), grams(right, length)) for length in {pair[1] for pair in _WINDOWS}
        }
        self._farthest = len(_WINDOWS)

    def run(self, box: _Box) -> None:
        """Align one box."""
        box = self._without_end(box)
        while not box.empty:
            box = self._follow(box)
            if box.empty:
                return
            if box.cells <= _SMALL:
                self.gaps.append(box)
                return
            left, right = self._next_agreement(box)
            skipped = _Box(box.left, left, box.right, right)
            if not skipped.empty:
                self._add(skipped)
            box = box._replace(left=left, right=right)

    def _follow(self, box: _Box) -> _Box:
        """Pair what agrees at the beginning of *box* and return the rest."""
        count = self._agreeing(box, 1)
        self.found[box.left : box.left + count] = np.arange(box.right, box.right + count)
        return box._replace(left=box.left + count, right=box.right + count)

    def _without_end(self, box: _Box) -> _Box:
        """Pair what agrees at the end of *box* and return the rest."""
        begin = self._agreeing(box, 1)
        rest = box._replace(left=box.left + begin, right=box.right + begin)
        count = self._agreeing(rest, -1)
        self.found[box.left_end - count : box.left_end] = np.arange(box.right_end - count, box.right_end)
        return box._replace(left_end=box.left_end - count, right_end=box.right_end - count)

    def _agreeing(self, box: _Box, step: int) -> int:
        """Return how many calls agree from the beginning (*step* 1) or the end (-1) of *box*."""
        most = min(box.left_end - box.left, box.right_end - box.right)
        done, size = 0, 64
        while done < most:
            size = min(size, most - done)
            if step > 0:
                ours = self.left[box.left + done : box.left + done + size]
                theirs = self.right[box.right + done : box.right + done + size]
            else:
                ours = self.left[box.left_end - done - size : box.left_end - done][::-1]
                theirs = self.right[box.right_end - done - size : box.right_end - done][::-1]
            unlike = ours != theirs
            first = int(unlike.argmax())
            if unlike[first]:
                return done + first
            done += size
            size *= 4
        return most

    def _next_agreement(self, box: _Box) -> tuple[int, int]:
        """Return where both sides go on alike with the fewest calls left out, or a bounded step."""
        near = self._near_agreement(box)
        if near is not None:
            self._farthest = len(_WINDOWS)
            return near
        for index, (window, length) in enumerate(_WINDOWS[: self._farthest]):
            ours, theirs = self._grams[length]
            ours = ours[box.left : max(box.left, min(box.left + window, box.left_end - length + 1))]
            theirs = theirs[box.right : max(box.right, min(box.right + window, box.right_end - length + 1))]
            _, at_left, at_right = np.intersect1d(ours, theirs, return_indices=True)
            if len(at_left):
                # First occurrences on both sides: no pair of equal keys leaves out fewer.
                nearest = np.lexsort((at_left, at_left + at_right))[0]
                self._farthest = len(_WINDOWS)
                return box.left + int(at_left[nearest]), box.right + int(at_right[nearest])
            if window >= max(box.left_end - box.left, box.right_end - box.right):
                break
            if index == len(_WINDOWS) - 1:
                # Nothing far and wide: look less far until something agrees, so that time stays bounded.
                self._farthest = len(_WINDOWS) - 2
        # As many rows of each side as keep the rest of both in proportion.
        counts = box.left_end - box.left, box.right_end - box.right
        share = min(1.0, LARGEST / max(counts))
        return box.left + max(1, round(counts[0] * share)), box.right + max(1, round(counts[1] * share))

    def _near_agreement(self, box: _Box) -> tuple[int, int] | None:
        """Return the best place to go on among the next calls, by calls left out, agreement and numbers."""
        ours = self.left[box.left : min(box.left + _NEAR, box.left_end)]
        theirs = self.right[box.right : min(box.right + _NEAR, box.right_end)]
        equal = ours[:, None] == theirs[None, :]
        agreeing = equal.astype(np.int8)
        run = equal
        for _ in range(len(_UNSURE) - 2):
            longer = np.zeros_like(run)
            longer[:-1, :-1] = run[1:, 1:]
            run = longer & equal
            agreeing += run
        rows, columns = np.nonzero(equal)
        if not len(rows):
            return None
        cost = rows + columns + _UNSURE[agreeing[rows, columns]]
        # Only what could win with all the likeness there is has its numbers looked at.
        hopeful = np.flatnonzero(cost <= cost.min() + _LIKE)
        rows, columns = rows[hopeful], columns[hopeful]
        likeness = similarity(
            self.records[0].take(box.left + rows), self.records[1].take(box.right + columns)
        )
        best = int(np.argmin(cost[hopeful] - _LIKE * likeness))
        return box.left + int(rows[best]), box.right + int(columns[best])

    def _add(self, gap: _Box) -> None:
        """Note *gap*, cut so that no side of a piece is longer than what is solved at once."""
        counts = gap.left_end - gap.left, gap.right_end - gap.right
        pieces = -(-max(counts) // LARGEST)
        left = np.linspace(gap.left, gap.left_end, pieces + 1).astype(np.int64).tolist()
        right = np.linspace(gap.right, gap.right_end, pieces + 1).astype(np.int64).tolist()
        boxes = (_Box(left[i], left[i + 1], right[i], right[i + 1]) for i in range(pieces))
        self.gaps += [box for box in boxes if not box.empty]
