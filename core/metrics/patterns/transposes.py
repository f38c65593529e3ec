"""Axes exchanged, where the shape stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from core.messages import Message
from core.metrics.patterns.arrangement import Arrangement, Index, Piece, everywhere
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import PatternName

ALL_ORDERS = 5
"""Most axes of which all orders are tried; of more, any two are exchanged."""


def orders(axes: int) -> Iterator[tuple[int, ...]]:
    """Yield the orders of *axes* axes worth trying, exchanges of two first, without the one they have."""
    plain = tuple(range(axes))
    swaps: list[tuple[int, ...]] = []
    for first, second in combinations(plain, 2):
        exchanged = {first: second, second: first}
        swaps.append(tuple(exchanged.get(axis, axis) for axis in plain))
    yield from reversed(swaps)
    if axes <= ALL_ORDERS:
        for order in permutations(plain):
            if order not in swaps and order != plain:
                yield order


def transposes(pair: Pair) -> Iterator[Arrangement]:
    """Yield all orders of the axes that leave the shape as it is."""
    for order in orders(pair.axes):
        if tuple(pair.shape[axis] for axis in order) == pair.shape:
            yield _transpose(pair, order)


def _transpose(pair: Pair, order: tuple[int, ...]) -> Arrangement:
    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], int]:
        turned = list(index)
        for place, axis in enumerate(order):
            turned[axis] = index[place]
        return tuple(turned), everywhere(index), 1

    def pieces() -> list[Piece]:
        golden = pair.golden.bits()
        return [Piece(pair.target.bits(), golden, golden.transpose(order))]

    message = Message("pattern.transpose.same_shape", {"axes": ", ".join(map(str, order))})
    return Arrangement(PatternName.TRANSPOSE, message, {"axes": list(order)}, sources, pieces)
