"""One number for several columns of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Int64

_MOST = 2**62


def joint_key(columns: Sequence[NDArray[Any]]) -> Int64:
    """Return one number a row, equal where all of *columns* are, that sorts as they do, the first most."""
    key = np.zeros(len(columns[0]), np.int64)
    if not len(key):
        return key
    size = 1
    for column in columns:
        low, span = int(column.min()), int(column.max()) - int(column.min()) + 1
        if size * span >= _MOST:
            key, column = (np.unique(values, return_inverse=True)[1] for values in (key, column))
            low, size, span = 0, int(key.max()) + 1, int(column.max()) + 1
        key = key * span + (column.astype(np.int64) - low)
        size *= span
    return key
