"""The slots of matched calls: by name, as the user says, or exchanged where outputs came in another order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.dtypes import dtype_named
from core.match.calls import call_stem
from core.match.mapping import Mapping
from core.match.pairing import Pairs, pair_slots
from core.records.columns import ABSENT, Int32, Int64
from core.records.dump import Dump, SlotKind


@dataclass(frozen=True)
class SlotMatching:
    """All slots of matched calls, a row a pair or a slot of one side."""

    pair: Int32
    """Row of the operator pairs that each row belongs to; growing."""
    slots: Pairs
    exchanged: NDArray[np.bool_]
    """Rows whose golden slot is not that of the same name, which is of another dtype class or shape."""


def match_slots(target: Dump, golden: Dump, operators: Pairs, mapping: Mapping | None = None) -> SlotMatching:
    """Pair the slots of matched calls.

    Slots pair by name. Where that sets a tensor against one of another dtype class or shape, and exchanging
    two slots of the same group and call sets both right exactly, they are exchanged.
    """
    pair, slots = pair_slots(target, golden, operators)
    if mapping is not None and (mapping.items or mapping.exclusive):
        pair, slots = _as_said(target, golden, operators, pair, slots, mapping)
    exchanged = np.zeros(len(pair), bool)
    partner = slots.golden.copy()
    # Rows that want an exchange, by call, group and what stands on both sides.
    waiting: dict[tuple[int, int, int, int], list[int]] = defaultdict(list)
    looks = _looks(target, golden, slots)
    for row in np.flatnonzero(looks[0] != looks[1]).tolist():
        ours, theirs = int(looks[0][row]), int(looks[1][row])
        call = int(pair[row]), int(target.slots.group[slots.target[row]])
        opposite = waiting.get((*call, theirs, ours))
        if opposite:
            other = opposite.pop()
            partner[[row, other]] = partner[[other, row]]
            exchanged[[row, other]] = True
        else:
            waiting[*call, ours, theirs].append(row)
    return SlotMatching(pair, Pairs(slots.target, partner), exchanged)


def _looks(target: Dump, golden: Dump, slots: Pairs) -> tuple[Int64, Int64]:
    """Return numbers for shape and dtype class of both sides of each row; equal unless both are tensors."""
    both = np.flatnonzero((slots.target >= 0) & (slots.golden >= 0))
    both = both[
        (target.slots.kind[slots.target[both]] == SlotKind.TENSOR)
        & (golden.slots.kind[slots.golden[both]] == SlotKind.TENSOR)
        & (target.slots.group[slots.target[both]] == golden.slots.group[slots.golden[both]])
    ]
    numbers: dict[tuple[tuple[int, ...] | None, str], int] = {}
    found = []
    for dump, rows in ((target, slots.target[both]), (golden, slots.golden[both])):
        of_row = np.stack([dump.slots.shape[rows], dump.slots.dtype[rows]], axis=1)
        different, inverse = np.unique(of_row, axis=0, return_inverse=True)
        known = [
            numbers.setdefault((dump.shapes[shape], _dtype_class(dump.strings[dtype])), len(numbers))
            for shape, dtype in different.tolist()
        ]
        look = np.full(len(slots), -1, np.int64)
        look[both] = np.array(known, np.int64)[inverse.reshape(-1)]
        found.append(look)
    return found[0], found[1]


def _dtype_class(name: str) -> str:
    dtype = dtype_named(name)
    return dtype.kind.value if dtype else ""


def _as_said(
    target: Dump, golden: Dump, operators: Pairs, pair: Int32, slots: Pairs, mapping: Mapping
) -> tuple[Int32, Pairs]:
    """Pair the slots of the calls that *mapping* speaks of anew; all others stay."""
    touched: list[int] = []
    rows: list[tuple[int, int, int]] = []
    for index in np.flatnonzero((operators.target >= 0) & (operators.golden >= 0)).tolist():
        row, partner = int(operators.target[index]), int(operators.golden[index])
        name = target.operator_name(row)
        stem = call_stem(name, int(target.operators.kind[row]))
        said = mapping.slots_of(name, golden.operator_name(partner), stem)
        if said is None:
            continue
        touched.append(index)
        theirs = {golden.slot_name(slot): slot for slot in golden.slots_of(partner)}
        claimed = set(said.values())
        for slot in target.slots_of(row):
            own = target.slot_name(slot)
            wanted = said.get(own)
            if wanted is None and stem not in mapping.exclusive and own not in claimed:
                wanted = own
            rows.append((index, slot, theirs.pop(wanted, ABSENT) if wanted else ABSENT))
        rows += [(index, ABSENT, slot) for slot in theirs.values()]
    if not touched:
        return pair, slots
    kept = ~np.isin(pair, touched)
    new = np.array(rows, np.int32).reshape(-1, 3)
    joined = np.concatenate([np.stack([pair, slots.target, slots.golden], axis=1)[kept], new])
    joined = joined[np.argsort(joined[:, 0], kind="stable")]
    return joined[:, 0], Pairs(joined[:, 1], joined[:, 2])
