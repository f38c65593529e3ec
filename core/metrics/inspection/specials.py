"""The next NaN or Inf of a tensor, straight from its bits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.inspection.overwriting import of_one_state
from core.metrics.inspection.sources import PairSources, open_pair
from core.metrics.pictures.extremes import MINUS_INF, NAN, PLUS_INF, special_bits
from core.metrics.pictures.kinds import Part
from core.metrics.pictures.parts import part_of
from core.metrics.pictures.plane import Place
from core.progress import Progress, Work

_CHUNK = 256 * 1024
"""Elements searched at once; they fit the second-level cache."""

_BREATH = 0.02
"""Seconds of work between two yields."""


class Special(StrEnum):
    """A special value that can be looked for."""

    NAN = "nan"
    PLUS_INF = "plus_inf"
    MINUS_INF = "minus_inf"


_MARKS = {Special.NAN: NAN, Special.PLUS_INF: PLUS_INF, Special.MINUS_INF: MINUS_INF}


@of_one_state
def next_special(
    sources: PairSources,
    side: Literal["target", "golden"],
    special: Special,
    after: Place | None = None,
    forward: bool = True,
) -> Work[Place | None]:
    """Return where the next *special* value of one *side* stands, in C order; ``None`` if it has none.

    Begins behind *after* (``None``: with the first element, or the last), goes back where not *forward*,
    and goes on from the other end until it is back at *after*. A complex number counts by its magnitude.
    """
    pair = open_pair(sources)
    handle = pair.target if side == "target" else pair.golden
    if handle is None or not handle.size or handle.stored.kind not in (Kind.FLOAT, Kind.COMPLEX):
        return None
    start = 0 if forward else handle.size
    if after is not None and len(after) == len(handle.shape):
        start = int(np.ravel_multi_index(after, handle.shape, mode="clip")) + (1 if forward else 0)
    searched, breath = 0, time.perf_counter()
    marks = _marks(handle, special)
    for first, last in _spans(start, handle.size, forward):
        found = np.flatnonzero(marks(first, last))
        if found.size:
            at = first + int(found[0] if forward else found[-1])
            return tuple(int(index) for index in np.unravel_index(at, handle.shape))
        searched += last - first
        if time.perf_counter() - breath >= _BREATH:
            yield Progress(searched, handle.size, Message("progress.special_values"))
            breath = time.perf_counter()
    return None


def _spans(start: int, size: int, forward: bool) -> Iterator[tuple[int, int]]:
    """Yield spans of elements from *start* on, and round to it again."""
    if forward:
        for begin, end in ((start, size), (0, start)):
            for first in range(begin, end, _CHUNK):
                yield first, min(first + _CHUNK, end)
    else:
        for begin, end in ((0, start), (start, size)):
            for last in range(end, begin, -_CHUNK):
                yield max(last - _CHUNK, begin), last


def _marks(handle: TensorHandle, special: Special) -> Callable[[int, int], NDArray[np.bool_]]:
    """Return a function that says which elements of a span are *special*."""
    if handle.plain and handle.storage.isnative and handle.stored.kind is Kind.FLOAT:
        return lambda first, last: special_bits(handle.flat_bits(first, last), handle.stored, _MARKS[special])
    test: Any = {Special.NAN: np.isnan, Special.PLUS_INF: np.isposinf, Special.MINUS_INF: np.isneginf}[
        special
    ]
    return lambda first, last: test(part_of(handle.flat(first, last), Part.MAGNITUDE))
