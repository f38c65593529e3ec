"""The slices of an axis in another order: "same rows, other order"."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import numpy as np
from numpy.typing import NDArray

from core.formats.tensors.handle import TensorHandle
from core.messages import Message, Parameter
from core.metrics.patterns.arrangement import Arrangement, Index, Piece, everywhere, numbers_of
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import CHUNK, FEW, MARKS
from core.metrics.patterns.pair import Pair, Values
from core.metrics.patterns.pattern import Mark, Number, PatternName
from core.metrics.patterns.places import word_of

_NEAR = 2
_FAR = 16
"""How many ranks off the slice is looked for that agrees best: rounding alone moves sums by some."""
_LOOKED_AT = 8
"""Elements of each slice by which that is judged."""
_REFINED = 1 << 14
"""Longest axis on which that is done; of a longer one the sums must tell the slices apart."""


def permutations(pair: Pair, evidence: Evidence, chance: float) -> Iterator[Arrangement]:
    """Yield the order of each axis in which its sums of squares agree; *chance* weighs how many there are."""
    for axis, sums in enumerate(evidence.axes):
        if sums is None or pair.shape[axis] < 2 or pair.length(axis) < 2:
            continue
        moved = np.empty(pair.shape[axis], np.int64)
        moved[np.argsort(sums.tt, kind="stable")] = np.argsort(sums.gg, kind="stable")
        if not np.isclose(sums.tt, sums.gg[moved], rtol=0.02).all():
            continue
        if len(moved) <= _REFINED:
            moved = _refined(pair, axis, moved, np.argsort(sums.gg, kind="stable"))
        if np.array_equal(moved, np.arange(len(moved))):
            continue
        # Equal sums stay where they are: slices that nothing tells apart have no order.
        still = sums.tt == sums.gg
        if still.any() and len(np.unique(sums.gg[still])) == int(still.sum()):
            moved = np.where(still, np.arange(len(moved)), moved)
        if len(np.unique(moved)) == len(moved):
            yield _permutation(pair, axis, moved, chance)


def _refined(pair: Pair, axis: int, moved: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each index the slice that agrees best, among those with the nearest sums: sums may tie.

    *order* sorts the golden's slices by their sums. A few elements of each slice are compared.
    """
    length = len(moved)
    others = [n for k, n in enumerate(pair.shape) if k != axis]
    random = np.random.default_rng(length)
    at = [random.integers(0, n, (1, _LOOKED_AT)) for n in others]
    rank = np.empty(length, np.int64)
    rank[order] = np.arange(length)

    def elements(handle: TensorHandle, slices: NDArray[np.int64]) -> Values:
        index = [*at[:axis], slices[:, None], *at[axis:]]
        return numbers_of(handle, handle.bits()[tuple(index)], pair)

    best, most = moved, np.full(length, -1)
    t = elements(pair.target, np.arange(length))
    for step in sorted(range(-_FAR, _FAR + 1), key=abs):
        if most.min() == _LOOKED_AT or (
            abs(step) > _NEAR and 8 * np.count_nonzero(most == _LOOKED_AT) < length
        ):
            break  # all found, or two tensors that have nothing to do with each other
        source = order[np.clip(rank[moved] + step, 0, length - 1)]
        g = elements(pair.golden, source)
        agreeing = np.count_nonzero(np.abs(t - g) <= pair.tolerance(g), axis=1)
        best, most = np.where(agreeing > most, source, best), np.maximum(most, agreeing)
    return best if len(np.unique(best)) == length else moved


def _permutation(pair: Pair, axis: int, moved: NDArray[np.int64], chance: float) -> Arrangement:
    length = len(moved)

    def sources(index: Index) -> tuple[Index, NDArray[np.bool_], int]:
        return (*index[:axis], moved[index[axis]], *index[axis + 1 :]), everywhere(index), 1

    starts = np.flatnonzero(np.concatenate([[True], np.diff(moved) != 1]))
    stops = np.concatenate([starts[1:], [length]])

    def pieces() -> Iterator[Piece]:
        height = max(CHUNK // pair.length(axis), 1)
        for start in range(0, length, height):
            yield _piece(pair, axis, start, moved[start : start + height])

    elsewhere = np.flatnonzero(moved != np.arange(length))
    block = int((stops - starts).min())
    numbers: dict[str, Number] = {
        "axis": axis, "moved": int(elsewhere.size), "length": length, "block": block,
        "from": moved[:MARKS].tolist(), "indices": elsewhere[:MARKS].tolist(),
    }  # fmt: skip
    listed = _listed(starts, stops, moved)
    parameters: dict[str, Parameter] = {
        "moved": int(elsewhere.size), "length": length, "axis": axis, "block": block, "listed": listed,
    }  # fmt: skip
    choices = int(np.ceil(length * log2(length) / -log2(min(chance, 0.99))))
    marks = tuple(
        Mark(box=tuple((at, at + 1) if k == axis else (0, n) for k, n in enumerate(pair.shape)))
        for at in elsewhere[:MARKS].tolist()
    )
    message = Message(f"pattern.permutation.{word_of(pair, axis)}", parameters)
    return Arrangement(PatternName.PERMUTATION, message, numbers, sources, pieces, choices, marks)


def _piece(pair: Pair, axis: int, start: int, sources: NDArray[np.int64]) -> Piece:
    """Return the slices from *start* on, and where they come from: a copy of few, a view of a single one."""
    before = (slice(None),) * axis
    here = (*before, slice(start, start + len(sources)))
    first = int(sources[0])
    there = (*before, slice(first, first + 1) if len(sources) == 1 else sources)
    golden = pair.golden.bits()
    return Piece(pair.target.bits()[here], golden[here], golden[there])


def _listed(starts: NDArray[np.int64], stops: NDArray[np.int64], moved: NDArray[np.int64]) -> str:
    """Return the first runs that moved, as ``0…63 ← 64…127``."""
    runs = [(int(a), int(b), int(moved[a])) for a, b in zip(starts, stops) if moved[a] != a]
    words = [
        f"{a} ← {source}" if b - a == 1 else f"{a}…{b - 1} ← {source}…{source + b - a - 1}"
        for a, b, source in runs[:FEW]
    ]
    return ", ".join(words) + (" …" if len(runs) > FEW else "")
