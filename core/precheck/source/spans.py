"""Which parts of two lines differ."""

from __future__ import annotations

import re

_WORDS = re.compile(r"\s+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?|\w+|[^\w\s]")
_MOST = 4_000
"""Letters of a line up to which its parts are looked at."""

Spans = tuple[tuple[int, int], ...]
"""Beginnings and ends, in letters."""


def changed_spans(target: str, golden: str) -> tuple[Spans, Spans]:
    """Return the parts of *target* and of *golden*, whole words, that the other line does not have there.

    Of very long lines all but their common beginning and end is returned as one part.
    """
    from rapidfuzz.distance import Indel

    if max(len(target), len(golden)) > _MOST:
        return _middle(target, golden)
    left, right = _WORDS.findall(target), _WORDS.findall(golden)
    ends = [0], [0]
    for words, places in zip((left, right), ends):
        for word in words:
            places.append(places[-1] + len(word))
    found: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for part in Indel.opcodes(left, right):
        if part.tag == "equal":
            continue
        for spans, places, first, last in (
            (found[0], ends[0], part.src_start, part.src_end),
            (found[1], ends[1], part.dest_start, part.dest_end),
        ):
            if first == last:
                continue
            start = places[first]
            if spans and spans[-1][1] == start:
                start = spans.pop()[0]
            spans.append((start, places[last]))
    return tuple(found[0]), tuple(found[1])


def _middle(target: str, golden: str) -> tuple[Spans, Spans]:
    shorter, first = min(len(target), len(golden)), 0
    while first < shorter and target[first] == golden[first]:
        first += 1
    same = 0
    while same < shorter - first and target[-1 - same] == golden[-1 - same]:
        same += 1
    left, right = (first, len(target) - same), (first, len(golden) - same)
    return ((left,) if left[0] < left[1] else ()), ((right,) if right[0] < right[1] else ())
