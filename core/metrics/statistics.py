"""From the statistics of two records to their verdict, a million pairs at a time.

The rules are those of :mod:`.verdict` as far as maximum, minimum, mean and norm can tell; the verdict's
evidence says so. Where a special value has swallowed every statistic (NaN spreads to all four), nothing is
left to compare, and the pair is ``not_compared`` rather than taken for equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES, DType, Kind, dtype_named
from core.metrics.noise import ONE_ROUNDING, NoiseTable
from core.metrics.shapes import Shape, without_ones
from core.records.columns import Float64, Int32, Int64, UInt8
from core.records.dump import Dump, Known
from core.records.result import Evidence, Reason, Verdict

Bool = NDArray[np.bool_]
_ALL = tuple(DTYPES.values())
_CODES = {dtype.name: code for code, dtype in enumerate(_ALL)}
UNKNOWN = len(_ALL)
"""Code of a dtype that is not in the table: floating point, judged as float32."""

_EXACT = np.array([not dtype.precision for dtype in _ALL] + [False])
_PRECISION = np.array([dtype.precision or 99 for dtype in _ALL] + [24])
_MAXIMUM = np.array([dtype.maximum for dtype in _ALL] + [np.inf])
_HAS_NAN = np.array([dtype.kind in (Kind.FLOAT, Kind.COMPLEX) for dtype in _ALL] + [True])


@dataclass(frozen=True)
class StatisticsSide:
    """The records of one side, a row a pair. Ids of shapes are common to both sides."""

    dtype: UInt8
    """Index in :data:`core.dtypes.DTYPES`, :data:`UNKNOWN` beyond it."""
    shape: Int32
    """Id, -1 where the record has none."""
    squeezed: Int32
    """Id of the shape without ones, -1 where the record has no shape."""
    size: Int64
    """Elements, -1 where the record has no shape."""
    known: UInt8
    max: Float64
    min: Float64
    mean: Float64
    norm: Float64


@dataclass(frozen=True)
class StatisticsJudgement:
    """Verdicts of all pairs, columns as in :class:`core.records.result.RowTable`."""

    verdict: UInt8
    reason: UInt8
    evidence: UInt8
    error: Float64
    allowed: Float64


def statistics_sides(
    target: Dump, target_slots: NDArray[Any], golden: Dump, golden_slots: NDArray[Any]
) -> tuple[StatisticsSide, StatisticsSide]:
    """Return the records of the slot rows *target_slots* and *golden_slots*, pair by pair."""
    shapes: dict[Shape, int] = {}
    return _side(target, target_slots, shapes), _side(golden, golden_slots, shapes)


def _side(dump: Dump, rows: NDArray[Any], shapes: dict[Shape, int]) -> StatisticsSide:
    slots = dump.slots
    own: Sequence[Shape] = dump.shapes.shapes
    ids = np.array([shapes.setdefault(shape, len(shapes)) for shape in own] + [-1], np.int32)
    bare = np.array([shapes.setdefault(without_ones(shape), len(shapes)) for shape in own] + [-1], np.int32)
    sizes = np.append(dump.shapes.sizes, -1)
    shape = slots.shape[rows]
    spelled, inverse = np.unique(slots.dtype[rows], return_inverse=True)
    codes = np.array([dtype_code(dtype_named(dump.strings[int(item)])) for item in spelled], np.uint8)
    return StatisticsSide(
        dtype=codes[inverse.reshape(-1)],
        shape=ids[shape],
        squeezed=bare[shape],
        size=sizes[shape],
        known=slots.known[rows],
        max=slots.max[rows],
        min=slots.min[rows],
        mean=slots.mean[rows],
        norm=slots.norm[rows],
    )


def judge_statistics(
    target: StatisticsSide, golden: StatisticsSide, noise: NoiseTable
) -> StatisticsJudgement:
    """Judge all pairs at once, by their shapes and the statistics that both sides have."""
    with np.errstate(all="ignore"):
        return _Judge(target, golden, noise).run()


class _Judge:
    """The columns that several steps need."""

    def __init__(self, target: StatisticsSide, golden: StatisticsSide, noise: NoiseTable) -> None:
        self.t, self.g = target, golden
        self.known = target.known & golden.known
        self.rows = len(target.known)
        self.error = np.zeros(self.rows)
        self.allowed = np.zeros(self.rows)
        self.beyond = np.zeros(self.rows, bool)
        self.different = np.zeros(self.rows, bool)
        self.compared = np.zeros(self.rows, bool)
        self._limits(noise)
        self._special()

    def _limits(self, noise: NoiseTable) -> None:
        """Look up the noise of each pair by its two dtype codes."""
        t, g = self.t.dtype, self.g.dtype
        exact_t, exact_g = _EXACT[t], _EXACT[g]
        self.exact = exact_t & exact_g
        self.mixed_class = exact_t != exact_g
        coarse = np.where(_PRECISION[t] <= _PRECISION[g], t, g)
        unit = np.where(self.exact, 0.0, 2.0 ** -_PRECISION[coarse].astype(float))
        formats = [
            noise.of(dtype if dtype.precision else DTYPES["float32"]) for dtype in (*_ALL, DTYPES["float32"])
        ]

        def limit(name: str) -> Float64:
            factors = np.array([getattr(item, name) for item in formats])[coarse]
            once = getattr(ONE_ROUNDING, name)
            return np.asarray(np.where(self.mixed_class, once, factors) * unit)

        floors = np.array([item.absolute_floor for item in formats])
        self.floor = np.where(self.exact | self.mixed_class, 0.0, np.maximum(floors[t], floors[g]))
        self.limit = {
            "max": limit("max_min_factor"),
            "mean": limit("mean_factor"),
            "norm": limit("norm_factor"),
        }
        self.limit["min"] = self.limit["max"]
        # Old dumps have mean and norm of integers too, computed in float32.
        for name in ("mean", "norm"):
            self.limit[name] = np.where(self.exact, 2.0**-20, self.limit[name])

    def _has(self, name: str) -> Bool:
        return np.asarray((self.known & int(Known[name.upper()])) != 0)

    def _special(self) -> None:
        """Find where NaN or Inf stand in one side only, or in both."""
        self.wrong = np.zeros(self.rows, bool)
        self.golden_only = np.zeros(self.rows, bool)
        self.shared = np.zeros(self.rows, bool)
        extremes = self._has("max") | self._has("min")
        finite = extremes & _finite_extremes(self.t) & _finite_extremes(self.g)
        for name in ("max", "min", "mean", "norm"):
            t, g = getattr(self.t, name), getattr(self.g, name)
            has = self._has(name)
            class_t, class_g = _classes(t), _classes(g)
            if name in ("mean", "norm"):
                # In a half format they overflow on their own; the extremes know better.
                unlike = has & finite & (class_t != class_g)
                overflow = np.where(class_t != 0, _may_overflow(self.t), _may_overflow(self.g))
                self.different |= unlike & overflow
                has = (has & ~extremes) | (unlike & ~overflow)
            self.shared |= has & (class_t == class_g) & (class_t != 0)
            mismatch = has & (class_t != class_g)
            saturated = (
                (class_g > 1)
                & (class_t == 0)
                & (np.abs(t) >= _MAXIMUM[self.t.dtype])
                & _HAS_NAN[self.t.dtype]
            )
            innocent = mismatch & (class_t == 0) & ~saturated
            self.golden_only |= innocent
            self.wrong |= mismatch & ~innocent

    def _criterion(self, name: str, scale: Float64, floor: Float64) -> None:
        """Hold one statistic against its limit, where both sides have it as a finite number."""
        t, g = getattr(self.t, name), getattr(self.g, name)
        use = self._has(name) & np.isfinite(t) & np.isfinite(g)
        difference = np.abs(t - g)
        limit = self.limit[name]
        error = np.where(difference == 0, 0.0, difference / scale)
        noise = difference <= floor
        limit = np.where(noise & (error > limit), floor / scale, limit)
        self.compared |= use
        self.different |= use & (difference != 0)
        self.beyond |= use & ~(error <= limit)
        # The larger ratio decides; an exact limit of 0 is beaten by any error.
        ratio = np.where(error == 0, 0.0, error / limit)
        best = np.where(self.error == 0, 0.0, self.error / self.allowed)
        better = use & ((ratio > best) | ((best == 0) & (self.allowed == 0)))
        self.error = np.where(better, error, self.error)
        self.allowed = np.where(better, limit, self.allowed)

    def run(self) -> StatisticsJudgement:
        """Return the verdicts."""
        g = self.g
        high = np.where((g.known & Known.MAX) != 0, np.abs(g.max), 0.0)
        low = np.where((g.known & Known.MIN) != 0, np.abs(g.min), 0.0)
        extreme = np.maximum(np.where(np.isfinite(high), high, 0.0), np.where(np.isfinite(low), low, 0.0))
        size = g.size.astype(float)
        has_norm = ((g.known & Known.NORM) != 0) & np.isfinite(g.norm) & (size > 0)
        root = np.where(size > 0, np.sqrt(np.maximum(size, 1.0)), 1.0)
        mean_scale = np.where(has_norm, g.norm / root, np.where(extreme > 0, extreme, np.abs(g.mean)))
        self._criterion("max", extreme, self.floor)
        self._criterion("min", extreme, self.floor)
        self._criterion("mean", mean_scale, self.floor)
        self._criterion("norm", np.abs(g.norm), self.floor * root)
        return self._combine()

    def _combine(self) -> StatisticsJudgement:
        t, g = self.t, self.g
        shaped = (t.shape >= 0) & (g.shape >= 0)
        ones = shaped & (t.shape != g.shape) & (t.squeezed == g.squeezed)
        mismatch = shaped & (t.squeezed != g.squeezed)
        empty_t, empty_g = t.size == 0, g.size == 0
        single = (t.size == 1) & (g.size == 1)
        dtype = (t.dtype != g.dtype) & (t.dtype != UNKNOWN) & (g.dtype != UNKNOWN)
        # One NaN against one NaN is all there is to compare.
        decided = self.compared | (self.shared & single)
        verdict = np.where(self.different | ones | self.mixed_class, Verdict.CLOSE, Verdict.EQUAL)
        reason = np.where(self.different, Reason.WITHIN_NOISE, Reason.IDENTICAL)
        beyond = np.where(self.exact, Reason.VALUE, Reason.BEYOND_NOISE)
        nothing, shared, differs = Verdict.NOT_COMPARED, Reason.SHARED_SPECIAL_VALUES, Verdict.DIFFERS
        for where, its_verdict, its_reason in (
            (dtype, verdict, Reason.DTYPE),
            (self.shared, verdict, shared),
            (self.mixed_class, verdict, Reason.DTYPE_CLASS),
            (ones, verdict, Reason.SHAPE_ONES),
            (~decided, nothing, np.where(self.shared, shared, Reason.NO_DATA)),
            (self.golden_only, Verdict.GOLDEN_INVALID, Reason.GOLDEN_SPECIAL_VALUES),
            (self.beyond, differs, beyond),
            (self.wrong, differs, Reason.SPECIAL_VALUES),
            (mismatch, differs, Reason.SHAPE),
            (mismatch & (empty_t != empty_g), differs, Reason.EMPTY),
            (empty_t & empty_g & ~mismatch, nothing, Reason.BOTH_EMPTY),
        ):
            verdict = np.where(where, its_verdict, verdict)
            reason = np.where(where, its_reason, reason)
        known = (self.known != 0) | mismatch | (empty_t & empty_g)
        judged = self.compared & ~mismatch
        return StatisticsJudgement(
            verdict.astype(np.uint8),
            reason.astype(np.uint8),
            np.where(known, Evidence.STATISTICS, Evidence.NONE).astype(np.uint8),
            np.where(self.wrong & ~mismatch, np.inf, np.where(judged, self.error, np.nan)),
            np.where(judged, self.allowed, np.nan),
        )


def _finite_extremes(side: StatisticsSide) -> Bool:
    return np.asarray(~np.isinf(side.max) & ~np.isinf(side.min) & ~(np.isnan(side.max) & np.isnan(side.min)))


def _may_overflow(side: StatisticsSide) -> Bool:
    """Return where a sum of squares, taken in the tensor's own dtype, may exceed it."""
    extreme = np.fmax(np.abs(side.max), np.abs(side.min))
    return np.asarray(extreme * extreme * side.size >= _MAXIMUM[side.dtype])


def _classes(values: Float64) -> NDArray[Any]:
    """Return 0 for finite numbers, 1 NaN, 2 +Inf, 3 −Inf."""
    return np.where(np.isfinite(values), 0, np.where(np.isnan(values), 1, np.where(values > 0, 2, 3)))


def dtype_code(dtype: DType | None) -> int:
    """Return the code of *dtype* for :class:`StatisticsSide`; ``None`` gives :data:`UNKNOWN`."""
    return UNKNOWN if dtype is None else _CODES[dtype.name]
