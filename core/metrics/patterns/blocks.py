"""Blocks of an axis, or of two neighbouring axes, in exchanged order: heads interleaved, q, k, v merged."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from core.messages import Message, Parameter
from core.metrics.patterns.arrangement import Arrangement, Bits, Index, Piece, everywhere
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Number, PatternName

_MOST = 4096
"""Most ways to split one axis, or two together, that are tried."""


def splits(pair: Pair) -> Iterator[Arrangement]:
    """Yield (outer, inner, rest) → (inner, outer, rest) for all splits of an axis, then of two neighbours."""
    for axis in range(pair.axes - 1, -1, -1):
        yield from _of_axes(pair, axis, axis + 1)
    for axis in range(pair.axes - 2, -1, -1):
        if pair.shape[axis] > 1 and pair.shape[axis + 1] > 1:
            yield from _of_axes(pair, axis, axis + 2)


def _of_axes(pair: Pair, first: int, last: int) -> Iterator[Arrangement]:
    if last - first > 1 and not (_flat(pair.target.bits()) and _flat(pair.golden.bits())):
        return  # merging their axes would copy them
    length = prod(pair.shape[first:last])
    tried = 0
    for outer in divisors(length):
        for inner in divisors(length // outer):
            if outer > 1 and inner > 1:
                yield _split(pair, first, last, (outer, inner, length // outer // inner))
                tried += 1
            if tried >= _MOST:
                return


def _flat(bits: Bits) -> bool:
    return bool(bits.flags.c_contiguous)


def divisors(number: int) -> list[int]:
    """Return the divisors of *number*, ascending."""
    small = [at for at in range(1, int(number**0.5) + 1) if number % at == 0]
    return small + [number // at for at in reversed(small) if at * at != number]


def _split(pair: Pair, first: int, last: int, sizes: tuple[int, int, int]) -> Arrangement:
    """Return the golden split into *sizes*, with the first two of them exchanged."""
    outer, inner, rest = sizes
    shape = pair.shape[first:last]

    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], int]:
        merged = index[first]
        for axis in range(first + 1, last):
            merged = merged * pair.shape[axis] + index[axis]
        at_rest, at = merged % rest, merged // rest
        source = (at % outer * inner + at // outer) * rest + at_rest
        split = np.unravel_index(source, shape)
        return (*index[:first], *split, *index[last:]), everywhere(index), 1

    def pieces() -> list[Piece]:
        before, after = pair.shape[:first], pair.shape[last:]
        target = pair.target.bits().reshape((*before, inner, outer, rest, *after))
        golden = pair.golden.bits().reshape((*before, outer, inner, rest, *after))
        beside = pair.golden.bits().reshape((*before, inner, outer, rest, *after))
        return [Piece(target, beside, golden.swapaxes(len(before), len(before) + 1))]

    numbers: dict[str, Number] = {
        "axes": list(range(first, last)),
        "outer": outer,
        "inner": inner,
        "rest": rest,
    }
    parameters: dict[str, Parameter] = {"outer": outer, "inner": inner, "rest": rest, "axis": first}
    kind = "two" if last - first > 1 else "one" if rest > 1 else "elements"
    message = Message(f"pattern.interleave.{kind}", parameters | {"next": last - 1})
    return Arrangement(PatternName.INTERLEAVE, message, numbers, sources, pieces)
