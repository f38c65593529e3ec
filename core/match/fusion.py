"""One fused call on one side, several small ones on the other: what goes in and comes out is still the same.

Between the same matched neighbours stand ``scaled_dot_product_attention`` here and matmul, mul, masked_fill,
softmax, matmul there. The calls have no partners, but the tensors at the border of the region have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.dtypes import dtype_named
from core.match.pairing import Pairs
from core.match.similarity import closeness
from core.records.columns import Float64
from core.records.dump import STATISTICS, Dump, Known, SlotGroup, SlotKind
from core.records.names import Direction, OperatorKind

_MOST_CALLS = 256
"""Calls a side of a region; what is larger is another model, not a fused operator."""
_ALIKE = 0.5
"""Likeness from which two records are taken for the same tensor."""
_SAME = 0.95
"""Likeness from which a tensor is the output of the call before, and no border."""
_USED = ("max", "min", "norm")

SlotPair = tuple[int, int]
"""A slot of the target and a slot of the golden."""


@dataclass(frozen=True)
class FusedRegion:
    """Calls of both sides that together compute the same."""

    target: tuple[int, ...]
    """Rows of the target's operators."""
    golden: tuple[int, ...]
    inputs: tuple[SlotPair, ...]
    """Slots that hold the same input on both sides, of equal shape."""
    outputs: tuple[SlotPair, ...]
    """Slots that hold the same result; none where none, or more than one, could be it."""
    transposed: tuple[SlotPair, ...]
    """Inputs that one side takes with its last two dimensions exchanged, as a matmul takes the keys."""


def find_fused(target: Dump, golden: Dump, operators: Pairs) -> list[FusedRegion]:
    """Find the fused calls of either side among the unmatched rows of *operators*.

    A region is bracketed when an input agrees in shape, dtype class and, as far as they are known, statistics
    or checksum. Its result is what leaves the small calls with the shape of the fused call's.
    """
    found = []
    for rows_target, rows_golden in _gaps(target, golden, operators):
        if len(rows_target) <= len(rows_golden):
            sides = _Side(target, rows_target), _Side(golden, rows_golden)
        else:
            sides = _Side(golden, rows_golden), _Side(target, rows_target)
        swapped = len(rows_target) > len(rows_golden)
        for call in sides[0].rows:
            region = _bracket(call, *sides)
            if region is not None:
                found.append(_mirrored(region) if swapped else region)
    return found


def _gaps(target: Dump, golden: Dump, operators: Pairs) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the API calls of both sides between two matched rows, forward and backward apart."""
    alone = (operators.target < 0) | (operators.golden < 0)
    edges = np.diff(np.concatenate([[0], alone.astype(np.int8), [0]]))
    for start, stop in zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist()):
        for direction in (Direction.FORWARD, Direction.BACKWARD):
            sides = [
                [
                    row
                    for row in rows[start:stop].tolist()
                    if row >= 0
                    and dump.operators.direction[row] == direction
                    and dump.operators.kind[row] == OperatorKind.API
                ]
                for dump, rows in ((target, operators.target), (golden, operators.golden))
            ]
            counts = sorted(len(side) for side in sides)
            if counts[0] and counts[1] <= _MOST_CALLS:
                yield sides[0], sides[1]


class _Side:
    """The unmatched calls of one side in one gap."""

    def __init__(self, dump: Dump, rows: list[int]) -> None:
        self.dump, self.rows = dump, rows
        self.inputs = [slot for row in rows for slot in self.slots_of(row, into=True)]
        self.outputs = [slot for row in rows for slot in self.slots_of(row, into=False)]

    def slots_of(self, row: int, *, into: bool) -> list[int]:
        """Return the tensor slots that go into, or come out of, one call."""
        groups = (SlotGroup.INPUT, SlotGroup.KEYWORD) if into else (SlotGroup.OUTPUT,)
        slots = self.dump.slots
        return [
            slot
            for slot in self.dump.slots_of(row)
            if slots.kind[slot] == SlotKind.TENSOR and slots.group[slot] in groups
        ]

    def look(self, slot: int) -> tuple[tuple[int, ...] | None, str]:
        """Return shape and dtype class."""
        dtype = dtype_named(self.dump.dtype(slot))
        return self.dump.shape(slot), dtype.kind.value if dtype else ""

    def numbers(self, slot: int) -> Float64:
        slots = self.dump.slots
        known = int(slots.known[slot])
        flags = dict(zip(STATISTICS, (Known.MAX, Known.MIN, Known.MEAN, Known.NORM)))
        return np.array(
            [getattr(slots, name)[slot] if known & flags[name] else np.nan for name in _USED], np.float64
        )

    def checksum(self, slot: int) -> str:
        return self.dump.strings[int(self.dump.slots.checksum[slot])]

    def leaving(self) -> list[int]:
        """Return the outputs that no later call of the region takes."""
        return [
            slot
            for slot in self.outputs
            if not any(
                self.dump.slots.operator[taken] > self.dump.slots.operator[slot]
                and self.look(taken) == self.look(slot)
                and likeness(self, slot, self, taken) >= _SAME
                for taken in self.inputs
            )
        ]


def likeness(left: _Side, slot: int, right: _Side, other: int) -> float:
    """Return how alike two records are: 0 far or nothing known, 1 equal; equal checksums are 1."""
    ours, theirs = left.checksum(slot), right.checksum(other)
    if ours and ours == theirs:
        return 1.0
    near, known = closeness(left.numbers(slot), right.numbers(other))
    return float(near.sum() / known.sum()) if known.any() else 0.0


def _bracket(call: int, fused: _Side, small: _Side) -> FusedRegion | None:
    """Find what the fused *call* shares with the small calls; *fused* counts as the target here."""
    inputs, transposed = _shared_inputs(call, fused, small)
    if not inputs and not transposed:
        return None
    outputs = _shared_outputs(call, fused, small)
    first = min(int(small.dump.slots.operator[slot]) for _, slot in (*inputs, *transposed))
    last = max((int(small.dump.slots.operator[slot]) for _, slot in outputs), default=small.rows[-1])
    rows = tuple(row for row in small.rows if first <= row <= last)
    if not rows:
        return None
    kept = frozenset(rows)
    within = [
        tuple(pair for pair in pairs if int(small.dump.slots.operator[pair[1]]) in kept)
        for pairs in (inputs, outputs, transposed)
    ]
    return FusedRegion((call,), rows, within[0], within[1], within[2])


def _shared_inputs(call: int, fused: _Side, small: _Side) -> tuple[list[SlotPair], list[SlotPair]]:
    """Return the inputs of *call* with the small calls' slots that hold the same, also transposed ones."""
    straight: list[SlotPair] = []
    turned: list[SlotPair] = []
    free = list(small.inputs)
    for slot in fused.slots_of(call, into=True):
        shape, kind = fused.look(slot)
        flipped = (*shape[:-2], shape[-1], shape[-2]) if shape is not None and len(shape) > 1 else None
        for wanted, pairs in ((shape, straight), (flipped, turned)):
            alike = [other for other in free if wanted is not None and small.look(other) == (wanted, kind)]
            best = max(alike, key=lambda other: likeness(fused, slot, small, other), default=None)
            if best is not None and likeness(fused, slot, small, best) >= _ALIKE:
                pairs.append((slot, best))
                free.remove(best)
                break
    return straight, turned


def _shared_outputs(call: int, fused: _Side, small: _Side) -> list[SlotPair]:
    """Return the results of *call* with the small calls' results that are the same by place and numbers.

    Of several candidates the most alike counts. A single one counts whatever its numbers, for the fused call
    may be what is wrong; but not when a tensor inside looks like the result and the last one does not: then
    either could be meant.
    """
    found: list[SlotPair] = []
    # With several fused calls in a row, the result of one is taken by the small calls of the next.
    free = small.leaving() if len(fused.rows) == 1 else list(small.outputs)
    wanted = fused.slots_of(call, into=False)
    ends = small.rows[-1]
    for slot in wanted:
        alike = [other for other in free if small.look(other) == fused.look(slot)]
        if not alike:
            continue
        best = max(alike, key=lambda other: likeness(fused, slot, small, other))
        sure = likeness(fused, slot, small, best) >= _ALIKE
        last = [other for other in alike if small.dump.slots.operator[other] == ends]
        alone = len(fused.rows) == 1 and len(wanted) == 1
        if alone and last and best not in last:
            continue
        if sure or (alone and len(last) == 1):
            chosen = best if sure else last[0]
            found.append((slot, chosen))
            free.remove(chosen)
    return found


def _mirrored(region: FusedRegion) -> FusedRegion:
    turned = [
        tuple((right, left) for left, right in pairs)
        for pairs in (region.inputs, region.outputs, region.transposed)
    ]
    return FusedRegion(region.golden, region.target, turned[0], turned[1], turned[2])
