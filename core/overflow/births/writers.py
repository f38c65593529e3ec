"""Calls that write a number into a tensor and give nothing out, as ``x[0] = nan`` does."""

from __future__ import annotations

import math

from core.overflow.births.cell import Cell
from core.overflow.births.excuses import arguments
from core.overflow.births.roles import changes_operand
from core.records.columns import ABSENT
from core.records.dump import SlotGroup, SlotKind
from core.records.names import OperatorKind
from core.records.overflow import Special

_REACH = 64
"""Calls before the one that takes the values in which their writer is looked for."""


def writer_before(cell: Cell, row: int, slot: int, values: Special) -> int:
    """Return the last call before *row* that writes all of *values* into a tensor of the shape of *slot*.

    -1 if there is none near by. Such a call is dumped without an output, so that no other trace leads to it.
    """
    for before in range(row - 1, max(row - 1 - _REACH, -1), -1):
        if cell.kind(before) is not OperatorKind.API or not changes_operand(cell.api(before)):
            continue
        operand = cell_operand(cell, before)
        same = operand >= 0 and cell.dump.slots.shape[operand] == cell.dump.slots.shape[slot]
        if same and not values & ~_written(cell, before):
            return before
    return ABSENT


def cell_operand(cell: Cell, row: int) -> int:
    """Return the slot of the first tensor that goes into call *row*, -1 for none."""
    slots = cell.dump.slots
    inputs = (
        slot
        for slot in cell.dump.slots_of(row)
        if slots.group[slot] == SlotGroup.INPUT and slots.kind[slot] == SlotKind.TENSOR
    )
    return next(inputs, ABSENT)


def _written(cell: Cell, row: int) -> Special:
    found = Special.NONE
    for value in arguments(cell, row):
        if math.isnan(value):
            found |= Special.NAN
        elif math.isinf(value):
            found |= Special.PLUS_INF if value > 0 else Special.MINUS_INF
    return found
