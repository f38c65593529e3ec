"""What differences of statistics are measured by, so that noise around zero is no difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.formats.monitors.joint_key import joint_key
from core.records.columns import Float64
from core.records.trends import TrendTable

_SMALL = 1e-3
"""Numbers below this share of what a layer usually has count as zero. An assumption."""
_MEAN_SHARE = 1e-3
"""The same for a mean, of the largest magnitude in the tensor: positive and negative values cancel in it."""
_DIGITS = range(3, 13)
"""Digits after the point that files may be rounded to; whole numbers are counts, not rounded ones."""
_FEWEST = 8
"""Numbers from which digits are believed to be rounded."""
_SAMPLE = 4096


def scale_of(golden: TrendTable, metric: str) -> Float64:
    """Return for each row of *metric* the least that a difference is measured by.

    It is the largest of: a thousandth of the median magnitude that the layer has in *metric*; for a smallest
    or largest value, the largest magnitude of the same tensor, as one element is as exact as the tensor; for
    a mean, a thousandth of that.
    """
    rows = golden.rows_of(metric)
    if rows.start == rows.stop:
        return np.empty(0)
    size = np.where(np.isfinite(golden.value[rows]), np.abs(golden.value[rows]), np.nan)
    layer = golden.layer[rows]
    order = np.lexsort((size, layer))  # NaN comes last
    number = np.arange(layer[order[-1]] + 2)
    start = np.searchsorted(layer[order], number)
    finite = np.bincount(layer[np.isfinite(size)], minlength=len(number) - 1)
    usual = np.where(finite > 0, size[order][np.minimum(start[:-1] + finite // 2, len(order) - 1)], 0.0)
    scale: Float64 = _SMALL * usual[layer]
    statistic = metric.rpartition(".")[2]
    if statistic in ("min", "max", "mean"):
        share = _MEAN_SHARE if statistic == "mean" else 1.0
        np.maximum(scale, share * _largest_magnitude(golden, metric), out=scale)
    return scale


def rounding_of(table: TrendTable, metric: str) -> float:
    """Return the unit of the last digit that the file holds: 1e-6 for six digits after the point.

    msprobe rounds to ``ndigits``, 6 unless told otherwise (``data_writers.py``). 0 where no rounding shows.
    """
    values = table.value[table.rows_of(metric)]
    values = values[np.isfinite(values)]
    sample = values[:: max(len(values) // _SAMPLE, 1)]
    if len(sample) < _FEWEST or (sample == np.rint(sample)).all():
        return 0.0
    largest = float(np.abs(values).max())
    for digits in _DIGITS:
        if largest * 10.0**digits > 2**50:
            break
        if (np.round(sample, digits) == sample).all() and (np.round(values, digits) == values).all():
            return float(10.0**-digits)
    return 0.0


def _largest_magnitude(table: TrendTable, metric: str) -> Float64:
    """Return max(|min|, |max|) of the tensor of each row of *metric*, 0 where neither is recorded."""
    rows = table.rows_of(metric)
    made = np.zeros(rows.stop - rows.start)
    kind = metric.rpartition(".")[0]
    for statistic in ("min", "max"):
        other = table.rows_of(f"{kind}.{statistic}")
        size = np.where(np.isfinite(table.value[other]), np.abs(table.value[other]), 0.0)
        if other.start == other.stop:
            continue
        columns: list[NDArray[Any]] = [table.rank, table.step, table.layer, table.micro_step]
        if len(size) == len(made) and all((column[rows] == column[other]).all() for column in columns):
            np.maximum(made, size, out=made)
            continue
        key = joint_key([np.concatenate((column[rows], column[other])) for column in columns])
        mine, theirs = key[: len(made)], key[len(made) :]
        found = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
        np.maximum(made, np.where(theirs[found] == mine, size[found], 0.0), out=made)
    return made
