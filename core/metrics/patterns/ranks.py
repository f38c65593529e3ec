"""Rank correlation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def rank_correlation(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return Spearman's rank correlation of two equally long arrays; 0 where one is constant.

    Equal values share the mean of their ranks (C. Spearman, American Journal of Psychology 15, 1904).
    """
    a, b = _ranks(first), _ranks(second)
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / size if size else 0.0


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts).astype(np.float64)
    return np.asarray((last - (counts - 1) / 2.0)[inverse.reshape(-1)])
