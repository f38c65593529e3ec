"""What is told of the elements of a pair one by one, or of a rectangle of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.metrics.pictures.plane import Shape


class By(StrEnum):
    """What makes one difference worse than another."""

    ABSOLUTE = "absolute"
    """|target − golden|."""
    RELATIVE = "relative"
    """|target − golden| / |golden|. Where only the golden is 0: before all others, by |target|."""
    ULP = "ulp"
    """In ULP of the coarser dtype at the golden's magnitude; of exact formats |target − golden|."""


@dataclass(frozen=True, slots=True)
class SideStatistics:
    """One side of a rectangle. Minimum to norm are of its finite elements, NaN where there are none.

    Of complex numbers, minimum and maximum are magnitudes and the mean is of the magnitudes.
    """

    count: int
    nan: int
    plus_inf: int
    minus_inf: int
    zeros: int
    minimum: float
    maximum: float
    mean: float
    std: float
    """Population standard deviation."""
    norm: float
    at: Shape | None
    """Where the largest finite magnitude is."""


@dataclass(frozen=True, slots=True)
class RegionStatistics:
    """A rectangle on both sides, and their difference on pairs that are finite, NaN where none is.

    ``differing`` counts special values that are not the same, too. The fields of the difference are ``None``
    where there is no pair of elements to subtract.
    """

    target: SideStatistics | None
    golden: SideStatistics | None
    shape: Shape
    """Rows and columns of the rectangle; the dimensions of a whole tensor."""
    max_abs: float | None = None
    mean_abs: float | None = None
    rmse: float | None = None
    relative_l2: float | None = None
    """Norm of the difference by that of the golden; infinite where only the golden's is 0."""
    cosine: float | None = None
    max_ulp: float | None = None
    """``None`` for exact formats too."""
    differing: int | None = None
    special: int | None = None
    """How many of ``differing`` are NaN or infinite on a side: the other fields know nothing of them."""


@dataclass(frozen=True, slots=True)
class ValueWindow:
    """Exact numbers of a small part of a plane, two-dimensional; ``None`` where a side has none.

    ``inside`` (bool) is False beyond the end of a folded tensor. Integers stay integers; the difference of
    64-bit ones is exact (dtype object where it does not fit).
    """

    rows: range
    columns: range
    target: NDArray[Any] | None
    golden: NDArray[Any] | None
    difference: NDArray[Any] | None
    inside: NDArray[np.bool_]
    target_dtype: str = ""
    golden_dtype: str = ""
    golden_inside: NDArray[np.bool_] | None = None
    """Of a golden of another shape: where it has an element of the same index; ``None`` of the same shape."""
