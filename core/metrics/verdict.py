"""From the numbers of a pair of tensors to its verdict. For statistics see :mod:`.statistics`, same rules.

Order: shapes, emptiness, special values, then every criterion of the noise table. ``error`` and ``allowed``
are those of the criterion with the largest ratio: the one furthest beyond its limit, or nearest to it.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan, sqrt
from typing import NamedTuple

from core.dtypes import DTYPES, DType, Kind, coarser
from core.metrics.noise import ONE_ROUNDING, Noise, NoiseTable
from core.metrics.shapes import Shape, comparable
from core.metrics.statistics import StatisticsSide, judge_statistics, statistics_sides
from core.metrics.tensor_metrics import TensorMetrics
from core.records.result import Reason, Verdict

__all__ = [
    "Judgement",
    "StatisticsSide",
    "judge_shapes",
    "judge_statistics",
    "judge_tensors",
    "statistics_sides",
]

_FINITE_TARGET = range(1, 4)
"""Cells of the class counts where the target is finite and the golden is not."""
_SAME_CLASS = (0, 5, 10, 15)

_INCOHERENT_COUNT = 64
"""Fewer elements cannot show that a difference behaves as noise."""
_INCOHERENT_SIGMAS = 4.0
"""Standard deviations by which mean and correlation of noise may miss zero by chance."""
_INCOHERENT_PEAK = 8.0
"""Largest difference in root mean squares; normal noise reaches 6 in 10^9 elements."""


class Judgement(NamedTuple):
    """A verdict and what it hangs on; ``error`` and ``allowed`` are relative, NaN where there is none."""

    verdict: Verdict
    reason: Reason
    error: float = nan
    allowed: float = nan


def judge_shapes(target: Shape, golden: Shape) -> Judgement | None:
    """Return the verdict that the shapes alone decide, ``None`` if the elements must be looked at."""
    empty_target, empty_golden = 0 in target, 0 in golden
    if comparable(target, golden):
        return Judgement(Verdict.NOT_COMPARED, Reason.BOTH_EMPTY) if empty_target else None
    return Judgement(Verdict.DIFFERS, Reason.EMPTY if empty_target != empty_golden else Reason.SHAPE)


def judge_tensors(
    metrics: TensorMetrics, dtypes: tuple[DType, DType], shapes: tuple[Shape, Shape], noise: NoiseTable
) -> Judgement:
    """Judge a pair from its metrics; *dtypes* and *shapes* are (target, golden).

    The dtypes are those of the records. A float32 tensor whose every element sits on the grid of bf16 or
    fp16 is judged as that format: it was rounded to it, whatever it is called.
    """
    decided = judge_shapes(*shapes)
    if decided is not None:
        return decided
    counts = metrics.class_counts
    wrong = sum(counts) - sum(counts[cell] for cell in _SAME_CLASS)
    golden_only = sum(counts[cell] for cell in _FINITE_TARGET)
    error, allowed, within = _worst(metrics, dtypes, noise)
    if wrong > golden_only or metrics.saturated:
        return Judgement(Verdict.DIFFERS, Reason.SPECIAL_VALUES, inf, allowed)
    if not within:
        exact = not dtypes[0].precision and not dtypes[1].precision
        return Judgement(Verdict.DIFFERS, Reason.VALUE if exact else Reason.BEYOND_NOISE, error, allowed)
    if golden_only:
        return Judgement(Verdict.GOLDEN_INVALID, Reason.GOLDEN_SPECIAL_VALUES, error, allowed)
    verdict, reason = agreement(
        equal=metrics.equal_count == metrics.count,
        identical=metrics.identical_bytes,
        special=counts[0] != sum(counts),
        shapes_equal=shapes[0] == shapes[1],
        dtypes=dtypes,
    )
    return Judgement(verdict, reason, error, allowed)


def agreement(
    *, equal: bool, identical: bool, special: bool, shapes_equal: bool, dtypes: tuple[DType, DType]
) -> tuple[Verdict, Reason]:
    """Return verdict and reason of a pair that differs by no more than noise."""
    verdict = Verdict.EQUAL if equal else Verdict.CLOSE
    if not shapes_equal:
        return Verdict.CLOSE, Reason.SHAPE_ONES
    if bool(dtypes[0].precision) != bool(dtypes[1].precision):
        return Verdict.CLOSE, Reason.DTYPE_CLASS
    if special:
        return verdict, Reason.SHARED_SPECIAL_VALUES
    if dtypes[0] is not dtypes[1]:
        return verdict, Reason.DTYPE
    if not equal:
        return verdict, Reason.WITHIN_NOISE
    return verdict, Reason.IDENTICAL if identical else Reason.SAME_VALUES


def _worst(
    metrics: TensorMetrics, dtypes: tuple[DType, DType], table: NoiseTable
) -> tuple[float, float, bool]:
    """Return error and limit of the deciding criterion, and whether all criteria are kept."""
    noise, unit = _expected(metrics, dtypes, table)
    limit = noise.relative_l2_factor * unit
    if not metrics.finite_count or metrics.max_abs == 0.0:
        return 0.0, limit, True
    scale = metrics.golden_max_abs
    if metrics.max_abs <= noise.absolute_floor:
        reference = scale or metrics.target_max_abs
        return metrics.max_abs / reference, noise.absolute_floor / reference, True
    if not scale:
        return inf, limit, False
    norm, peak = (metrics.relative_l2, limit), (metrics.max_abs / scale, noise.max_factor * unit)
    error, allowed = max(norm, peak, key=_ratio)
    if norm[0] <= norm[1] and peak[0] <= peak[1]:
        return error, allowed, True
    if norm[0] <= noise.incoherent_limit and _behaves_as_noise(metrics):
        return norm[0], noise.incoherent_limit, True
    return error, allowed, False


def _expected(metrics: TensorMetrics, dtypes: tuple[DType, DType], table: NoiseTable) -> tuple[Noise, float]:
    """Return the noise of the pair and its unit roundoff."""
    target, golden = dtypes
    if bool(target.precision) != bool(golden.precision):
        # A whole number in a float format is rounded once, and has no other noise.
        return ONE_ROUNDING, coarser(target, golden).unit_roundoff
    noise, unit = table.of_pair(target, golden)
    if target.kind is Kind.FLOAT and golden.kind is Kind.FLOAT:
        grids = [DTYPES[grid] for grid in (metrics.target_grid, metrics.golden_grid) if grid]
        for grid in grids:
            if grid.precision < coarser(target, golden).precision:
                # Factors of the grid, but the floor of what the tensor says it is.
                noise = replace(table.of(grid), absolute_floor=noise.absolute_floor)
                unit = max(unit, grid.unit_roundoff)
    return noise, unit


def _ratio(criterion: tuple[float, float]) -> float:
    error, allowed = criterion
    return error / allowed if allowed else (inf if error else 0.0)


def _behaves_as_noise(metrics: TensorMetrics) -> bool:
    """Return whether the difference is spread out, of zero mean and independent of the golden."""
    count = metrics.finite_count
    if count < _INCOHERENT_COUNT or metrics.equal_count * 2 > metrics.count:
        return False
    chance = _INCOHERENT_SIGMAS / sqrt(count)
    return (
        metrics.max_abs <= _INCOHERENT_PEAK * metrics.rmse
        and abs(metrics.difference_cosine) <= chance
        and abs(metrics.difference_mean) <= chance * metrics.rmse
    )
