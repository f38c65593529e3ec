"""Ranks that hold copies of the same tensor, and the one among them that left the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.curves.trends.scale import rounding_of
from core.formats.monitors.joint_key import joint_key
from core.records.columns import Int64
from core.records.trends import TrendTable

_COUNTS = ("zeros", "nans")
"""Statistics that are 0 everywhere until something happens; being equal at first says nothing."""
_NOISE = 1e-6
"""Relative difference up to which copies count as the same. An assumption; true copies are equal."""


class Departure(NamedTuple):
    """A rank whose numbers are not those of its fellows."""

    rank: int
    """-1: two ranks differ, and nothing tells which of them is wrong."""
    metric: str
    layer: int
    """Index into the target's layers, where it begins."""
    step: int
    value: float
    others: float
    """What the fellows have there."""
    proven: bool
    """The golden shows that they are copies; else only the target's own first step does."""
    numbers: NDArray[np.int64]
    """Rows of the target that depart."""


def departures(target: TrendTable, golden: TrendTable, metric: str) -> list[Departure]:
    """Return the ranks of the target that leave their fellows in *metric*.

    Ranks are fellows for a layer if their numbers are the same to the last bit, at all steps of the golden
    where it has the same ranks, else at the first step of the target. So copies of data parallel training are
    found, and of tensor parallel training, without being told how the model is cut.
    """
    rows = target.rows_of(metric)
    if rows.start == rows.stop or len(target.ranks) < 2:
        return []
    proven = golden.ranks == target.ranks and metric in golden.metrics
    if not proven and metric.rpartition(".")[2] in _COUNTS:
        return []
    fellows = _fellows_on_golden(target, golden, metric) if proven else _fellows_at_first(target, metric)
    known = np.flatnonzero(fellows >= 0)
    if not len(known):
        return []
    layer, step, micro, rank, value = (
        column[rows][known]
        for column in (target.layer, target.step, target.micro_step, target.rank, target.value)
    )
    group = joint_key([layer, step, micro, fellows[known]])
    order = np.lexsort((value, group))
    _, start, size = np.unique(group[order], return_index=True, return_counts=True)
    middle = value[order][start + (size - 1) // 2]
    others = np.empty(len(value))
    others[order] = np.repeat(middle, size)
    many = np.empty(len(value), np.int64)
    many[order] = np.repeat(size, size)
    least = np.maximum(rounding_of(target, metric), _NOISE * np.abs(others))
    with np.errstate(invalid="ignore", over="ignore"):
        apart = (np.abs(value - others) > least) | (np.isnan(value) != np.isnan(others))
    apart &= (many > 1) & (value != others)
    found = []
    for wrong in np.unique(np.where(many > 2, rank, -1)[apart]).tolist():
        mine = np.flatnonzero(apart & (np.where(many > 2, rank, -1) == wrong))
        first = mine[np.lexsort((layer[mine], step[mine]))[0]]
        found.append(
            Departure(
                wrong,
                metric,
                int(layer[first]),
                int(step[first]),
                float(value[first]),
                float(others[first]),
                proven,
                rows.start + known[mine],
            )
        )
    return found


def _fellows_on_golden(target: TrendTable, golden: TrendTable, metric: str) -> Int64:
    """Return for each row of the target's *metric* the number of its group of fellows, -1 without any."""
    rows = golden.rows_of(metric)
    places = {label: number for number, label in enumerate(target.labels)}
    layer_of = np.array([places.get(label, -1) for label in golden.labels], np.int64)
    return _groups(target, metric, layer_of[golden.layer[rows]], golden, np.arange(rows.start, rows.stop))


def _fellows_at_first(target: TrendTable, metric: str) -> Int64:
    rows = target.rows_of(metric)
    first = rows.start + np.flatnonzero(target.step[rows] == target.step[rows].min())
    first = first[(target.value[first] != 0.0) & np.isfinite(target.value[first])]
    return _groups(target, metric, target.layer[first].astype(np.int64), target, first)


def _groups(target: TrendTable, metric: str, layer: Int64, table: TrendTable, rows: Int64) -> Int64:
    """Return a number for each row of the target's *metric*, the same for ranks of equal numbers in *rows*.

    *layer* numbers the layers of *rows* as the target does. Equal numbers are found by a sum of mixed bits.
    """
    mine = target.rows_of(metric)
    made = np.full(mine.stop - mine.start, -1, np.int64)
    held = layer >= 0
    rows, layer = rows[held], layer[held]
    if not len(rows):
        return made
    value = table.value[rows]
    bits = np.where(np.isnan(value), np.nan, value + 0.0).view(np.uint64)
    place = joint_key([table.step[rows], table.micro_step[rows]]).astype(np.uint64)
    mixed = _mixed(bits ^ _mixed(place))
    owner, number = np.unique(joint_key([layer, table.rank[rows]]), return_inverse=True)
    sums = np.zeros(len(owner), np.uint64)
    np.add.at(sums, number, mixed)
    _, first = np.unique(number, return_index=True)
    pairs = list(zip(layer[first].tolist(), table.rank[rows][first].tolist(), sums.tolist()))
    groups: dict[tuple[int, int], int] = {}
    numbers = {(layer, rank): groups.setdefault((layer, total), len(groups)) for layer, rank, total in pairs}
    own_layer, own_rank = target.layer[mine].astype(np.int64), target.rank[mine]
    key = joint_key([own_layer, own_rank])
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    group = [numbers.get((int(own_layer[row]), int(own_rank[row])), -1) for row in first]
    return np.array(group, np.int64)[inverse]


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well spread bits (the finalizer of SplitMix64, Steele, Lea and Flood 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
