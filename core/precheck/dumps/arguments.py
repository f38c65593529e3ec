"""Calls that both sides make, with other arguments: what is no tensor on one side at least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from core.match.parameters import api_of
from core.precheck.dumps.argument_defaults import is_default
from core.precheck.dumps.facts import ArgumentDifference
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import Direction
from core.records.result import CellResult, Verdict

_SIZES = ("view", "reshape", "expand", "repeat", "unflatten", "split")
"""Calls that take -1 for a size that follows from the others."""
_ABSENT = -1
_PLAIN = (SlotKind.ARGUMENT, SlotKind.NONE)
_NONE = "None"
_MADE_OF_DATA = 1e-2
"""Relative difference that the noise of operators may make of a number that is worked out of data."""
_WRITTEN = 7
"""Significant digits that a number has at most which somebody wrote."""


def arguments_of(cell: CellResult) -> tuple[ArgumentDifference, ...]:
    """Return arguments that differ, each different pair of values once; those that count first.

    Backward calls have the forward ones' arguments and are left out. A number that is worked out of data
    which is not equal any more, such as the coefficient of a clipped gradient, does not count.
    """
    rows, target, golden = cell.rows, cell.target, cell.golden
    forward = target.operators.direction[rows.target_operator] != Direction.BACKWARD
    wanted = (rows.target_operator >= 0) & (rows.golden_operator >= 0) & forward
    left, right = _kinds(target)[rows.target_slot], _kinds(golden)[rows.golden_slot]
    plain = np.isin(left, _PLAIN) | np.isin(right, _PLAIN)
    one_sided = ((left == _ABSENT) & _goes_in(golden)[rows.golden_slot]) | (
        (right == _ABSENT) & _goes_in(target)[rows.target_slot]
    )
    apart = np.isin(rows.verdict, (Verdict.DIFFERS, Verdict.GOLDEN_INVALID)) & ~plain
    unequal = int(np.flatnonzero(apart).min(initial=len(rows)))
    goes_in = _goes_in(target)[rows.target_slot] & _goes_in(golden)[rows.golden_slot]
    wanted &= ((rows.verdict == Verdict.DIFFERS) & plain & goes_in) | one_sided
    found: dict[tuple[str, str, str, str], ArgumentDifference] = {}
    for operator, own in groupby(np.flatnonzero(wanted).tolist(), lambda row: int(rows.target_operator[row])):
        call = target.operator_name(operator)
        for row, ours, theirs in _not_spelt_otherwise(cell, list(own)):
            slots = int(rows.target_slot[row]), int(rows.golden_slot[row])
            if api_of(call) != api_of(golden.operator_name(int(rows.golden_operator[row]))):
                continue  # another operator in its place has other arguments
            if min(slots) >= 0 and _same_meaning(cell, api_of(call), *slots):
                continue
            name = target.slot_name(slots[0]) if slots[0] >= 0 else golden.slot_name(slots[1])
            counts = _counts(cell, api_of(call), slots)
            if min(slots) >= 0 and row > unequal and _worked_out(cell, *slots):
                counts = False
            key = (api_of(call), name, ours, theirs)
            before = found.setdefault(key, ArgumentDifference(call, name, ours, theirs, 0, counts))
            counts = before.counts if before.counts or counts is False else counts
            found[key] = before._replace(calls=before.calls + 1, counts=counts)
    return tuple(sorted(found.values(), key=lambda item: (True, None, False).index(item.counts)))


def _kinds(dump: Dump) -> NDArray[np.int64]:
    """Return the kind of each slot, and behind that of no slot."""
    return np.append(dump.slots.kind.astype(np.int64), _ABSENT)


def _goes_in(dump: Dump) -> NDArray[np.bool_]:
    """Return which slots hold what a call takes and the dump could record, with False for no slot behind."""
    slots = dump.slots
    return np.append((slots.group <= SlotGroup.KEYWORD) & (slots.kind != SlotKind.UNRECORDED), False)


def _not_spelt_otherwise(cell: CellResult, own: list[int]) -> Iterator[tuple[int, str, str]]:
    """Yield rows of one call with both values, without what the sides pass at other places or as ``None``."""
    rows = cell.rows
    told = [
        (
            row,
            _shown(cell.target, int(rows.target_slot[row])),
            _shown(cell.golden, int(rows.golden_slot[row])),
        )
        for row in own
    ]
    alone = [Counter(item[side] for item in told if not item[3 - side]) for side in (1, 2)]
    both = {1: alone[0] & alone[1], 2: alone[0] & alone[1]}  # by position on one side, by name on the other
    for item in told:
        side = 1 if not item[2] else 2 if not item[1] else 0
        if side and both[side][item[side]] > 0:
            both[side][item[side]] -= 1
        elif not side or item[side] != _NONE:
            yield item


def _counts(cell: CellResult, api: str, slots: tuple[int, int]) -> bool | None:
    """Return whether a difference counts; ``None`` where only a default that is not known would tell."""
    kinds = [
        int(dump.slots.kind[slot]) if slot >= 0 else _ABSENT
        for dump, slot in zip((cell.target, cell.golden), slots)
    ]
    if SlotKind.TENSOR in kinds or kinds == [SlotKind.ARGUMENT, SlotKind.ARGUMENT]:
        return True
    side = 0 if kinds[0] == SlotKind.ARGUMENT else 1
    dump, slot = (cell.target, cell.golden)[side], slots[side]
    path = dump.strings[int(dump.slots.path[slot])]
    return False if is_default(api, path, dump.argument(slot)) else None


def _same_meaning(cell: CellResult, api: str, target: int, golden: int) -> bool:
    """Return whether one side counts a dimension from the end, or leaves a size to be worked out."""
    values = cell.target.argument(target), cell.golden.argument(golden)
    if not all(type(value) is int for value in values):
        return False
    low, high = sorted(value for value in values if isinstance(value, int))
    if low >= 0 or high < 0:
        return False
    if low == -1 and any(api.startswith(name) for name in _SIZES):
        return True
    operator = int(cell.target.slots.operator[target])
    shapes = (
        cell.target.shape(slot)
        for slot in cell.target.slots_of(operator)
        if cell.target.slots.kind[slot] == SlotKind.TENSOR
    )
    # The dimension of what a call gives out may be one more, as that of unsqueeze and stack.
    return any(shape is not None and high - low == len(shape) for shape in shapes)


def _worked_out(cell: CellResult, target: int, golden: int) -> bool:
    ours, theirs = cell.target.argument(target), cell.golden.argument(golden)
    if not isinstance(ours, float) or not isinstance(theirs, float):
        return False
    long = all(float(f"{value:.{_WRITTEN - 1}e}") != value for value in (ours, theirs))
    return long and abs(ours - theirs) <= _MADE_OF_DATA * abs(theirs)


def _shown(dump: Dump, slot: int) -> str:
    """Return a value as people read it; empty where the side does not pass it."""
    if slot < 0:
        return ""
    kind = dump.slots.kind[slot]
    if kind == SlotKind.NONE:
        return _NONE
    if kind == SlotKind.TENSOR:
        shape = dump.shape(slot)
        return f"{dump.dtype(slot)} {list(shape) if shape is not None else ''}".strip()
    value = dump.argument(slot)
    if isinstance(value, str):
        return value
    return dump.strings[int(dump.slots.value[slot])] or dump.strings[int(dump.slots.type[slot])]
