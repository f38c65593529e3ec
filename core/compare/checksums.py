"""What checksums add. Equal ones prove equal bytes; different ones prove little about floats, which differ by
noise, and nothing where the dumper took them after the value had changed in place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind, dtype_named
from core.records.columns import ABSENT
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.names import parse_operator_name
from core.records.result import Evidence, Reason, RowTable, Verdict

Bool = NDArray[np.bool_]

_FINE_PRECISION = 24
"""Significand bits from which four equal statistics with other bytes are no chance: float32 and wider."""
_RUNNING_STATISTICS = ("batch_norm", "instance_norm")
_RUNNING_PATHS = ("1", "2", "running_mean", "running_var")


def judge_checksums(rows: RowTable, where: NDArray[np.int64], target: Dump, golden: Dump) -> None:
    """Refine the tensor pairs *where*, already judged by their records, by their checksums."""
    left, right = rows.target_slot[where], rows.golden_slot[where]
    names = _shared_ids(target, golden)
    sums_t = target.slots.checksum[left]
    sums_g = names[golden.slots.checksum[right]]
    there = (sums_t >= 0) & (golden.slots.checksum[right] >= 0)
    if not there.any():
        return
    same_dtype = target.slots.dtype[left] == names[golden.slots.dtype[right]]
    lengths = (
        np.array([len(text) for text in (*target.strings, "")]),
        np.array([len(t) for t in (*golden.strings, "")]),
    )
    same_kind = lengths[0][sums_t] == lengths[1][golden.slots.checksum[right]]
    shapes_decide = np.isin(
        rows.reason[where], (Reason.SHAPE, Reason.SHAPE_ONES, Reason.EMPTY, Reason.BOTH_EMPTY)
    )
    comparable = there & same_dtype & same_kind & ~shapes_decide
    equal = comparable & (sums_t == sums_g)
    differ = comparable & (sums_t != sums_g)
    racy = differ.copy()
    racy[differ] = _racy(target, left[differ])
    by_statistics = rows.evidence[where] == Evidence.STATISTICS
    decided = by_statistics & (rows.verdict[where] != Verdict.NOT_COMPARED)
    was_equal = decided & (rows.verdict[where] == Verdict.EQUAL)
    exact, fine = _precision_classes(target)
    exact, fine = exact[target.slots.dtype[left]], fine[target.slots.dtype[left]]
    special = rows.reason[where] == Reason.SHARED_SPECIAL_VALUES

    def put(chosen: Bool, verdict: Verdict, reason: Reason, evidence: Evidence) -> None:
        index = where[chosen]
        rows.verdict[index], rows.reason[index], rows.evidence[index] = verdict, reason, evidence

    put(
        there & ~comparable & ~decided & ~shapes_decide,
        Verdict.NOT_COMPARED,
        Reason.INCOMPARABLE_CHECKSUMS,
        Evidence.NONE,
    )
    put(equal & ~special, Verdict.EQUAL, Reason.IDENTICAL, Evidence.CHECKSUM)
    put(equal & special, Verdict.EQUAL, Reason.SHARED_SPECIAL_VALUES, Evidence.CHECKSUM)
    rows.error[where[equal]] = 0.0
    put(differ & was_equal & exact, Verdict.DIFFERS, Reason.VALUE, Evidence.CHECKSUM)
    put(differ & was_equal & ~exact & fine, Verdict.DIFFERS, Reason.CHECKSUM_ONLY, Evidence.CHECKSUM)
    put(differ & was_equal & ~exact & ~fine, Verdict.CLOSE, Reason.CHECKSUM_ONLY, Evidence.STATISTICS)
    put(differ & ~decided, Verdict.DIFFERS, Reason.CHECKSUM, Evidence.CHECKSUM)
    put(racy & was_equal, Verdict.EQUAL, Reason.RACY_CHECKSUM, Evidence.STATISTICS)
    put(racy & ~decided, Verdict.NOT_COMPARED, Reason.RACY_CHECKSUM, Evidence.NONE)


def _shared_ids(target: Dump, golden: Dump) -> NDArray[np.int64]:
    """Return for each text of *golden* its id in *target*, -2 where it has none; -1 stays -1 (the last)."""
    ids = [index if (index := target.strings.find(text)) != ABSENT else -2 for text in golden.strings]
    return np.array([*ids, ABSENT], np.int64)


def _precision_classes(dump: Dump) -> tuple[Bool, Bool]:
    """Return for each text of *dump* whether it names an exact dtype, and a fine one."""
    exact, fine = np.zeros(len(dump.strings) + 1, bool), np.zeros(len(dump.strings) + 1, bool)
    for name in np.unique(dump.slots.dtype[dump.slots.dtype >= 0]).tolist():
        dtype = dtype_named(dump.strings[name])
        exact[name] = dtype is not None and dtype.kind in (Kind.INTEGER, Kind.BOOL)
        fine[name] = dtype is not None and dtype.precision >= _FINE_PRECISION
    return exact, fine


def _racy(dump: Dump, slots: NDArray[np.int32]) -> Bool:
    """Return which of *slots* hold a value that their call, or one soon after it, changes in place.

    The official dumper takes checksums in the background without a copy, so such a value gets the checksum
    of a later one. Where a value goes is seen from its record: an operand with the same dtype, shape and
    statistics is taken for the same value.
    """
    operands = np.flatnonzero(_operands(dump)).astype(np.int32)
    if not len(operands) or not len(slots):
        return np.zeros(len(slots), bool)
    both = np.concatenate([operands, slots])
    records = np.stack([getattr(dump.slots, name)[both].astype(np.float64) for name in _RECORD], axis=1)
    keys = np.ascontiguousarray(records).view(np.dtype((np.void, records.itemsize * len(_RECORD)))).ravel()
    _, value = np.unique(keys, return_inverse=True)
    place = value.astype(np.int64) * (len(dump.operators) + _LAG + 1) + dump.slots.operator[both]
    changes, asked = np.sort(place[: len(operands)]), place[len(operands) :]
    next_change = np.append(changes, np.iinfo(np.int64).max)[np.searchsorted(changes, asked)]
    found: Bool = next_change <= asked + _LAG
    return found


_LAG = 16
"""Calls that the dumper's background thread may be behind (at most 1 was seen)."""
_RECORD = ("shape", "dtype", "max", "min", "mean", "norm")


def _operands(dump: Dump) -> Bool:
    """Return which slots are operands that their own call changes in place."""
    in_place, running = [], []
    for name in dump.operators.name.tolist():
        api = parse_operator_name(dump.strings[name]).stem.rsplit(".", 1)[-1]
        in_place.append(_changes_in_place(api))
        running.append(api.startswith(_RUNNING_STATISTICS))
    of_statistics = np.array([text in _RUNNING_PATHS for text in dump.strings] + [False])
    slots = dump.slots
    inputs = (slots.group == SlotGroup.INPUT) | (slots.group == SlotGroup.KEYWORD)
    changed = np.array(in_place, bool)[slots.operator]
    changed |= np.array(running, bool)[slots.operator] & of_statistics[slots.path] & inputs
    found: Bool = changed & (slots.kind == SlotKind.TENSOR)
    return found


def _changes_in_place(api: str) -> bool:
    if api.startswith("__"):
        return (
            api.startswith("__i") and api.endswith("__") and api not in ("__invert__", "__index__", "__int__")
        )
    return api.endswith("_")
