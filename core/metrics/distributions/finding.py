"""From a bar, a cell or a point of a plot back to an element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import coarser
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.distributions.magnitudes import values_for_exponent
from core.metrics.distributions.records import ValueRange
from core.metrics.elements.blocks import Area, Box, Reader, Ticker
from core.metrics.elements.differences import real_values, signed_differences, ulp_sizes
from core.metrics.elements.records import By
from core.metrics.elements.worst import Judge
from core.metrics.handle_pair import HandlePair
from core.metrics.pictures.plane import Plane, Region, Shape
from core.progress import Work

_LARGEST = float(np.finfo(np.float64).max)

Inside = Callable[[Box], NDArray[np.bool_]]


def find_in_range(
    pair: HandlePair, what: ValueRange, plane: Plane | None = None, rectangle: Region | None = None
) -> Work[Shape | None]:
    """Return the place of the next element in *what*, in C order from ``what.after`` on, going round.

    ``None`` if there is none, or where a side that it asks for cannot be read.
    """
    handles = _asked(pair, what.side)
    if handles is None:
        return None
    area = Area(handles[0].shape, plane, rectangle)
    inside = _test(handles, area, what)
    start = area.position(what.after) if what.after is not None else None
    after = -1 if start is None else start
    ticker = Ticker(area.size, Message("progress.finding"))
    done = 0
    for box, later in _going_round(area, after):
        at = np.flatnonzero(inside(box)) + box.start
        at = at[at > after] if later else at[at <= after]
        if at.size:
            return area.place(int(at[0]))
        done += box.stop - box.start
        yield from ticker.progress(done)
    return None


def _going_round(area: Area, after: int) -> Iterator[tuple[Box, bool]]:
    """Yield the boxes with positions after *after*, with True, then those up to it, with False."""
    behind = ((box, True) for box in area.boxes() if box.stop > after + 1)
    before = ((box, False) for box in area.boxes() if box.start <= after)
    return chain(behind, before)


def _asked(pair: HandlePair, side: str) -> list[TensorHandle] | None:
    if side in ("target", "golden"):
        handle = pair.target if side == "target" else pair.golden
        return [handle] if handle is not None else None
    return list(pair.both) if pair.both is not None else None


def _test(handles: list[TensorHandle], area: Area, what: ValueRange) -> Inside:
    readers = [Reader(handle, area) for handle in handles]
    if what.side != "ulps":
        ranges = [(what.low, what.high), (what.low2, what.high2)]

        def of_values(box: Box) -> NDArray[np.bool_]:
            masks = [
                _within(reader.numbers(box), *ends, what.magnitude) for reader, ends in zip(readers, ranges)
            ]
            return masks[0] if len(masks) == 1 else masks[0] & masks[1]

        return of_values
    dtype = coarser(handles[0].dtype, handles[1].dtype)

    def of_errors(box: Box) -> NDArray[np.bool_]:
        t, g = (reader.numbers(box) for reader in readers)
        if not dtype.precision:
            return np.zeros(len(t), np.bool_)
        with np.errstate(all="ignore"):
            errors = ulp_sizes(t, g, dtype)
            equal = np.isfinite(errors) & (signed_differences(t, g) == 0)
            if what.low == what.high == 0:
                return np.asarray(equal, np.bool_)
            above = (errors > what.low) if what.low > 0 else ~equal & (errors >= 0)
            return np.asarray(above & (errors <= what.high), np.bool_)

    return of_errors


def _within(numbers: NDArray[Any], low: float, high: float, magnitude: bool) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        values = real_values(numbers)
        if magnitude:
            values = np.abs(values_for_exponent(numbers, values))
        below = values <= high if high >= _LARGEST else values < high
        return np.asarray((values >= low) & below & np.isfinite(values))


def worst_in_group(
    pair: HandlePair,
    axis: int,
    start: int,
    stop: int,
    plane: Plane | None = None,
    rectangle: Region | None = None,
    by: By = By.ABSOLUTE,
) -> Work[Shape | None]:
    """Return the place of the largest difference with an index from *start* up to *stop* along *axis*.

    Special values that are not the same come before all finite differences; of equal ones the first. ``None``
    if nothing differs there.
    """
    if pair.both is None:
        return None
    area = Area(pair.both[0].shape, plane, rectangle)
    extents = [extent for extent, entry in enumerate(area.axes) if entry is not None and entry[0] == axis]
    if not extents:
        return None
    extent = extents[0]
    offset = (area.axes[extent] or (axis, 0))[1]
    judge = Judge(*pair.both, area, by)
    ticker = Ticker(area.size, Message("progress.finding"))
    worst, place = 0, -1
    for box in area.boxes():
        chosen = _chosen(area, box, extent, start - offset, stop - offset)
        found = judge.badness(box) if chosen is not None else None
        if found is not None and chosen is not None:
            found = np.where(chosen[: len(found)], found, np.uint64(0))
            at = int(found.argmax())
            if int(found[at]) > worst:
                worst, place = int(found[at]), box.start + at
        yield from ticker.progress(box.stop)
    return area.place(place) if worst else None


def _chosen(area: Area, box: Box, extent: int, start: int, stop: int) -> NDArray[np.bool_] | None:
    """Return which elements of *box* have an index from *start* up to *stop* along *extent*, if any."""
    if extent < box.axis:
        return np.ones(box.stop - box.start, np.bool_) if start <= box.head[extent] < stop else None
    if extent == box.axis and (box.first >= stop or box.last <= start):
        return None
    inner = prod(area.shape[extent + 1 :])
    indices = np.arange(box.start, box.stop) // inner % area.shape[extent]
    return (indices >= start) & (indices < stop)
