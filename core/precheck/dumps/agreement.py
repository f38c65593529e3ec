"""How a value from outside lies on that of the other side: nothing but equal numbers are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.compare.leaves import Leaves
from core.dtypes import Kind, dtype_named
from core.match.parameters import api_of
from core.overflow.births.roles import is_loss
from core.precheck.dumps.facts import Agreement
from core.records.dump import Dump
from core.records.result import CellResult, Evidence, Reason, Verdict

Told = tuple[Agreement, str]
"""How a row stands, and the format that one side alone was rounded to."""
_LEAST_ALIKE, _TIMES_ALIKE = 3, 4
"""Tensors whose sums agree to the last digit, and how many times as many as do not, from which both sides sum
in one order. Assumptions: other devices disagree in most of the larger tensors."""


def agreements_of(
    cell: CellResult, leaves: Leaves, rows: Sequence[int], made_unequal: int
) -> dict[int, Told]:
    """Return how each of *rows* stands; a call has made something unequal before row *made_unequal*."""
    found = {row: _agreement(cell, leaves, row, made_unequal) for row in rows}
    for row in _really_apart(cell, found):
        found[row] = Agreement.DIFFERS, ""
    return found


def slot_of(cell: CellResult, row: int) -> int:
    """Return the target's slot of a row."""
    return int(cell.rows.target_slot[row])


def is_whole(dump: Dump, slot: int) -> bool:
    """Return whether a slot holds whole numbers or truth values."""
    dtype = dtype_named(dump.dtype(slot))
    return dtype is not None and dtype.kind in (Kind.INTEGER, Kind.BOOL)


def _agreement(cell: CellResult, leaves: Leaves, row: int, made_unequal: int) -> Told:
    verdict, reason = Verdict(int(cell.rows.verdict[row])), Reason(int(cell.rows.reason[row]))
    if verdict is Verdict.EQUAL or reason is Reason.BOTH_EMPTY:
        return Agreement.EQUAL, ""
    if verdict is Verdict.NOT_COMPARED:
        return Agreement.UNKNOWN, ""
    slot = slot_of(cell, row)
    operator = cell.target.operator_name(int(cell.target.slots.operator[slot]))
    if row > made_unequal and not (is_loss(api_of(operator)) and is_whole(cell.target, slot)):
        return Agreement.FOLLOWS, ""
    grid = leaves.rounded_to(row)
    if grid:
        return Agreement.ROUNDED, grid
    if verdict is Verdict.CLOSE:
        return _close(cell, row), ""
    return Agreement.DIFFERS, ""


def _close(cell: CellResult, row: int) -> Agreement:
    """Return what a difference within the noise of operators is where no operator has made the value."""
    target, golden = cell.target, cell.golden
    slots = slot_of(cell, row), int(cell.rows.golden_slot[row])
    if cell.rows.evidence[row] == Evidence.FULL:
        return Agreement.ROUNDED
    if target.dtype(slots[0]) != golden.dtype(slots[1]):
        return Agreement.ROUNDED
    sums = (
        target.strings[int(target.slots.checksum[slots[0]])],
        golden.strings[int(golden.slots.checksum[slots[1]])],
    )
    if all(sums) and len(sums[0]) == len(sums[1]) and sums[0] != sums[1]:
        return Agreement.DIFFERS
    same = all(
        getattr(target.slots, name)[slots[0]] == getattr(golden.slots, name)[slots[1]]
        for name in ("max", "min")
    )
    return Agreement.SUMS if same else Agreement.DIFFERS


def _really_apart(cell: CellResult, told: dict[int, Told]) -> list[int]:
    """Return rows whose sums differ though both sides sum alike: most tensors as large agree exactly."""
    slots = cell.target.slots
    sizes = np.append(cell.target.shapes.sizes, 0)
    # A tensor of one number, as the weights of a normalization, has the same sum in any order.
    telling = {row: slot for row in told if slots.max[slot := slot_of(cell, row)] != slots.min[slot]}
    apart = [row for row in telling if told[row][0] is Agreement.SUMS]
    equal = [row for row in telling if told[row][0] is Agreement.EQUAL]
    size_apart, size_equal = (
        np.sort([sizes[slots.shape[telling[row]]] for row in rows]) for rows in (apart, equal)
    )
    found = []
    for row in apart:
        size = sizes[slots.shape[telling[row]]]
        alike = len(equal) - int(np.searchsorted(size_equal, size))
        others = len(apart) - int(np.searchsorted(size_apart, size))
        if alike >= max(_LEAST_ALIKE, _TIMES_ALIKE * others):
            found.append(row)
    return found
