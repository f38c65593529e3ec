"""Large grids reduced for drawing, without losing the one cell that matters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.records.columns import Int64
from core.records.trends import GridBlocks, TrendGrid


def block_extremes(grid: TrendGrid, rows: int, columns: int) -> GridBlocks:
    """Return *grid* in at most *rows* × *columns* blocks of as equal size as can be.

    Each block has the value of largest magnitude of its cells with its sign, and tells whether any of them
    was recorded, and whether any was recorded as NaN.

    Raises
    ------
    ValueError
        If *rows* or *columns* is not positive.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"no blocks: {rows} × {columns}")
    row_edges, column_edges = (
        _edges(length, most) for length, most in zip(grid.values.shape, (rows, columns))
    )
    shape = len(row_edges) - 1, len(column_edges) - 1
    if 0 in shape:
        nothing = np.zeros(shape, np.bool_)
        return GridBlocks(np.full(shape, np.nan), nothing, nothing.copy(), row_edges, column_edges)

    def reduced(operation: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        lines = operation.reduceat(values, row_edges[:-1], axis=0)
        return operation.reduceat(lines, column_edges[:-1], axis=1)

    broken = np.isnan(grid.values)
    high = reduced(np.maximum, np.where(broken, -np.inf, grid.values))
    low = reduced(np.minimum, np.where(broken, np.inf, grid.values))
    values = np.where(high >= -low, high, low)
    values[reduced(np.logical_and, broken)] = np.nan
    return GridBlocks(
        values,
        reduced(np.logical_or, grid.present),
        reduced(np.logical_or, broken & grid.present),
        row_edges,
        column_edges,
    )


def _edges(length: int, most: int) -> Int64:
    """Return where *length* things are cut into at most *most* parts, both ends included."""
    parts = min(length, most)
    return np.arange(parts + 1, dtype=np.int64) * length // max(parts, 1)
