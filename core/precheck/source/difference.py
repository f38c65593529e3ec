"""Two files beside each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.precheck.source.alignment import align
from core.precheck.source.keys import Keys, keys_of
from core.precheck.source.reading import read_source, without_secrets
from core.precheck.source.records import Change, DifferenceOptions, FileDifference, SourceText
from core.precheck.source.relevance import of_one, of_two

_PAIRED = 3_600
"""Lines of one side times lines of the other up to which lines that differ are paired by their likeness."""
_ALIKE = 0.45
"""Likeness from which two lines are shown beside each other as one that changed."""


def compare_files(target: str, golden: str, options: DifferenceOptions | None = None) -> FileDifference:
    """Return the files at *target* and *golden* beside each other.

    Parameters
    ----------
    target, golden
        Where the files lie; empty for a file that a side does not have.
    options
        Only their mapping of folders plays a part; whatever else they say is asked of the answer.
    """
    return compare_texts(read_source(target), read_source(golden), options)


def compare_texts(
    target: SourceText, golden: SourceText, options: DifferenceOptions | None = None
) -> FileDifference:
    """Return two texts beside each other; see :func:`compare_files`.

    Lines are paired by what counts of them, so that white space, comments and words of a device take no
    part; each row is told by what its lines differ in.
    """
    left = keys_of(target)
    right = keys_of(golden, options.mapping if options is not None else ())
    rows: list[tuple[int, int, Change]] = []
    for row, beside in _laid_out(left, right):
        rows.append((row, beside, _change(target, golden, left, right, row, beside)))
    columns = np.array(rows, np.int64).reshape(-1, 3)
    shown = without_secrets(target), without_secrets(golden)
    return FileDifference(*shown, columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int8))


def _change(target: SourceText, golden: SourceText, left: Keys, right: Keys, row: int, beside: int) -> Change:
    if beside < 0:
        return of_one(left, row)
    if row < 0:
        return of_one(right, beside)
    if target.lines[row] == golden.lines[beside]:
        # what reads alike may stand deeper, or in a comment, on one side
        alike = left.whole[row] == right.whole[beside]
        return Change.EQUAL if alike else max(of_one(left, row), of_one(right, beside))
    return of_two(left, row, right, beside)


def _laid_out(left: Keys, right: Keys) -> Iterator[tuple[int, int]]:
    """Yield the lines of both sides row by row.

    Only lines of code are aligned: a blank one, which is like every other, would draw them apart. What says
    nothing stands between them then.
    """
    rows = [row for row, key in enumerate(left.whole) if key]
    columns = [column for column, key in enumerate(right.whole) if key]
    at = beside = 0
    for block in align([left.whole[row] for row in rows], [right.whole[column] for column in columns]):
        if not block.equal:
            continue
        for row, column in zip(
            rows[block.target : block.target_end], columns[block.golden : block.golden_end]
        ):
            yield from _between(left, right, range(at, row), range(beside, column))
            yield row, column
            at, beside = row + 1, column + 1
    yield from _between(left, right, range(at, len(left.whole)), range(beside, len(right.whole)))


def _between(left: Keys, right: Keys, rows: range, columns: range) -> Iterator[tuple[int, int]]:
    """Yield what stands between two lines that both sides have: the same comments and blanks first."""
    if not rows and not columns:
        return
    for part in align(left.blanks[rows.start : rows.stop], right.blanks[columns.start : columns.stop]):
        lines = rows[part.target : part.target_end], columns[part.golden : part.golden_end]
        yield from zip(*lines) if part.equal else _unequal(*lines, left, right)


def _unequal(rows: range, columns: range, left: Keys, right: Keys) -> list[tuple[int, int]]:
    """Return lines that differ: those alike beside each other, the others in order."""
    alike: list[tuple[int, int]] = []
    if 1 < len(rows) * len(columns) <= _PAIRED:
        found = _alike(left.whole[rows.start : rows.stop], right.whole[columns.start : columns.stop])
        alike = [(rows[row], columns[beside]) for row, beside in found]
    made = []
    at, beside = rows.start, columns.start
    for row, column in [*alike, (rows.stop, columns.stop)]:
        made += _in_order(range(at, row), range(beside, column), left, right)
        if row < rows.stop:
            made.append((row, column))
        at, beside = row + 1, column + 1
    return made


def _in_order(rows: range, columns: range, left: Keys, right: Keys) -> list[tuple[int, int]]:
    """Return lines that are not alike beside each other, first by first; code never beside a comment."""
    made = []
    waiting = list(columns)
    for row in rows:
        said = bool(left.whole[row])
        while waiting and bool(right.whole[waiting[0]]) != said and len(waiting) > 1:
            made.append((-1, waiting.pop(0)))
        fits = bool(waiting) and bool(right.whole[waiting[0]]) == said
        made.append((row, waiting.pop(0) if fits else -1))
    return [*made, *((-1, beside) for beside in waiting)]


def _alike(target: list[str], golden: list[str]) -> list[tuple[int, int]]:
    """Return the growing pairs of lines whose likeness is largest in all, by dynamic programming."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    likeness = cdist(target, golden, scorer=Indel.normalized_similarity, dtype=np.float32) - _ALIKE
    best = np.zeros((len(target) + 1, len(golden) + 1), np.float32)
    for row in range(len(target) - 1, -1, -1):
        taken = np.maximum(likeness[row], 0) + best[row + 1, 1:]
        best[row, :-1] = np.maximum.accumulate(np.maximum(taken, best[row + 1, :-1])[::-1])[::-1]
    found = []
    beside = 0
    for row in range(len(target)):
        while beside < len(golden) and best[row, beside] == best[row, beside + 1] > 0:
            beside += 1
        takes = (
            beside < len(golden) and likeness[row, beside] > 0 and best[row, beside] > best[row + 1, beside]
        )
        if takes:
            found.append((row, beside))
            beside += 1
    return found
