"""Rolled, shifted and reversed axes, and halves swapped as rotary embeddings do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.messages import Message, Parameter
from core.metrics.patterns.arrangement import Arrangement, Bits, Index, Piece, everywhere
from core.metrics.patterns.evidence import AxisSums, Evidence
from core.metrics.patterns.pair import Pair
from core.metrics.patterns.pattern import Mark, Number, PatternName
from core.metrics.patterns.places import word_of

_USUAL = (1, 2, 3, 4)
_VOTES = 3
"""Most shifts that the sums of squares along an axis may propose."""


def shifts(pair: Pair, evidence: Evidence, searched: list[int]) -> Iterator[Arrangement]:
    """Yield cyclic rolls of each axis, then shifts where other values come in at one end.

    *searched*: shifts of the last axis that were found in another way.
    """
    proposals = [(pair.axes - 1, by) for by in searched]
    proposals += [
        (axis, by) for axis in range(pair.axes) for by in _proposals(pair, axis, evidence.axes[axis])
    ]
    for axis, by in proposals:
        yield _roll(pair, axis, by % pair.shape[axis])
    for axis, by in proposals:
        for signed in {by, by - pair.shape[axis] if by > 0 else by + pair.shape[axis]}:
            if 2 * abs(signed) < pair.shape[axis]:
                yield _shift(pair, axis, signed)


def reversals(pair: Pair) -> Iterator[Arrangement]:
    """Yield each axis read backwards."""
    for axis, length in enumerate(pair.shape):
        if length > 1:
            yield _reversal(pair, axis)


def _reversal(pair: Pair, axis: int) -> Arrangement:
    last = pair.shape[axis] - 1

    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], int]:
        return _replaced(index, axis, last - index[axis]), everywhere(index), 1

    def pieces() -> list[Piece]:
        golden = pair.golden.bits()
        return [Piece(pair.target.bits(), golden, np.flip(golden, axis))]

    message = Message(f"pattern.reversed.{word_of(pair, axis)}", {"axis": axis})
    return Arrangement(PatternName.REVERSED, message, {"axis": axis}, sources, pieces)


def swapped_halves(pair: Pair) -> Iterator[Arrangement]:
    """Yield the halves of each axis swapped, as they are and with one of them negated."""
    for axis in range(pair.axes - 1, -1, -1):
        length = pair.shape[axis]
        if length % 2 or not length:
            continue
        for first, second in ((1, 1), (-1, 1), (1, -1)):
            plain = first == second
            # Two indices that are swapped are reversed; only a sign makes them halves.
            if (plain and length < 4) or (pair.exact and not plain):
                continue
            yield _halves(pair, axis, first, second)


def _halves(pair: Pair, axis: int, first: int, second: int) -> Arrangement:
    half = pair.shape[axis] // 2

    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], NDArray[np.int64]]:
        at = index[axis]
        return (
            _replaced(index, axis, (at + half) % (2 * half)),
            everywhere(index),
            np.where(at < half, first, second),
        )

    def pieces() -> list[Piece]:
        low, high = _part(axis, 0, half), _part(axis, half, 2 * half)
        t, g = pair.target.bits(), pair.golden.bits()
        return [Piece(t[low], g[low], g[high], first), Piece(t[high], g[high], g[low], second)]

    negated = "plain" if first == second else "first" if first < 0 else "second"
    numbers: dict[str, Number] = {"axis": axis, "length": 2 * half, "negated": negated}
    message = Message(f"pattern.swapped_halves.{negated}", {"axis": axis, "half": half})
    return Arrangement(PatternName.SWAPPED_HALVES, message, numbers, sources, pieces)


def _proposals(pair: Pair, axis: int, sums: AxisSums | None) -> list[int]:
    length = pair.shape[axis]
    if length < 2:
        return []
    found = [by for size in _USUAL for by in (size, -size) if size < length]
    if sums is not None and length > 2:
        found += _voted(sums)
    return list(dict.fromkeys(by % length for by in found if by % length))


def _voted(sums: AxisSums) -> list[int]:
    """Return the shifts at which most indices of the target find their own sum of squares in the golden."""
    order = np.argsort(sums.gg, kind="stable")
    known = sums.gg[order]
    near = np.clip(np.searchsorted(known, sums.tt), 0, len(known) - 1)
    before = np.maximum(near - 1, 0)
    near = np.where(np.abs(known[before] - sums.tt) < np.abs(known[near] - sums.tt), before, near)
    by = (np.arange(len(known)) - order[near]) % len(known)
    votes = np.bincount(by, minlength=len(known))
    return [int(at) for at in np.argsort(votes)[::-1][:_VOTES] if votes[at] > 1]


def _roll(pair: Pair, axis: int, by: int) -> Arrangement:
    length = pair.shape[axis]

    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], int]:
        return _replaced(index, axis, (index[axis] - by) % length), everywhere(index), 1

    def pieces() -> list[Piece]:
        return [_moved(pair, axis, by), _moved(pair, axis, by - length)]

    signed = by if 2 * by <= length else by - length
    numbers: dict[str, Number] = {"axis": axis, "shift": signed, "length": length}
    message = Message(f"pattern.roll.{word_of(pair, axis)}", {"shift": signed, "axis": axis})
    return Arrangement(PatternName.ROLL, message, numbers, sources, pieces)


def _shift(pair: Pair, axis: int, by: int) -> Arrangement:
    length = pair.shape[axis]

    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], int]:
        at = index[axis] - by
        return _replaced(index, axis, np.clip(at, 0, length - 1)), (at >= 0) & (at < length), 1

    start, stop = (0, by) if by > 0 else (length + by, length)
    box = tuple((start, stop) if k == axis else (0, size) for k, size in enumerate(pair.shape))
    numbers: dict[str, Number] = {"axis": axis, "shift": by, "length": length, "other_values": [start, stop]}
    parameters: dict[str, Parameter] = {"shift": by, "axis": axis, "where": _words(start, stop)}
    message = Message(f"pattern.shift.{word_of(pair, axis)}", parameters)
    return Arrangement(
        PatternName.SHIFT, message, numbers, sources, lambda: [_moved(pair, axis, by)], marks=(Mark(box=box),)
    )


def _moved(pair: Pair, axis: int, by: int) -> Piece:
    """Return the part of the target that the golden reaches when it is moved *by* indices of *axis*."""
    length = pair.shape[axis]
    here = _part(axis, max(by, 0), min(length, length + by))
    there = _part(axis, max(-by, 0), min(length, length - by))
    golden: Bits = pair.golden.bits()
    return Piece(pair.target.bits()[here], golden[here], golden[there])


def _part(axis: int, start: int, stop: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, stop))


def _replaced(index: Index, axis: int, values: NDArray[np.int64]) -> Index:
    return (*index[:axis], values, *index[axis + 1 :])


def _words(start: int, stop: int) -> str:
    return f"{start}" if stop - start == 1 else f"{start} … {stop - 1}"
