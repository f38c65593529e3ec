"""Which call of one side is which of the other, and their slots: arrays of row numbers, -1 for "none"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.records.columns import ABSENT, Int32, Int64, UInt8
from core.records.dump import Dump, SlotGroup


@dataclass(frozen=True)
class Pairs:
    """Row numbers of the target's and the golden's table, side by side; ``ABSENT`` on a one-sided row."""

    target: Int32
    golden: Int32

    def __len__(self) -> int:
        return len(self.target)


def interleave(target_of_golden: Int64, target_count: int) -> Pairs:
    """Return all rows of both sides in the target's order, golden-only rows after their predecessor.

    ``target_of_golden[g]`` is the target row that golden row *g* is matched with, or -1.
    """
    golden_count = len(target_of_golden)
    matched = target_of_golden >= 0
    golden_of_target = np.full(target_count, ABSENT, np.int64)
    golden_of_target[target_of_golden[matched]] = np.flatnonzero(matched)
    # A golden-only row stands behind the target row that the golden row before it is matched with.
    anchor = (
        np.maximum.accumulate(np.where(matched, target_of_golden, -1)) if golden_count else target_of_golden
    )
    alone = np.flatnonzero(~matched)
    target = np.concatenate([np.arange(target_count), np.full(len(alone), ABSENT)])
    golden = np.concatenate([golden_of_target, alone])
    after = np.concatenate([np.arange(target_count), anchor[alone]])
    order = np.lexsort((golden * (target < 0), target < 0, after))
    return Pairs(target[order].astype(np.int32), golden[order].astype(np.int32))


def pair_slots(target: Dump, golden: Dump, operators: Pairs) -> tuple[Int32, Pairs]:
    """Pair the slots of matched calls by their names.

    Returns
    -------
    tuple of (Int32, Pairs)
        For each slot pair the row of *operators* it belongs to, and the slots. Ordered by *operators*,
        then inputs, parameters, outputs, gradients, each in the dump's order, golden-only ones last.
    """
    both = np.flatnonzero((operators.target >= 0) & (operators.golden >= 0))
    names: dict[str, int] = {}
    of_target = _name_ids(target, names)
    of_golden = _name_ids(golden, names)
    pair_of_target = _pair_of_slot(target, operators.target, both)
    pair_of_golden = _pair_of_slot(golden, operators.golden, both)
    rows_t = np.flatnonzero(pair_of_target >= 0)
    rows_g = np.flatnonzero(pair_of_golden >= 0)
    width = max(1, len(names))
    keys_t = pair_of_target[rows_t] * width + of_target[rows_t]
    keys_g = pair_of_golden[rows_g] * width + of_golden[rows_g]
    shared, at_t, at_g = np.intersect1d(keys_t, keys_g, return_indices=True)
    alone_t = np.setdiff1d(np.arange(len(rows_t)), at_t, assume_unique=True)
    alone_g = np.setdiff1d(np.arange(len(rows_g)), at_g, assume_unique=True)
    left = np.concatenate([rows_t[at_t], rows_t[alone_t], np.full(len(alone_g), ABSENT)])
    right = np.concatenate([rows_g[at_g], np.full(len(alone_t), ABSENT), rows_g[alone_g]])
    pair = np.concatenate([shared // width, keys_t[alone_t] // width, keys_g[alone_g] // width])
    one_sided = left < 0
    group = np.where(one_sided, _group_of(golden, right), _group_of(target, left))
    order = np.lexsort((np.where(one_sided, right, left), one_sided, group, pair))
    return pair[order].astype(np.int32), Pairs(left[order].astype(np.int32), right[order].astype(np.int32))


def _group_of(dump: Dump, rows: Int64) -> UInt8:
    return np.append(dump.slots.group, np.uint8(0))[rows]  # -1, no row, reads the value put behind


def _pair_of_slot(dump: Dump, operators: Int32, both: Int64) -> Int64:
    """Return for each slot of *dump* the row of the operator pairs it belongs to, or -1."""
    pair_of_operator = np.full(len(dump.operators), -1, np.int64)
    pair_of_operator[operators[both]] = both
    return pair_of_operator[dump.slots.operator]


def _name_ids(dump: Dump, names: dict[str, int]) -> Int64:
    """Return an id for each slot's name, the same for both dumps that share *names*."""
    combined = dump.slots.path.astype(np.int64) * len(SlotGroup) + dump.slots.group
    different, inverse = np.unique(combined, return_inverse=True)
    ids = []
    for value in different.tolist():
        path, group = divmod(value, len(SlotGroup))
        name = f"{SlotGroup(group).label}.{dump.strings[path]}"
        ids.append(names.setdefault(name, len(names)))
    return np.array(ids, np.int64)[inverse] if len(different) else np.empty(0, np.int64)
