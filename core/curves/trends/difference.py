"""Target, golden and their difference as grids over the layers and places that either has."""

from __future__ import annotations

import numpy as np

from core.curves.trends.grids import filled, strongest
from core.curves.trends.pairing import PairedNumbers, Sides
from core.records.columns import Float64, Int64
from core.records.trends import Bool, GridAxis, TrendDifference, TrendGrid, TrendTable


def difference(
    target: TrendTable, golden: TrendTable, metric: str, *, rank: int, shift: int = 0
) -> TrendDifference:
    """Return *metric* of one rank of both sides, layers by steps.

    Parameters
    ----------
    target, golden
        The two sides.
    metric
        One of either's metrics; grids without rows and columns where neither has it.
    rank
        The target's; where both sides have one rank only, these are compared, whatever their numbers.
    shift
        Added to the target's steps to find the golden's; the columns are numbered as the target's.
    """
    numbers = (sides := Sides(target, golden, shift)).paired(metric, rank=rank)
    return _difference(sides, metric, numbers, GridAxis.STEP, numbers.step)


def difference_by_rank(
    target: TrendTable, golden: TrendTable, metric: str, *, step: int, shift: int = 0
) -> TrendDifference:
    """Return *metric* of one of the target's steps, layers by ranks; else as :func:`difference`."""
    numbers = (sides := Sides(target, golden, shift)).paired(metric, step=step)
    return _difference(sides, metric, numbers, GridAxis.RANK, numbers.rank.astype(np.int64))


def _difference(
    sides: Sides, metric: str, numbers: PairedNumbers, axis: GridAxis, across: Int64
) -> TrendDifference:
    layers, row = np.unique(numbers.layer, return_inverse=True)
    places, column = np.unique(across, return_inverse=True)
    cell = row * len(places) + column
    kept = _farthest(cell, numbers)
    labels = tuple(sides.labels[layer] for layer in layers)
    shape = len(layers), len(places)

    def grid(values: Float64, there: Bool) -> TrendGrid:
        rows = kept[there[kept]]
        return filled(metric, axis, labels, places, (cell[rows], values[rows]), shape)

    one_sided = [
        (_only(row, len(layers), mine, other), _only(column, len(places), mine, other))
        for mine, other in (
            (numbers.in_target, numbers.in_golden),
            (numbers.in_golden, numbers.in_target),
        )
    ]
    return TrendDifference(
        target=grid(numbers.target, numbers.in_target),
        golden=grid(numbers.golden, numbers.in_golden),
        relative=grid(numbers.relative, numbers.in_target & numbers.in_golden),
        target_only_layers=tuple(labels[layer] for layer in one_sided[0][0]),
        golden_only_layers=tuple(labels[layer] for layer in one_sided[1][0]),
        target_only_places=places[one_sided[0][1]],
        golden_only_places=places[one_sided[1][1]],
    )


def _farthest(cell: Int64, numbers: PairedNumbers) -> Int64:
    """Return the row of each cell whose two sides are farthest apart; one with both sides before others."""
    found = numbers.in_target.astype(np.int64) + numbers.in_golden
    best = np.zeros(int(cell.max()) + 1 if len(cell) else 0, np.int64)
    np.maximum.at(best, cell, found)
    rows = np.flatnonzero(found == best[cell])
    relative = numbers.relative[rows]
    absent = found[rows] < 2
    size = np.where(
        absent, np.where(numbers.in_target[rows], numbers.target[rows], numbers.golden[rows]), relative
    )
    return rows[strongest(cell[rows], size)]


def _only(number: Int64, count: int, mine: Bool, other: Bool) -> Int64:
    """Return which of *count* things one side has and the other has not."""
    here = np.bincount(number[mine], minlength=count) > 0
    there = np.bincount(number[other], minlength=count) > 0
    return np.flatnonzero(here & ~there)
