"""In which order a list names its files, and where two orders part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

_NUMBER = re.compile(r"(\d{1,18})")


class Order(StrEnum):
    """How names are sorted."""

    NATURAL = "natural"
    """Numbers in them as numbers: ``part-2`` before ``part-10``."""
    TEXT = "text"
    """Letter by letter, as ``sorted`` does: ``part-10`` before ``part-2``."""
    NONE = "none"
    """By nothing in the names: as a file system lists them, or shuffled."""


def order_of(names: Sequence[str]) -> Order:
    """Return how *names* are sorted; natural where both kinds of sorting give the same."""
    if all(_natural(one) <= _natural(next_one) for one, next_one in pairwise(names)):
        return Order.NATURAL
    if all(one <= next_one for one, next_one in pairwise(names)):
        return Order.TEXT
    return Order.NONE


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key by which numbers count as numbers and stand before letters."""
    parts = _NUMBER.split(name)
    return [(int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts)]


class Parting(NamedTuple):
    """A place at which another file stands."""

    position: int
    """Counted from 1."""
    target: str
    """Empty where the list has ended."""
    golden: str
