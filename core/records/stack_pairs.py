"""Two call stacks laid beside each other, frame by frame, as a text diff lays lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from enum import IntEnum
from typing import NamedTuple

from core.records.stacks import Frame

_TAIL = 2
"""Last parts of a path that tell a file: the folders before them are another machine's."""
_MOST = 40_000
"""Pairs of frames up to which the best alignment is looked for; deep recursion gets a quick one."""


class Agreement(IntEnum):
    """How the two frames of a pair agree. Its name in lower case is the catalogue code
    ``gui.stack.<name>``.
    """

    SAME = 0
    MOVED = 1
    """The same code at another line."""
    CHANGED = 2
    """Other code in the same function, or one function in place of another."""
    TARGET_ONLY = 3
    GOLDEN_ONLY = 4


class FramePair(NamedTuple):
    """Two frames that stand for each other; ``None`` where one side has none."""

    target: Frame | None
    golden: Frame | None
    agreement: Agreement


def pair_stacks(target: Sequence[Frame], golden: Sequence[Frame]) -> list[FramePair]:
    """Return *target* and *golden*, both innermost frame first, laid beside each other.

    Frames are taken for each other by function and file; by code and line only where several could be
    meant, as lines move when anything above them is edited.
    """
    mine, theirs = [_key(frame) for frame in target], [_key(frame) for frame in golden]
    begin, end = 0, 0
    shorter = min(len(mine), len(theirs))
    while begin < shorter and _alike(target[begin], golden[begin]) == _SURE:
        begin += 1
    while end < shorter - begin and _alike(target[-1 - end], golden[-1 - end]) == _SURE:
        end += 1
    middle = target[begin : len(target) - end], golden[begin : len(golden) - end]
    if len(middle[0]) * len(middle[1]) <= _MOST:
        matches = _best_matches(*middle)
    else:
        matcher = SequenceMatcher(
            None, mine[begin : len(mine) - end], theirs[begin : len(theirs) - end], autojunk=False
        )
        blocks = matcher.get_matching_blocks()
        matches = [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]
    pairs = [
        *((at, at) for at in range(begin)),
        *((begin + one, begin + other) for one, other in matches),
        *((len(target) - at, len(golden) - at) for at in range(end, 0, -1)),
    ]
    return _with_gaps(target, golden, pairs)


_SURE = 3


def _key(frame: Frame) -> tuple[str, ...]:
    parts = frame.path.replace("\\", "/").split("/")
    return (frame.function, *parts[-_TAIL:])


def _alike(one: Frame, other: Frame) -> int:
    """Return how much speaks for two frames being each other: 0 nothing, 1 function and file, 3 all."""
    if _key(one) != _key(other):
        return 0
    return 1 + (one.line == other.line) + (one.code.split() == other.code.split())


def _best_matches(target: Sequence[Frame], golden: Sequence[Frame]) -> list[tuple[int, int]]:
    """Return the pairs of a longest common subsequence, weighted by how alike its frames are."""
    rows, columns = len(target), len(golden)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    likeness = [[_alike(one, other) for other in golden] for one in target]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            skipped = max(best[row + 1][column], best[row][column + 1])
            alike = likeness[row][column]
            # a pair counts for more than what makes it likely, so that no pair is given up for a likelier one
            taken = best[row + 1][column + 1] + 3 + alike if alike else 0
            best[row][column] = max(skipped, taken)
    matches, row, column = [], 0, 0
    while row < rows and column < columns:
        alike = likeness[row][column]
        if alike and best[row][column] == best[row + 1][column + 1] + 3 + alike:
            matches.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return matches


def _with_gaps(
    target: Sequence[Frame], golden: Sequence[Frame], pairs: list[tuple[int, int]]
) -> list[FramePair]:
    """Return the frames of *pairs* and, between them, those that have no partner."""
    made: list[FramePair] = []
    mine = theirs = 0
    for one, other in [*pairs, (len(target), len(golden))]:
        while mine < one and theirs < other and one - mine == other - theirs:
            made.append(FramePair(target[mine], golden[theirs], Agreement.CHANGED))  # one for another
            mine, theirs = mine + 1, theirs + 1
        made += [FramePair(frame, None, Agreement.TARGET_ONLY) for frame in target[mine:one]]
        made += [FramePair(None, frame, Agreement.GOLDEN_ONLY) for frame in golden[theirs:other]]
        if one < len(target):
            made.append(FramePair(target[one], golden[other], _agreement(target[one], golden[other])))
        mine, theirs = one + 1, other + 1
    return made


def _agreement(target: Frame, golden: Frame) -> Agreement:
    if target.code.split() != golden.code.split():
        return Agreement.CHANGED
    return Agreement.SAME if target.line == golden.line else Agreement.MOVED
