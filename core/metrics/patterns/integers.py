"""Masks that are inverted or flipped in places, and ids of a top-k that change near ties."""

from __future__ import annotations

import numpy as np

from core.dtypes import Kind
from core.messages import Message, Parameter
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import BITS, FEW, MARKS, TIE_CHANGED, TIE_IDS, TIE_ROWS, TIE_WIDTH
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Mark, Number, Pattern, PatternName
from core.metrics.patterns.places import marks_of
from core.metrics.patterns.wording import grouped, index_words
from core.progress import Work

_FLIPS = 0.1
"""Largest share of a mask of which flips are told."""
_FEWEST = 4
"""Elements of the smallest mask of which a single flip is told."""


def find_masks(pair: Pair, evidence: Evidence) -> list[Pattern]:
    """Return whether a mask is the inverse of the golden, or flipped in few places."""
    if not _is_mask(pair):
        return []
    number = evidence.different
    ones = evidence.golden_nonzero
    if number == pair.size and min(ones, pair.size - ones) > 0 and pair.size >= BITS:
        numbers: dict[str, Number] = {"elements": pair.size, "golden_true": ones}
        return [Pattern(PatternName.INVERTED_MASK, Message("pattern.inverted_mask"), numbers)]
    if 0 < number <= _FLIPS * pair.size or (number == 1 and pair.size >= _FEWEST):
        lost, gained = evidence.extents["missing"].count, evidence.extents["extra"].count
        first = pair.place(evidence.extents["bad"].first)
        numbers = {
            "count": number,
            "elements": pair.size,
            "to_false": lost,
            "to_true": gained,
            "first": list(first),
        }
        parameters: dict[str, Parameter] = {
            "count": number, "number": grouped(number), "elements": grouped(pair.size), "lost": grouped(lost),
            "gained": grouped(gained), "first": index_words(first),
        }  # fmt: skip
        kind = "lost" if not gained else "gained" if not lost else "both"
        places = [pair.place(flat) for flat in evidence.extents["bad"].places[:FEW]]
        one_by_one = tuple(Mark(box=tuple((at, at + 1) for at in place)) for place in places)
        marks = marks_of(pair, evidence) or one_by_one
        message = Message(f"pattern.mask_flips.{kind}", parameters)
        return [Pattern(PatternName.MASK_FLIPS, message, numbers, marks)]
    return []


def _is_mask(pair: Pair) -> bool:
    """Return whether both sides hold flags: booleans, or whole numbers that are 0 or 1."""
    if pair.complex or not (pair.exact or Kind.BOOL in (pair.target.dtype.kind, pair.golden.dtype.kind)):
        return False
    _, t, g = pair.sample.finite()
    return bool(np.isin(t, (0, 1)).all() and np.isin(g, (0, 1)).all())


def find_ties(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return whether the ids of a top-k differ in few rows only; ids of a row are compared as sets too."""
    whole = pair.exact and pair.axes > 0 and not _is_mask(pair)
    sums = evidence.axes[-1] if whole else None
    if sums is None or not 2 <= pair.columns <= TIE_WIDTH or pair.rows < 2:
        return []
    rows: list[int] = []
    differing = same_sets = swapped = 0
    for block in pair.blocks():
        t, g = pair.block(block)
        small = min(t.min(), g.min()) >= 0 and max(t.max(), g.max()) < TIE_IDS
        if not (small and _all_distinct(t) and _all_distinct(g)):
            return []
        changed = np.flatnonzero((t != g).any(axis=1))
        differing += int(changed.size)
        if differing > max(1, TIE_ROWS * pair.rows):
            return []
        new = (~(t[changed][:, :, None] == g[changed][:, None, :]).any(axis=2)).sum(axis=1)
        if np.any(new > max(1, TIE_CHANGED * pair.columns)):
            return []
        same_sets += int(np.count_nonzero(new == 0))
        swapped += int(np.count_nonzero(t[changed] != g[changed]))
        rows += [block.top + int(at) for at in changed[: MARKS - len(rows)]]
        yield pair.progress(block.top * pair.columns + block.right)
    if not differing:
        return []
    numbers: dict[str, Number] = {
        "rows": differing, "all_rows": pair.rows, "same_set": same_sets, "ids": swapped, "k": pair.columns,
        "first": rows,
    }  # fmt: skip
    parameters: dict[str, Parameter] = {
        "count": differing,
        "number": grouped(differing),
        "rows": grouped(pair.rows),
        "same": grouped(same_sets),
        "ids": grouped(swapped),
    }
    marks = tuple(Mark(flat=(row * pair.columns, (row + 1) * pair.columns)) for row in rows)
    return [Pattern(PatternName.NEAR_TIE, Message("pattern.near_tie", parameters), numbers, marks)]


def _all_distinct(rows: Values) -> bool:
    ordered = np.sort(rows, axis=1)
    return bool((ordered[:, 1:] != ordered[:, :-1]).all())
