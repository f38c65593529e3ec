"""What a comparison says: one row a pair of slots, or a call that only one side has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from core.errors import Problem
from core.records.columns import ABSENT, Float64, Int32, Int64, Table, UInt8, column
from core.records.dump import Dump
from core.records.run import CellKey


class Verdict(IntEnum):
    """What a pair is; a larger one wins when verdicts are rolled up."""

    EQUAL = 0
    CLOSE = 1
    NOT_COMPARED = 2
    GOLDEN_INVALID = 3
    DIFFERS = 4


class Evidence(IntEnum):
    """How much of a pair is known; the verdict holds up to this."""

    NONE = 0
    CHECKSUM = 1
    STATISTICS = 2
    FULL = 3


class Origin(IntEnum):
    """For an operator whose output differs, where the difference comes from."""

    UNKNOWN = 0
    INTRODUCED = 1
    INHERITED = 2


class Reason(IntEnum):
    """Why a verdict is what it is. Its name in lower case is the word in JSON and the catalogue code
    ``reason.<name>``.
    """

    NONE = 0
    IDENTICAL = 1
    """Same bytes, values or text."""
    SAME_VALUES = 2
    """Equal as numbers though not in bytes: signed zeros, another dtype or byte layout."""
    WITHIN_NOISE = 3
    BEYOND_NOISE = 4
    SPECIAL_VALUES = 5
    """NaN, +Inf or −Inf on one side, or in other places."""
    SHARED_SPECIAL_VALUES = 6
    """NaN or Inf in the same places on both sides; the rest is equal or close."""
    GOLDEN_SPECIAL_VALUES = 7
    """NaN or Inf in the golden where the target is finite."""
    SHAPE = 8
    """Shapes differ by more than ones."""
    SHAPE_ONES = 9
    """Equal or close after dimensions of size 1 are dropped."""
    DTYPE = 10
    """Equal or close, but the dtypes differ."""
    DTYPE_CLASS = 11
    """Equal or close as numbers, but one side is integer or boolean and the other floating point."""
    VALUE = 12
    """An argument, an integer or a boolean differs."""
    TYPE = 13
    """Another kind of value on each side: a tensor against an argument, None against a number."""
    CHECKSUM = 14
    """Checksums differ, and nothing else is known."""
    CHECKSUM_ONLY = 15
    """Checksums differ while all statistics agree."""
    BOTH_NONE = 16
    BOTH_EMPTY = 17
    EMPTY = 18
    """Empty on one side only."""
    TARGET_ONLY = 19
    GOLDEN_ONLY = 20
    NO_DATA = 21
    """The dumps hold nothing that could be compared."""
    UNREADABLE = 22
    """The tensor of one side cannot be read, and no statistics stand in for it."""
    UNRECORDED = 23
    """The dumper could not record the value of one side."""
    INCOMPARABLE_CHECKSUMS = 24
    """Only checksums, of different kinds or over different dtypes."""
    UNKNOWN_DTYPE = 25
    """The stored bytes may be read in more than one way and the dump does not say which."""
    RACY_CHECKSUM = 26
    """Only the checksum of an operand that is changed in place differs: no evidence."""
    SINGLE_RUN = 27
    """Only one run is open; there is nothing to compare with."""
    DEVICE = 28
    """A device or process group, which is meant to differ between the sides."""


@dataclass(frozen=True)
class RowTable(Table):
    """One row a compared pair, in the target's execution order with golden-only calls in their place.

    Rows of a call that only one side has carry no slot. Metrics are NaN, indices and counts -1 where
    they are not defined or the evidence is not ``full``; they are over the elements that are finite on
    both sides. Indices are flat, in C order.
    """

    target_operator: Int32 = column(np.int32, default=ABSENT)
    golden_operator: Int32 = column(np.int32, default=ABSENT)
    target_slot: Int32 = column(np.int32, default=ABSENT)
    golden_slot: Int32 = column(np.int32, default=ABSENT)
    verdict: UInt8 = column(np.uint8, default=Verdict.NOT_COMPARED)
    reason: UInt8 = column(np.uint8)
    evidence: UInt8 = column(np.uint8)
    origin: UInt8 = column(np.uint8)
    error: Float64 = column(np.float64, default=np.nan)
    """The relative error that the verdict hangs on: the one furthest beyond, or nearest to, its limit.
    Relative L2 for ``full`` evidence in most cases."""
    allowed: Float64 = column(np.float64, default=np.nan)
    """The noise expected for ``error``; differs means ``error > allowed`` or a special value."""
    cosine: Float64 = column(np.float64, default=np.nan)
    max_abs: Float64 = column(np.float64, default=np.nan)
    max_abs_index: Int64 = column(np.int64, default=ABSENT)
    rmse: Float64 = column(np.float64, default=np.nan)
    mae: Float64 = column(np.float64, default=np.nan)
    euclidean: Float64 = column(np.float64, default=np.nan)
    relative_l2: Float64 = column(np.float64, default=np.nan)
    max_rel: Float64 = column(np.float64, default=np.nan)
    max_rel_index: Int64 = column(np.int64, default=ABSENT)
    share_below_1e3: Float64 = column(np.float64, default=np.nan)
    """Share of elements whose relative error is below 1e-3."""
    share_below_5e3: Float64 = column(np.float64, default=np.nan)
    sign_flips: Int64 = column(np.int64, default=ABSENT)
    target_zeros: Int64 = column(np.int64, default=ABSENT)
    golden_zeros: Int64 = column(np.int64, default=ABSENT)
    equal_count: Int64 = column(np.int64, default=ABSENT)
    count: Int64 = column(np.int64, default=ABSENT)
    """Elements compared, special values included."""
    target_to_reference: Float64 = column(np.float64, default=np.nan)
    """Relative error of the target against a reference run, where one was given."""
    golden_to_reference: Float64 = column(np.float64, default=np.nan)


METRICS = tuple(
    name
    for name in RowTable.__dataclass_fields__
    if name
    not in (
        "target_operator",
        "golden_operator",
        "target_slot",
        "golden_slot",
        "verdict",
        "reason",
        "evidence",
        "origin",
    )
)
"""The numeric columns of :class:`RowTable`, the ``metrics`` of a row in JSON."""

CLASSES = ("finite", "nan", "+inf", "-inf")
"""Element classes, in the order of the 4 × 4 counts: target class × 4 + golden class."""


@dataclass(frozen=True)
class ClassCountTable(Table):
    """Element classes of the rows in which a special value occurs (all others are finite × finite)."""

    row: Int32 = column(np.int32)
    counts: Int64 = column(np.int64, width=16)


@dataclass(frozen=True)
class CellResult:
    """The comparison of one cell: both dumps' columns and the rows over them."""

    key: CellKey
    golden_key: CellKey
    target: Dump
    golden: Dump
    rows: RowTable
    class_counts: ClassCountTable
    problems: tuple[Problem, ...] = ()
    kept_rows: tuple[int, ...] = ()
    """Rows of which the result file keeps enough to look into their tensors without the dumps."""

    def counts(self) -> dict[str, int]:
        """Return how many rows have each verdict, by its name in lower case; all verdicts occur."""
        numbers = np.bincount(self.rows.verdict, minlength=len(Verdict))
        return {verdict.name.lower(): int(numbers[verdict]) for verdict in Verdict}


@dataclass(frozen=True)
class ResultInfo:
    """What a result file says of itself: where from, by which version and limits."""

    target_path: str
    golden_path: str
    version: str
    created: str
    """ISO 8601 with offset."""
    thresholds: Mapping[str, object]
    """The noise table in force, as loaded."""
    cells: tuple[CellKey, ...]
    problems: tuple[Problem, ...] = ()
