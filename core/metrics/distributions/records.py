"""What distributions of a pair's elements are, as arrays that a plot draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import nan

import numpy as np
from numpy.typing import NDArray

from core.metrics.pictures.plane import Shape

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


class Bins(StrEnum):
    """How the bins of values are spaced."""

    LINEAR = "linear"
    SYMLOG = "symlog"
    """By magnitude on a log axis, both signs, with one linear bin around zero."""


@dataclass(frozen=True, slots=True)
class SpecialCounts:
    """How many elements of a side no bin can hold."""

    nan: int = 0
    plus_inf: int = 0
    minus_inf: int = 0
    """A complex number with an infinite part counts as +Inf."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Finite values of both sides, of complex ones the magnitudes, in bins ``[edges[i], edges[i + 1])``.

    Every finite element lies in a bin. ``target`` and ``golden`` (int64, n) are ``None`` where the side is
    missing.
    """

    edges: Float64
    target: Int64 | None
    golden: Int64 | None
    target_special: SpecialCounts = SpecialCounts()
    golden_special: SpecialCounts = SpecialCounts()
    threshold: float = 0.0
    """Of :attr:`Bins.SYMLOG`: half the width of the bin around zero, where the axis is linear."""
    lowest: float = nan
    highest: float = nan
    """The smallest and the largest finite value of both sides; NaN where there is none."""


@dataclass(frozen=True, slots=True)
class Exponents:
    """Finite nonzero elements by ``floor(log2(|x|)) = first + i``, subnormal numbers included."""

    first: int
    target: Int64 | None
    golden: Int64 | None
    target_zeros: int = 0
    golden_zeros: int = 0


@dataclass(frozen=True, slots=True)
class UlpHistogram:
    """|target − golden| in units in the last place of *dtype*, the coarser one, at the golden's magnitude.

    ``counts[i]`` (int64) lie in ``(edges[i], edges[i + 1]]``: 0 to 0.5, to 1, to 2, to 4 ...; a rounding of
    one unit is in the bar that ends at 1. ``special`` are NaN or infinite on a side; ``equal`` are the others
    without a difference.
    """

    edges: Float64
    counts: Int64
    equal: int
    special: int
    dtype: str
    quantiles: dict[float, float] = field(default_factory=dict)
    """Per cent of the finite pairs: the error that these do not exceed, to 1/128 of itself, rounded up."""
    within_one: float = 0.0
    """Share of the finite pairs with at most one unit; NaN if there are none."""


@dataclass(frozen=True, slots=True)
class Scatter:
    """How often a golden value (x) met a target value (y): ``density[y, x]`` (uint32), finite pairs only."""

    x_edges: Float64
    y_edges: Float64
    density: NDArray[np.uint32]
    bins: Bins = Bins.LINEAR


@dataclass(frozen=True, slots=True)
class AxisProfile:
    """The difference along one axis: indices ``starts[i]`` to ``stops[i]`` (excluded) taken together.

    Maxima and means are of finite pairs, NaN where a group has none. ULP as in :class:`UlpHistogram`, 0 for
    exact formats.
    """

    axis: int
    starts: Int64
    stops: Int64
    max_abs: Float64
    mean_abs: Float64
    max_ulp: Float64
    target_special: Int64
    golden_special: Int64


@dataclass(frozen=True, slots=True)
class Counted:
    """All distributions of some elements."""

    values: Histogram
    exponents: Exponents
    ulps: UlpHistogram | None = None
    scatter: Scatter | None = None
    profiles: tuple[AxisProfile, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Which elements a bar or a cell of a plot holds; a value is in if it is in ``[low, high)``.

    *side* is ``"target"``, ``"golden"``, ``"both"`` (the target in ``[low, high)`` and the golden in ``[low2,
    high2)``) or ``"ulps"`` (errors in ``(low, high]``; 0 to 0 are the equal elements). *magnitude* takes the
    values without their signs, as bars of exponents do. The largest float64 as an upper end belongs to the
    range.
    """

    side: str
    low: float
    high: float
    low2: float = 0.0
    high2: float = 0.0
    after: Shape | None = None
    """The place from which on to look, itself excluded; the search goes round."""
    magnitude: bool = False
