"""What is known of a pair of tensors without its bytes, as a result file keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, coarser
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.metrics.distributions.records import Bins, Counted
from core.metrics.elements.records import By, RegionStatistics
from core.metrics.patterns.pattern import Mark, Pattern, PatternName
from core.metrics.pictures.plane import Plane, Region, Shape
from core.metrics.pictures.reduction import Picture
from core.records.run import CellKey

WHOLE_BYTES = 1 << 20
"""Up to this size of both tensors together all of their bits are kept: less than pictures of them take."""


@dataclass(frozen=True, slots=True)
class KeptSide:
    """One tensor: what it was, and all of its bits where they are few."""

    shape: Shape
    """As its file had it."""
    dtype: str
    stored: str
    bits: NDArray[Any] | None = None
    """All elements in the format ``stored``; ``None`` where there were too many to keep."""

    def handle(self) -> TensorHandle | None:
        """Return the tensor, if all of it is kept."""
        if self.bits is None:
            return None
        return TensorHandle(self.bits.reshape(self.shape), DTYPES[self.stored], dtype=DTYPES[self.dtype])


@dataclass(frozen=True, slots=True)
class KeptPlane:
    """Pictures of one plane, whole; finite values are cut to 12 fraction bits, which no colour shows."""

    plane: Plane
    target: Picture
    golden: Picture
    difference: Picture | None
    """Target − golden; ``None`` where the shapes differ: then the golden is shown whole."""


@dataclass(frozen=True, slots=True)
class KeptCrop:
    """All elements of both sides, exactly, in a box around the largest difference."""

    start: tuple[int, ...]
    """First index of each axis."""
    target: NDArray[Any]
    """Numbers, one axis for each of the tensor's."""
    golden: NDArray[Any]

    def at(self, place: tuple[int, ...]) -> tuple[Any, Any] | None:
        """Return both numbers at *place* of the tensor as numpy scalars, ``None`` outside the box."""
        inside = tuple(at - first for at, first in zip(place, self.start))
        if len(place) != self.target.ndim:
            return None
        if any(not 0 <= at < size for at, size in zip(inside, self.target.shape)):
            return None
        return self.target[inside], self.golden[inside]


@dataclass(frozen=True, slots=True)
class KeptWorst:
    """The worst elements by one measure, the worst first."""

    by: By
    places: NDArray[np.int64]
    """Indices, elements × axes."""
    target: NDArray[Any]
    """Numbers, one an element."""
    golden: NDArray[Any]
    differing: int
    total: int

    def at(self, place: tuple[int, ...]) -> tuple[Any, Any] | None:
        """Return both numbers at *place* as numpy scalars, ``None`` where it is not among these."""
        if len(place) != self.places.shape[1]:
            return None
        found = np.flatnonzero((self.places == np.asarray(place, np.int64)).all(axis=1))
        return (self.target[found[0]], self.golden[found[0]]) if len(found) else None


@dataclass(frozen=True, slots=True)
class KeptDistributions:
    """Distributions of all elements; what is the same for all bins is only in the first."""

    bins: Bins
    counted: Counted


@dataclass(frozen=True, slots=True)
class KeptPattern:
    """A :class:`Pattern` whose numbers are whatever JSON can hold."""

    name: PatternName
    message: Message
    numbers: Mapping[str, Any]
    marks: tuple[Mark, ...]
    share: float

    @classmethod
    def of(cls, pattern: Pattern) -> KeptPattern:
        """Return *pattern* in this form."""
        return cls(pattern.name, pattern.message, pattern.numbers, pattern.marks, pattern.share)

    def pattern(self) -> Pattern:
        """Return it as it was."""
        return Pattern(self.name, self.message, self.numbers, self.marks, self.share)


@dataclass(frozen=True)
class KeptPair:
    """Both tensors of a row. What follows the sides is empty where all of their bits are kept."""

    target: KeptSide
    golden: KeptSide
    planes: tuple[KeptPlane, ...] = ()
    """The whole tensor first, then the last two axes at the largest difference; a line of a 1-d one."""
    crop: KeptCrop | None = None
    worst: tuple[KeptWorst, ...] = ()
    distributions: tuple[KeptDistributions, ...] = ()
    statistics: RegionStatistics | None = None
    """Of all elements."""
    patterns: tuple[KeptPattern, ...] = ()

    @property
    def coarser(self) -> DType | None:
        """The dtype that decides what can be expected of the pair."""
        return coarser(DTYPES[self.target.dtype], DTYPES[self.golden.dtype])

    def is_whole(self, plane: Plane | None, rectangle: Region | None) -> bool:
        """Return whether *rectangle* of *plane* is all of the tensor, as it is where neither is given."""
        if plane is None or not plane.fits(self.target.shape):
            return rectangle is None
        rows, columns = plane.size(self.target.shape)
        everything = not plane.free and rectangle in (None, Region(0, rows, 0, columns))
        return everything

    def element(self, place: tuple[int, ...]) -> tuple[Any, Any] | None:
        """Return both numbers at *place* as numpy scalars, ``None`` where they are not known."""
        for held in (self.crop, *self.worst):
            found = held.at(place) if held is not None else None
            if found is not None:
                return found
        return None

    def counted(self, bins: Bins) -> Counted | None:
        """Return the distributions of all elements with their values in *bins*."""
        if not self.distributions:
            return None
        first = self.distributions[0].counted
        wanted = next((held.counted for held in self.distributions if held.bins is bins), first)
        return replace(first, values=wanted.values, scatter=wanted.scatter)

    def ranked(self, by: By) -> KeptWorst | None:
        """Return the worst elements by one measure."""
        return next((held for held in self.worst if held.by is by), None)


Keep = Callable[[CellKey, int, KeptPair], None]
"""Takes what is to be kept of a row of a cell."""
