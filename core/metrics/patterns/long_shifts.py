"""Shifts of a dimension that is too long for sums of each index: a piece of the target is looked for."""

from __future__ import annotations

import numpy as np

from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import CHUNK
from core.metrics.patterns.pair import Pair, Values
from core.progress import Work

_PIECE = 32
"""Neighbouring elements that are looked for."""
_DIFFERING = 0.25
"""Least share of elements that differ where all have moved; the others are zeros and repetitions."""
_PROPOSED = 3
"""Most places that are tried."""


def long_shifts(pair: Pair, evidence: Evidence) -> Work[list[int]]:
    """Return by how much the last dimension may be shifted, where the sums along it are not known."""
    if not pair.shape or evidence.axes[-1] is not None or evidence.bad < _DIFFERING * pair.size:
        return []
    start, piece = _piece(pair)
    if start < 0:
        return []
    row, column = divmod(start, pair.columns)
    found: list[int] = []
    for left in range(0, pair.columns, CHUNK):
        first = row * pair.columns + left
        stop = min(first + CHUNK + _PIECE - 1, (row + 1) * pair.columns)
        golden = pair.raw(first, stop)[1].astype(piece.dtype)
        found += [(column - left - at) % pair.columns for at in _places_of(pair, piece, golden)]
        yield pair.progress(left)
    return [by for by in found if by][:_PROPOSED]


def _piece(pair: Pair) -> tuple[int, Values]:
    """Return where the piece starts whose elements differ most often, in C order, and its values; or -1."""
    sample = pair.sample
    number = sample.flat.size // _PIECE
    flat, t, g = (
        side[: number * _PIECE].reshape(number, _PIECE) for side in (sample.flat, sample.t, sample.g)
    )
    there = np.isfinite(t).all(axis=1) & (flat[:, -1] - flat[:, 0] == _PIECE - 1)
    there &= flat[:, 0] // pair.columns == flat[:, -1] // pair.columns
    differing = np.where(there, (np.abs(t - g) > pair.tolerance(g)).sum(axis=1), -1)
    best = int(differing.argmax())
    return (int(flat[best, 0]), t[best]) if differing[best] > 0 else (-1, t[best])


def _places_of(pair: Pair, piece: Values, golden: Values) -> list[int]:
    """Return where *golden* holds *piece* to within noise; its largest, rarest elements come first."""
    at = np.arange(max(golden.size - _PIECE + 1, 0))
    tolerance = pair.tolerance(piece)
    for element in np.argsort(-np.abs(piece), kind="stable"):
        at = at[np.abs(golden[at + element] - piece[element]) <= tolerance[element]]
    return [int(place) for place in at[:_PROPOSED]]
