"""Whether two weights are the same numbers, as far as their statistics tell."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from core.formats.tensors.handle import TensorHandle
from core.metrics.elementwise import CHUNK
from core.records.columns import Float64

_LEAST_VALUES = 20
"""Different numbers without which round ones may be chance."""
_MOST_VALUES = 5000
_DIGITS_OF_FLOAT32 = 9


def statistics_of(tensor: TensorHandle) -> Float64:
    """Return max, min, mean and norm of all elements, in float64; NaN of an empty tensor."""
    if not tensor.size:
        return np.full(4, np.nan)
    largest, smallest, total, square = -math.inf, math.inf, 0.0, 0.0
    for chunk in tensor.chunks(CHUNK):
        values = (np.abs(chunk) if np.iscomplexobj(chunk) else chunk).astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            largest, smallest = np.maximum(largest, values.max()), np.minimum(smallest, values.min())
            total += float(values.sum())
            square += float(values @ values)
    return np.array([largest, smallest, total / tensor.size, math.sqrt(square)])


class Printed(NamedTuple):
    """How exactly a table of statistics was printed."""

    digits: int
    decimals: int


def printed(statistics: Float64) -> Printed:
    """Return the digits of the numbers of a table, shape (n, 4); exact where few numbers show none."""
    values = np.unique(np.abs(statistics[np.isfinite(statistics) & (statistics != 0)]))
    if len(values) < _LEAST_VALUES:
        return Printed(17, 400)
    step = max(len(values) // _MOST_VALUES, 1)
    told = [Decimal(repr(value)).normalize().as_tuple() for value in values[::step].tolist()]
    decimals = max(-int(number.exponent) for number in told)
    return Printed(max(len(number.digits) for number in told), max(decimals, 0))


def _half_unit(value: float, how: Printed) -> float:
    """Return how far *value* may be from the number that was printed so."""
    by_digits = 0.0
    if how.digits < _DIGITS_OF_FLOAT32 and value:
        by_digits = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - how.digits)
    by_decimals = 10.0**-how.decimals if how.decimals <= 300 else 0.0
    return 0.501 * max(by_digits, by_decimals)


class StatisticsAgreement(NamedTuple):
    """How max, min, mean and norm of two tensors agree."""

    equal: bool
    sums_apart: bool = False
    """Equal, but mean or norm as another order of summing makes them."""
    compared: int = 4
    """Numbers that both sides tell."""


def statistics_agree(
    target: Float64, golden: Float64, hows: tuple[Printed, Printed], sum_tolerance: float
) -> StatisticsAgreement:
    """Compare four statistics as float32, shape (4,); a number that is NaN on a side is not compared.

    Largest and smallest number are to be the same; where one table was printed with fewer digits, up to its
    rounding. Mean and norm may differ by *sum_tolerance*, relative to the
    largest number and to the norm.
    """
    told = ~(np.isnan(target) | np.isnan(golden))
    if (np.isnan(target[:2]) != np.isnan(golden[:2])).any():
        return StatisticsAgreement(False)  # a tensor that holds NaN has NaN for extremes
    coarse = min(hows, key=lambda how: how.digits) if hows[0] != hows[1] else Printed(17, 400)
    size = max(abs(float(golden[0])), abs(float(golden[1])))
    sums_apart = False
    for place in np.flatnonzero(told).tolist():
        ours, theirs = float(target[place]), float(golden[place])
        with np.errstate(over="ignore"):
            same = ours == theirs or np.float32(ours) == np.float32(theirs)
        if same or abs(ours - theirs) <= _half_unit(theirs, coarse):
            continue
        scale = size if place == 2 else abs(theirs)
        if place < 2 or not abs(ours - theirs) <= sum_tolerance * scale:
            return StatisticsAgreement(False)
        sums_apart = True
    return StatisticsAgreement(True, sums_apart, int(told.sum()))
