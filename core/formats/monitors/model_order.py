"""The order of a model's layers, from the orders in which files name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.formats.natural import natural_key

_DIGITS = re.compile(r"\d{1,18}")
_LONGEST = 2000
"""Characters of a name that its place depends on; Python refuses to count thousands of digits."""


def oriented(names: Sequence[str]) -> list[int]:
    """Return the positions of *names*, in order of appearance, in the order of the model.

    A file that lists gradients as they were computed names the last layer first: it is turned round where
    the numbers of like names mostly fall. Names that somebody sorted as texts (``layers.10`` before
    ``layers.2``) are sorted as people count.
    """
    positions = list(range(len(names)))
    as_texts = sorted(positions, key=lambda position: names[position])
    counted = sorted(positions, key=lambda position: natural_key(names[position][:_LONGEST]))
    if positions in (as_texts, as_texts[::-1]) and as_texts != counted:
        return counted
    last: dict[str, list[int]] = {}
    balance = 0
    for name in names:
        template = _DIGITS.sub("#", name)
        numbers = [int(digits) for digits in _DIGITS.findall(name)]
        before = last.get(template, numbers)
        balance += (numbers > before) - (numbers < before)
        last[template] = numbers
    return positions[::-1] if balance < 0 else positions


def merged(orders: Iterable[Sequence[int]]) -> list[int]:
    """Return all items of *orders*, the first of which count most.

    What a later order adds stands after the item that it follows there; a beginning that is new, before the
    first item that is not; an order without any known item, at the end.
    """
    after: dict[int, int] = {_START: _START}
    before: dict[int, int] = {_START: _START}
    for order in orders:
        known = next((item for item in order if item in after), _START)
        place = before[known]
        for item in order:
            if item not in after:
                following = after[place]
                after[place] = before[following] = item
                after[item], before[item] = following, place
            place = item
    made = []
    item = after[_START]
    while item != _START:
        made.append(item)
        item = after[item]
    return made


_START = -1
"""Stands before the first and after the last item of the ring."""
