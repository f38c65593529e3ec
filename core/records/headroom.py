"""How much room the values of a run leave in a narrower number format: what would happen in fp16."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from core.errors import Problem
from core.messages import Message
from core.records.columns import ABSENT, Float64, Int16, Int32, Int64, Table, UInt8, column
from core.records.run import CellKey

UInt32 = NDArray[np.uint32]

FIRST_EXPONENT, LAST_EXPONENT = -64, 127
"""Exponents of the first and the last bin of a histogram. The first bin holds all smaller ones too, the last
all larger ones; zeros, NaN and infinities are in none."""
BINS = LAST_EXPONENT - FIRST_EXPONENT + 1
NO_EXPONENT = np.iinfo(np.int16).min
"""Stands where a row has no exponent: nothing is known, or all is zero."""


class Role(IntEnum):
    """What the values of a row are."""

    OUTPUT = 0
    PARAMETER = 1
    GRADIENT = 2
    """Outputs of backward calls and gradients of parameters."""
    INPUT = 3
    """Inputs that no output in the dump accounts for."""


class Answer(IntEnum):
    """How many elements something happens to, as far as it can be told."""

    UNKNOWN = 0
    NONE = 1
    SOME = 2
    """At least one, and not all or perhaps all."""
    ALL = 3
    """All that are finite and not zero."""


@dataclass(frozen=True)
class HeadroomTable(Table):
    """One row a slot of floating point numbers, in execution order. Counts are -1 where not known."""

    operator: Int32 = column(np.int32)
    slot: Int32 = column(np.int32)
    direction: UInt8 = column(np.uint8)
    """:class:`core.records.names.Direction` of the call."""
    role: UInt8 = column(np.uint8)
    """:class:`Role`."""
    evidence: UInt8 = column(np.uint8)
    """:class:`core.records.result.Evidence`: FULL all elements were read, STATISTICS the record's four
    numbers, NONE nothing is known."""
    special: UInt8 = column(np.uint8)
    """:class:`core.records.overflow.Special`: what the slot holds already beside finite numbers."""
    count: Int64 = column(np.int64, default=ABSENT)
    """Elements."""
    peak: Float64 = column(np.float64, default=np.nan)
    """Largest finite magnitude, NaN where not known."""
    top: Int16 = column(np.int16, default=NO_EXPONENT)
    """floor(log2(peak)), :data:`NO_EXPONENT` where there is none."""
    rms: Float64 = column(np.float64, default=np.nan)
    """log2 of the root mean square of the finite elements; NaN where not known, -inf where all are zero."""
    headroom: Float64 = column(np.float64, default=np.nan)
    """Bits up to the largest number of the format, log2(maximum / peak); negative means overflow."""
    overflow: UInt8 = column(np.uint8)
    """:class:`Answer` for finite elements that the format rounds to infinity."""
    vanishing: UInt8 = column(np.uint8)
    """:class:`Answer` for nonzero elements that the format rounds to zero."""
    subnormal: UInt8 = column(np.uint8)
    """:class:`Answer` for elements that become subnormal numbers of the format."""
    overflow_count: Int64 = column(np.int64, default=ABSENT)
    vanishing_count: Int64 = column(np.int64, default=ABSENT)
    subnormal_count: Int64 = column(np.int64, default=ABSENT)
    overflow_at_most: Float64 = column(np.float64, default=np.nan)
    """Upper bound of the share of elements that overflow; the share itself where it is known."""
    zeros: Int64 = column(np.int64, default=ABSENT)
    nan: Int64 = column(np.int64, default=ABSENT)
    infinite: Int64 = column(np.int64, default=ABSENT)
    histogram: Int32 = column(np.int32, default=ABSENT)
    """Row of :attr:`Headroom.histograms`, where all elements were read."""

    def share(self, counts: Int64) -> Float64:
        """Return *counts*, a column of this table, as shares of all elements; NaN where not known."""
        known = (counts >= 0) & (self.count > 0)
        return np.where(known, counts / np.maximum(self.count, 1), np.nan)


@dataclass(frozen=True)
class GradientExponents:
    """All gradients of a cell that were read, by exponent; bins as in :attr:`Headroom.histograms`."""

    exponents: Int64
    powers: Int64
    """Those of ``exponents`` that are a power of two: a tie when they are rounded to zero."""
    late: Int64
    """Those of ``exponents`` that the format would round up to the next power of two as subnormal numbers."""
    slots: int
    """Slots that hold gradients."""
    read: int
    """Of these, how many were read element by element."""


@dataclass(frozen=True, slots=True)
class LargestGradient:
    """The largest finite gradient of a cell."""

    key: CellKey
    operator: str
    slot: str
    magnitude: float


@dataclass(frozen=True)
class Headroom:
    """What would happen to the values of one cell in another number format."""

    key: CellKey
    format: str
    """Name of the format asked about, see :data:`core.dtypes.DTYPES`."""
    operators: int
    """How many calls the dump has."""
    rows: HeadroomTable
    histograms: UInt32
    """Elements by exponent, one row for each row with ``histogram``, :data:`BINS` columns."""
    gradients: GradientExponents
    loss_gradient: float
    """The gradient that reaches the loss function, which is the loss scale in force (divided by the number of
    accumulated micro-steps); NaN where the dump does not have it."""
    largest_gradient: LargestGradient | None
    """``None`` where no gradient is known."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Losses:
    """How many nonzero finite gradient elements a format loses at one loss scale."""

    vanishing: int
    """Rounded to zero."""
    subnormal: int
    """Kept with fewer bits."""
    nonzero: int
    """Of how many."""

    @property
    def vanishing_share(self) -> float:
        """Share that is rounded to zero."""
        return self.vanishing / self.nonzero if self.nonzero else 0.0

    @property
    def subnormal_share(self) -> float:
        """Share that becomes subnormal."""
        return self.subnormal / self.nonzero if self.nonzero else 0.0


@dataclass(frozen=True)
class LossScale:
    """A static loss scale for the gradients of some cells, relative to the gradients as recorded."""

    format: str
    exponent: int | None
    """log2 of the scale; ``None`` where no gradient is known."""
    largest: LargestGradient | None
    """The largest finite gradient of all cells; ``None`` where none is known."""
    slots: int
    """Gradient slots of all cells."""
    known: int
    """Of these, how many have a known largest magnitude."""
    read: int
    """Of these, how many were read element by element: what the losses are over."""
    at_one: Losses | None
    """What the format loses of the gradients as recorded; ``None`` where none was read."""
    at_scale: Losses | None
    loss_gradient: float
    """The largest gradient that reached a loss function; NaN where no dump has it."""
    remarks: tuple[Message, ...] = ()

    @property
    def peak(self) -> float:
        """Magnitude of the largest finite gradient, NaN where none is known."""
        return self.largest.magnitude if self.largest is not None else float("nan")

    @property
    def scale(self) -> float:
        """The scale, NaN where there is none."""
        return float("nan") if self.exponent is None else 2.0**self.exponent


@dataclass(frozen=True)
class ExponentPicture:
    """Exponents over the execution order, ready to be drawn."""

    shares: NDArray[np.float32]
    """Bins x columns: the largest share of elements that any row of the column has in a bin."""
    first: Int32
    """First operator row of each column."""
    last: Int32
    """Last operator row of each column; columns do not overlap."""
    evidence: UInt8
    """Best evidence in each column: below FULL the span from rms to the largest magnitude is filled."""
