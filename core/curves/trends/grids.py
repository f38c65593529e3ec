"""One side's statistics as a grid, or one cell of it as a curve."""

from __future__ import annotations

import numpy as np

from core.records.columns import Float64, Int32, Int64
from core.records.curves import Curve
from core.records.trends import GridAxis, TrendGrid, TrendTable


def grid_of(table: TrendTable, metric: str, *, rank: int) -> TrendGrid:
    """Return *metric* of one rank, layers by steps; without rows and columns where there is nothing.

    Of several micro-steps of a step the value of largest magnitude is shown, NaN before all.
    """
    return _grid(table, metric, GridAxis.STEP, table.rank, rank, table.step)


def grid_by_rank(table: TrendTable, metric: str, *, step: int) -> TrendGrid:
    """Return *metric* of one step, layers by ranks; else as :func:`grid_of`."""
    return _grid(table, metric, GridAxis.RANK, table.step, step, table.rank)


def curve_of(table: TrendTable, layer: str, metric: str, rank: int) -> Curve:
    """Return one layer's *metric* over the steps of *rank*; *layer* is one of the table's labels.

    Micro-steps as in :func:`grid_of`.
    """
    rows = table.rows_of(metric)
    if layer not in table.labels or rows.start == rows.stop:
        return Curve(np.empty(0, np.int64), np.empty(0, np.float64))
    mine = (table.layer[rows] == table.labels.index(layer)) & (table.rank[rows] == rank)
    steps, values = table.step[rows][mine], table.value[rows][mine]
    kept = strongest(steps, values)
    return Curve(steps[kept], values[kept])


def strongest(cell: Int64, values: Float64) -> Int64:
    """Return for each different *cell*, ascending, the row with the value of largest magnitude, NaN before
    all; of several equal ones the last.
    """
    broken = np.isnan(values)
    order = np.lexsort((np.where(broken, 0.0, np.abs(values)), broken, cell))
    found = cell[order]
    return order[np.append(found[1:] != found[:-1], True)] if len(order) else order


def _grid(
    table: TrendTable, metric: str, axis: GridAxis, fixed: Int32 | Int64, at: int, across: Int32 | Int64
) -> TrendGrid:
    rows = table.rows_of(metric)
    mine = fixed[rows] == at
    layers, row = np.unique(table.layer[rows][mine], return_inverse=True)
    places, column = np.unique(across[rows][mine].astype(np.int64), return_inverse=True)
    cell, values = row * len(places) + column, table.value[rows][mine]
    kept = strongest(cell, values)
    shape = len(layers), len(places)
    return filled(
        metric,
        axis,
        tuple(table.labels[layer] for layer in layers),
        places,
        (cell[kept], values[kept]),
        shape,
    )


def filled(
    metric: str,
    axis: GridAxis,
    layers: tuple[str, ...],
    places: Int64,
    cells: tuple[Int64, Float64],
    shape: tuple[int, int],
) -> TrendGrid:
    """Return the grid of *shape* with values at the flat numbers of *cells*, and nothing elsewhere."""
    number, value = cells
    values = np.full(shape, np.nan)
    present = np.zeros(shape, np.bool_)
    values.flat[number] = value
    present.flat[number] = True
    return TrendGrid(metric, axis, layers, places, values, present)
