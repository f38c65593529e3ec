"""Two texts beside each other: which parts of them differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_MOST = 400
"""Words up to which the best alignment is looked for; of longer texts only the ends are taken off."""


class Part(NamedTuple):
    """A piece of a text; ``differs`` says that the other text does not have it."""

    words: str
    differs: bool


Parts = tuple[Part, ...]


def differing_parts(one: str, other: str) -> tuple[Parts, Parts]:
    """Return both texts in pieces, whole words each; nothing differs where one of them is empty."""
    if one == other or not one or not other:
        return (Part(one, False),), (Part(other, False),)
    mine, theirs = _WORDS.findall(one), _WORDS.findall(other)
    if len(mine) + len(theirs) > _MOST:
        return _by_ends(mine, theirs)
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    left: list[Part] = []
    right: list[Part] = []
    for kind, begin, end, first, last in matcher.get_opcodes():
        left.append(Part("".join(mine[begin:end]), kind != "equal"))
        right.append(Part("".join(theirs[first:last]), kind != "equal"))
    return _joined(left), _joined(right)


def differing_digits(one: str, other: str) -> tuple[Parts, Parts]:
    """Return two numbers in pieces: what they begin with alike, and the rest."""
    if one == other or not one or not other:
        return (Part(one, False),), (Part(other, False),)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))
    return (
        _joined([Part(one[:same], False), Part(one[same:], True)]),
        _joined([Part(other[:same], False), Part(other[same:], True)]),
    )


def _by_ends(mine: list[str], theirs: list[str]) -> tuple[Parts, Parts]:
    shorter = min(len(mine), len(theirs))
    begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(mine, theirs)))
    ends = zip(reversed(mine), reversed(theirs))
    end = min(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends)), shorter - begin)
    cut = [
        _joined(
            [
                Part("".join(words[:begin]), False),
                Part("".join(words[begin : len(words) - end]), True),
                Part("".join(words[len(words) - end :]), False),
            ]
        )
        for words in (mine, theirs)
    ]
    return cut[0], cut[1]


def _joined(parts: list[Part]) -> Parts:
    return tuple(part for part in parts if part.words)
