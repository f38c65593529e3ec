"""A named shape of the difference between two tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.messages import Message

Number = bool | int | float | str | None | list[int] | list[float] | list[list[int]]
"""What JSON can hold."""


class PatternName(StrEnum):
    """What a pattern is called in reports and scripts."""

    CONSTANT_RATIO = "constant_ratio"
    CONSTANT_OFFSET = "constant_offset"
    SIGN_FLIP = "sign_flip"
    ROW_FACTOR = "row_factor"
    COLUMN_FACTOR = "column_factor"
    ROW_COLUMN_FACTOR = "row_column_factor"
    AXIS_FACTOR = "axis_factor"

    INVERTED_MASK = "inverted_mask"
    MASK_FLIPS = "mask_flips"
    CONJUGATE = "conjugate"

    TRANSPOSE = "transpose"
    RESHAPE = "reshape"
    ROLL = "roll"
    SHIFT = "shift"
    SWAPPED_HALVES = "swapped_halves"
    REVERSED = "reversed"
    INTERLEAVE = "interleave"
    PERMUTATION = "permutation"
    OTHER_ORDER = "other_order"

    OVERWRITTEN_BLOCK = "overwritten_block"
    INDEX_RANGE = "index_range"
    INDEX_SET = "index_set"
    BOX = "box"
    SINGLE_ELEMENT = "single_element"
    FEW_ELEMENTS = "few_elements"
    ZERO_FILLED = "zero_filled"
    GROWTH = "growth"
    FUNCTION_OF_VALUE = "function_of_value"

    SPECIAL_SLICES = "special_slices"
    SPECIAL_VALUES = "special_values"
    SATURATION = "saturation"
    OVERFLOW = "overflow"
    NAN_FOR_INF = "nan_for_inf"
    ZERO_FOR_NAN = "zero_for_nan"
    INF_SIGN = "inf_sign"

    ROUNDING_ONLY = "rounding_only"
    DOWNCAST_GRID = "downcast_grid"
    LOWER_PRECISION = "lower_precision"
    UNDERFLOW = "underflow"
    ALL_ZERO = "all_zero"
    SIGNED_ZEROS = "signed_zeros"
    LOW_PRECISION_ACCUMULATOR = "low_precision_accumulator"
    NEAR_TIE = "near_tie"


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a pattern lies: a *box* (start and stop of each axis) or a *flat* range in C order."""

    box: tuple[tuple[int, int], ...] | None = None
    flat: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern that was found."""

    name: PatternName
    message: Message
    """What it is, how much, and what it usually means."""
    numbers: Mapping[str, Number] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    """Places to show; the first ones where there are very many."""
    share: float = 1.0
    """Share of the differing elements that it explains, 0 to 1."""
