"""The elements that differ most, found in one pass with a bar that rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, coarser
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.elements.blocks import Area, Box, Reader, Ticker
from core.metrics.elements.differences import magnitudes, signed_differences, special_classes, ulp_sizes
from core.metrics.elements.records import By
from core.metrics.pictures.plane import Plane, Region, Shape
from core.progress import Work

_INFINITY_BITS = np.uint64(0x7FF0000000000000)
SPECIAL = np.uint64(0xFFFFFFFFFFFFFFFF)
"""Badness of special values that are not the same."""

Badness = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class WorstPlaces:
    """Places of elements that differ, the worst first."""

    places: tuple[Shape, ...]
    differing: int
    total: int


class Judge:
    """Says how bad the elements of a block are, as integers that can be compared; 0 is equal."""

    def __init__(self, target: TensorHandle, golden: TensorHandle, area: Area, by: By) -> None:
        self._readers = Reader(target, area), Reader(golden, area)
        self._same = target.stored is golden.stored and target.plain and golden.plain
        self._by = by
        self._dtype = coarser(target.dtype, golden.dtype)

    def badness(self, box: Box) -> Badness | None:
        """Return the badness of each element of *box*; ``None`` where all bytes are the same."""
        bits_t, bits_g = (reader.bits(box) for reader in self._readers)
        if self._same and np.array_equal(bits_t.view(np.uint8), bits_g.view(np.uint8)):
            return None
        t, g = self._readers[0].handle.numbers(bits_t), self._readers[1].handle.numbers(bits_g)
        return badness(t, g, self._by, self._dtype)


def badness(target: NDArray[Any], golden: NDArray[Any], by: By, dtype: DType) -> Badness:
    """Return integers that order as :class:`By` says: 0 equal, the largest where special values differ.

    The bits of a float64 that is not negative order as it does. *dtype* is the coarser one.
    """
    with np.errstate(all="ignore"):
        sizes = np.abs(signed_differences(target, golden))
        unequal = sizes != 0
        infinite = None
        if by is By.ULP and dtype.precision:
            measured = ulp_sizes(target, golden, dtype)
        elif by is By.RELATIVE:
            golden_sizes = magnitudes(golden)
            infinite = golden_sizes == 0
            measured = np.where(infinite, sizes, sizes / golden_sizes)
        else:
            measured = sizes
        keys: Badness = np.ascontiguousarray(measured).view(np.uint64) + np.uint64(1)
        if infinite is not None and infinite.any():
            keys[infinite] += _INFINITY_BITS + np.uint64(1)
        keys *= unequal
    if not float(sizes.max(initial=0.0)) < np.inf:
        classes_t, classes_g = special_classes(target), special_classes(golden)
        np.copyto(keys, 0, where=(classes_t | classes_g) != 0)
        np.copyto(keys, SPECIAL, where=classes_t != classes_g)
    return keys


def worst_places(
    target: TensorHandle,
    golden: TensorHandle,
    by: By,
    count: int,
    plane: Plane | None = None,
    rectangle: Region | None = None,
) -> Work[WorstPlaces]:
    """Return the *count* worst elements of two tensors of one shape; equally bad ones in C order."""
    area = Area(target.shape, plane, rectangle)
    judge = Judge(target, golden, area, by)
    ticker = Ticker(area.size, Message("progress.worst"))
    best = Best(count)
    differing = 0
    for box in area.boxes():
        found = judge.badness(box)
        if found is not None:
            differing += int(np.count_nonzero(found))
            best.add(found, box.start)
        yield from ticker.progress(box.stop)
    places: list[Shape] = []
    for position in best.positions():
        place = area.place(position)
        if place is not None:
            places.append(place)
        yield from ticker.progress(area.size)
    return WorstPlaces(tuple(places), differing, area.size - area.beyond)


class Best:
    """Keeps the *count* largest numbers of all that it is given, zeros left out; of equal ones the first."""

    def __init__(self, count: int) -> None:
        self._count = max(count, 0)
        self._keys = np.zeros(0, np.uint64)
        self._at = np.zeros(0, np.int64)
        self._bar = np.uint64(0)
        if not self._count:
            self._bar = SPECIAL

    def add(self, keys: Badness, start: int) -> None:
        """Take in *keys* of the positions from *start* on."""
        over = np.flatnonzero(keys > self._bar)
        if not over.size:
            return
        found = keys[over]
        kept = _largest(found, self._count)
        self._keys = np.concatenate([self._keys, found[kept]])
        self._at = np.concatenate([self._at, over[kept] + start])
        if len(self._keys) > 2 * self._count or self._bar == 0:
            self._cut()

    def _cut(self) -> None:
        kept = _largest(self._keys, self._count)
        self._keys, self._at = self._keys[kept], self._at[kept]
        if len(self._keys) == self._count > 0:
            self._bar = self._keys.min()

    def positions(self) -> list[int]:
        """Return the positions, the largest key first."""
        self._cut()
        order = np.argsort(~self._keys, kind="stable")
        return [int(at) for at in self._at[order]]


def _largest(keys: Badness, count: int) -> NDArray[np.intp]:
    """Return where the *count* largest keys are, in their order; of equal ones the first."""
    if len(keys) <= count:
        return np.arange(len(keys))
    least = np.partition(keys, len(keys) - count)[len(keys) - count]
    above = keys > least
    ties = np.flatnonzero(keys == least)[: count - int(np.count_nonzero(above))]
    above[ties] = True
    return np.flatnonzero(above)
