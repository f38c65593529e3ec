"""What tier 1 knows of two tensors: the numbers a verdict rests on."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan


@dataclass(frozen=True, slots=True)
class TensorMetrics:
    """All numbers of one pair; the first sixteen are the columns of the same name of a result's rows.

    Over the elements that are finite on both sides, except ``count``, ``equal_count`` and
    ``class_counts``. Indices are flat in C order. NaN and -1 where a number is not defined.
    """

    cosine: float = nan
    """Clamped to [-1, 1]; exactly 1 where nothing differs, NaN when only one side is all zeros."""
    max_abs: float = nan
    max_abs_index: int = -1
    rmse: float = nan
    mae: float = nan
    euclidean: float = nan
    relative_l2: float = nan
    """|target - golden| / |golden|; 0 when nothing differs, NaN when only the golden norm is 0."""
    max_rel: float = nan
    """Largest |difference| / |golden| where golden is not 0; 0 where nothing differs."""
    max_rel_index: int = -1
    share_below_1e3: float = nan
    share_below_5e3: float = nan
    sign_flips: int = -1
    target_zeros: int = -1
    golden_zeros: int = -1
    equal_count: int = -1
    """Equal as values; special values of the same class count as equal."""
    count: int = -1
    """Elements compared, special values included; -1 when the shapes do not allow it."""

    class_counts: tuple[int, ...] = (0,) * 16
    """Target class × 4 + golden class, see :data:`core.records.result.CLASSES`."""
    saturated: int = 0
    """Places where the golden is infinite and the target is the largest number of a format."""
    target_norm: float = nan
    golden_norm: float = nan
    target_max_abs: float = nan
    golden_max_abs: float = nan
    difference_mean: float = nan
    """Mean of target - golden, signed."""
    difference_cosine: float = nan
    """Cosine between target - golden and golden: near 0 for independent noise, ±1 for a wrong scale."""
    first_different_index: int = -1
    identical_bytes: bool = False
    max_abs_exact: int | None = None
    """``max_abs`` of integers, without rounding."""
    target_grid: str = ""
    """``bfloat16`` or ``float16`` when every element of a wider format sits on that format's grid."""
    golden_grid: str = ""

    @property
    def finite_count(self) -> int:
        """Elements that are finite on both sides."""
        return self.class_counts[0]

    @property
    def different_count(self) -> int:
        """Elements that are not equal."""
        return self.count - self.equal_count
