"""What the official checker measures of a device's output against a more precise bench.

Formulas: msprobe api_accuracy_checker, compare/algorithm.py. All is computed in float64, while the tool
computes in the formats of its arrays: figures agree but for roundings of those.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from core.dtypes import DType
from core.emulation.standards.numbers import (
    Variant,
    accumulative_small_value,
    first_stage_numbers,
    numbers_of,
)
from core.emulation.standards.pairs import Array, Piece, pieces, require_pair, special_errors
from core.emulation.standards.ulp_error import ulp_errors

_BALLAST = 0.0001
"""Keeps the tool's root mean square error defined when nothing is left to average."""


@dataclass(frozen=True, slots=True)
class Measures:
    """One output against its bench. Shares lie in 0 ... 1; a share of nothing is 0.

    Attributes
    ----------
    small_value_error_share
        Small values whose absolute error exceeds the benchmark standard's tolerance, among small ones.
    rmse
        Root mean square error of normal values, with the tool's correction for the others.
    max_relative_error, mean_relative_error
        Of normal values; 0 if there is none.
    error_balance
        |elements above the bench - elements below| / elements.
    special_error_rate
        Disagreeing NaN and infinities, by the code among those, by the guide among all elements.
    relative_error_ratio, absolute_error_ratio
        Normal values beyond the relative tolerance among those, small ones beyond the absolute one.
    max_ulp, mean_ulp, ulp_share
        Of all elements; NaN and infinities carry over into maximum and mean, as in the tool.
    thousandth_share
        Elements whose relative error is below a thousandth.
    unequal_share
        Elements that differ at all; by the guide's words, two NaN are alike.
    """

    size: int
    small_value_error_share: float
    rmse: float
    max_relative_error: float
    mean_relative_error: float
    error_balance: float
    special_error_rate: float
    relative_error_ratio: float
    absolute_error_ratio: float
    max_ulp: float
    mean_ulp: float
    ulp_share: float
    thousandth_share: float
    unequal_share: float


@dataclass(frozen=True, slots=True)
class ThresholdRates:
    """The three shares that the absolute threshold and the accumulative error want to be 0."""

    special_error_rate: float
    relative_error_ratio: float
    absolute_error_ratio: float


class _ThresholdCounts:
    """Counts of what lies beyond fixed tolerances."""

    def __init__(self, dtype: DType, variant: Variant, small: float, rtol: float, atol: float) -> None:
        self.dtype, self.variant = dtype, variant
        self.small, self.rtol, self.atol = small, rtol, atol
        self.elements = self.special = self.special_wrong = 0
        self.smalls = self.small_wrong = self.normal = self.normal_wrong = 0

    def add(self, piece: Piece) -> None:
        small = (np.abs(piece.bench) <= self.small) & piece.finite
        normal = piece.finite & ~small
        wrong = special_errors(piece, self.dtype, self.rtol, self.variant)
        self.elements += piece.device.size
        self.special += int(np.count_nonzero(~piece.finite))
        self.special_wrong += int(np.count_nonzero(wrong))
        self.smalls += int(np.count_nonzero(small))
        self.small_wrong += int(np.count_nonzero(small & (piece.absolute > self.atol)))
        self.normal += int(np.count_nonzero(normal))
        self.normal_wrong += int(np.count_nonzero(normal & (piece.relative > self.rtol)))

    def rates(self) -> ThresholdRates:
        among = self.special if self.variant is Variant.CODE else self.elements
        return ThresholdRates(
            _share(self.special_wrong, among),
            _share(self.normal_wrong, self.normal),
            _share(self.small_wrong, self.smalls),
        )


class _BenchmarkTally:
    """Sums and maxima of what the benchmark, thousandth and binary standards look at."""

    def __init__(self, dtype: DType, variant: Variant) -> None:
        self.numbers = numbers_of(dtype, variant)
        self.variant = variant
        self.smalls = self.small_wrong = self.normal = 0
        self.squares = self.relative_sum = self.relative_max = 0.0
        self.above = self.below = self.within = self.unequal = 0

    def add(self, piece: Piece) -> None:
        small = (np.abs(piece.bench) <= self.numbers.small_value) & piece.finite
        normal = piece.finite & ~small
        self.smalls += int(np.count_nonzero(small))
        self.small_wrong += int(np.count_nonzero(small & (piece.absolute > self.numbers.benchmark_atol)))
        self.normal += int(np.count_nonzero(normal))
        self.squares += float(
            np.sum(np.square(piece.absolute, where=normal, out=np.zeros_like(piece.absolute)))
        )
        self.relative_sum += float(np.sum(piece.relative, where=normal))
        self.relative_max = max(self.relative_max, float(np.max(piece.relative, where=normal, initial=0.0)))
        self.above += int(np.count_nonzero(piece.device > piece.rounded))
        self.below += int(np.count_nonzero(piece.device < piece.rounded))
        self.within += int(np.count_nonzero(piece.relative < first_stage_numbers().thousandth))
        differs = piece.device != piece.bench
        if self.variant is Variant.DOCUMENT:
            differs &= ~(np.isnan(piece.device) & np.isnan(piece.bench))
        self.unequal += int(np.count_nonzero(differs))

    def rmse(self, size: int) -> float:
        """Return sqrt(mse (N / (N - masked + 1e-4) + 1e-4)): the tool's mean over all, scaled back."""
        if not size:
            return 0.0
        return sqrt(self.squares / size * (size / (self.normal + _BALLAST) + _BALLAST))


class _UlpTally:
    """Sum, maximum and exceedances of errors in units in the last place."""

    def __init__(self, dtype: DType, variant: Variant) -> None:
        self.dtype, self.variant = dtype, variant
        self.limit = numbers_of(dtype, variant).ulp_limit
        self.total, self.largest, self.beyond = 0.0, -inf, 0

    def add(self, piece: Piece) -> None:
        found = ulp_errors(piece.device, piece.bench, self.dtype, self.variant)
        self.total += float(np.sum(found))
        top = float(np.max(found))
        self.largest = top if np.isnan(top) else max(self.largest, top)
        self.beyond += int(np.count_nonzero(found > self.limit))


def measure(device: Array, bench: Array, dtype: DType, variant: Variant) -> Measures:
    """Measure a device's output against a more precise one.

    Parameters
    ----------
    device
        The output as numbers (bfloat16 and eight-bit formats widened), any shape.
    bench
        The same call in a finer format, same shape.
    dtype
        Format of the device's output; a float.
    variant
        Whose thresholds: the released code's or the guide's.

    Raises
    ------
    ValueError
        See :func:`core.emulation.standards.pairs.require_pair`.
    """
    require_pair(device, bench, dtype)
    numbers = numbers_of(dtype, variant)
    tally = _BenchmarkTally(dtype, variant)
    ulps = _UlpTally(dtype, variant)
    counts = _ThresholdCounts(dtype, variant, numbers.small_value, numbers.rtol, numbers.threshold_atol)
    with np.errstate(all="ignore"):
        for piece in pieces(device, bench, dtype, variant):
            tally.add(piece)
            ulps.add(piece)
            counts.add(piece)
    size = device.size
    rates = counts.rates()
    return Measures(
        size=size,
        small_value_error_share=_share(tally.small_wrong, tally.smalls),
        rmse=tally.rmse(size),
        max_relative_error=tally.relative_max,
        mean_relative_error=tally.relative_sum / tally.normal if tally.normal else 0.0,
        error_balance=_share(abs(tally.above - tally.below), size),
        special_error_rate=rates.special_error_rate,
        relative_error_ratio=rates.relative_error_ratio,
        absolute_error_ratio=rates.absolute_error_ratio,
        max_ulp=ulps.largest if size else 0.0,
        mean_ulp=ulps.total / size if size else 0.0,
        ulp_share=_share(ulps.beyond, size),
        thousandth_share=tally.within / size if size else 1.0,
        unequal_share=_share(tally.unequal, size),
    )


def accumulated_rates(device: Array, bench: Array, dtype: DType, variant: Variant) -> ThresholdRates:
    """Return what the accumulative-error standard looks at beside the balance.

    One bound stands for all tolerances, and values up to 1 count as small.

    Raises
    ------
    ValueError
        See :func:`measure`.
    """
    require_pair(device, bench, dtype)
    bound = numbers_of(dtype, variant).accumulative_bound
    counts = _ThresholdCounts(dtype, variant, accumulative_small_value(), bound, bound)
    with np.errstate(all="ignore"):
        for piece in pieces(device, bench, dtype, variant):
            counts.add(piece)
    return counts.rates()


def ratio_to_control(device: float, control: float, floor: float) -> float:
    """Return |device| / max(|control|, floor); NaN where either is NaN or infinite (``calc_ratio``)."""
    if not (np.isfinite(device) and np.isfinite(control)):
        return nan
    return abs(device) / max(abs(control), floor)


def _share(count: int, among: int) -> float:
    return count / among if among else 0.0
