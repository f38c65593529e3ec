"""How alike the numbers of two calls are: the tie-break between pairs that look the same otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.match.hashing import Keys, combine
from core.records.columns import Float64, Int64
from core.records.dump import Dump, Known, SlotGroup, SlotKind

_USED = (("max", Known.MAX), ("min", Known.MIN), ("norm", Known.NORM))
"""The mean of a centred tensor is rounding noise, so it says nothing."""
_PLACES = 3
"""First and second tensor that go in, first that comes out."""
_FAR = 0.05
"""Relative difference from which two numbers have nothing in common; fp16 noise stays far below."""


@dataclass(frozen=True)
class Records:
    """What is known of the first tensors of each call."""

    numbers: Float64
    """calls × (places · 3); NaN where unknown."""
    checksums: Keys
    """calls × places; 0 where unknown."""

    def take(self, rows: Int64) -> Records:
        """Return those of the calls *rows*."""
        return Records(self.numbers[rows], self.checksums[rows])


def collect_records(dump: Dump) -> Records:
    """Collect the records of all calls of *dump*."""
    count = len(dump.operators)
    numbers = np.full((count, _PLACES * len(_USED)), np.nan)
    checksums = np.zeros((count, _PLACES), np.uint64)
    slots = dump.slots
    tensor = slots.kind == SlotKind.TENSOR
    going_in = np.flatnonzero(tensor & np.isin(slots.group, (SlotGroup.INPUT, SlotGroup.KEYWORD)))
    first, second = _first_two(slots.operator[going_in])
    out = np.flatnonzero(tensor & (slots.group == SlotGroup.OUTPUT))
    first_out, _ = _first_two(slots.operator[out])
    hashed = _checksum_keys(dump)
    for place, rows in enumerate((going_in[first], going_in[second], out[first_out])):
        of = slots.operator[rows]
        for position, (name, flag) in enumerate(_USED):
            known = (slots.known[rows] & flag) != 0
            numbers[of, place * len(_USED) + position] = np.where(known, getattr(slots, name)[rows], np.nan)
        checksums[of, place] = hashed[rows]
    return Records(numbers, checksums)


def similarity(left: Records, right: Records) -> Float64:
    """Return how alike rows are, 0 (or nothing known) to 1; arrays broadcast over their leading axes."""
    near, known = closeness(left.numbers, right.numbers)
    hashed = (left.checksums != 0) & (right.checksums != 0)
    same = hashed & (left.checksums == right.checksums)
    count = known.sum(-1) + hashed.sum(-1)
    result: Float64 = (near.sum(-1) + same.sum(-1)) / np.maximum(count, 1)
    return result


def closeness(left: Float64, right: Float64) -> tuple[Float64, NDArray[np.bool_]]:
    """Return for each pair of numbers how near they are (1 equal, 0 far), and whether both are known."""
    known = ~(np.isnan(left) | np.isnan(right))
    with np.errstate(invalid="ignore", over="ignore"):
        scale = np.maximum(np.abs(left), np.abs(right))
        apart = np.abs(left - right) / np.where(scale > 0, _FAR * scale, 1.0)
    near = np.where(left == right, 1.0, np.clip(1.0 - apart, 0.0, 1.0))
    return np.where(known, np.nan_to_num(near), 0.0), known


def record_keys(dump: Dump) -> tuple[Keys, NDArray[np.bool_]]:
    """Return a key of everything that the dump says of each call's tensors, and whether it says enough.

    Enough is a floating point result that is not constant: two calls with such a record and all else equal
    computed the same thing.
    """
    slots = dump.slots
    tensor = slots.kind == SlotKind.TENSOR
    used = tensor & np.isin(slots.group, (SlotGroup.INPUT, SlotGroup.KEYWORD, SlotGroup.OUTPUT))
    hashed = _checksum_keys(dump)
    keys = combine(
        slots.group,
        slots.path,
        slots.shape,
        *(getattr(slots, name).view(np.int64) for name, _ in _USED),
        hashed.view(np.int64),
    )
    telling = (used & (slots.group == SlotGroup.OUTPUT)) & (
        (((slots.known & Known.NORM) != 0) & (slots.max != slots.min)) | (hashed != 0)
    )
    count = len(dump.operators)
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(np.where(used, keys, np.uint64(0)))])
    first = dump.operators.first_slot.astype(np.int64)
    sums = running[first + dump.operators.slot_count] - running[first]
    return sums, np.bincount(slots.operator[telling], minlength=count) > 0


def _checksum_keys(dump: Dump) -> Keys:
    """Return a key of each slot's checksum, 0 for none; checksums are hexadecimal texts."""
    ids = np.unique(dump.slots.checksum)
    keys = np.array([_as_number(dump.strings[text]) for text in ids.tolist()], np.uint64)
    return keys[np.searchsorted(ids, dump.slots.checksum)] if len(ids) else np.empty(0, np.uint64)


def _as_number(text: str) -> int:
    if not text:
        return 0
    try:
        return (int(text, 16) & 0xFFFFFFFFFFFFFFFF) or 1
    except ValueError:
        return int.from_bytes(text.encode("utf-8", "surrogatepass")[-8:], "big") or 1


def _first_two(operators: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the first and the second entry of each run of equal *operators*."""
    first = np.append(True, operators[1:] != operators[:-1])[: len(operators)]
    second = np.append(False, first[:-1])[: len(operators)] & ~first
    return first, second
