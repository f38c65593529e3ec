"""A call that only one side has: which side, and which of its tensors to show."""

from __future__ import annotations

from enum import StrEnum

from core.records.dump import SlotGroup
from core.records.result import CellResult
from core.store.tensor_bytes import place_of


class Side(StrEnum):
    """Who has the call."""

    TARGET = "target"
    GOLDEN = "golden"


def slot_of_side(cell: CellResult, row: int, slots: tuple[int, int]) -> tuple[Side, int]:
    """Return the side that has the call of *row*, and a slot with a tensor: an output, or else an input.

    *slots* are those of the row itself, -1 where it names none; so is the slot where no tensor is stored.
    """
    on_target = int(cell.rows.target_operator[row]) >= 0
    side = Side.TARGET if on_target else Side.GOLDEN
    own = slots[0] if on_target else slots[1]
    if own >= 0:
        return side, own
    dump, operators = (
        (cell.target, cell.rows.target_operator) if on_target else (cell.golden, cell.rows.golden_operator)
    )
    stored = [slot for slot in dump.slots_of(int(operators[row])) if place_of(dump, slot) is not None]
    outputs = [slot for slot in stored if dump.slots.group[slot] == SlotGroup.OUTPUT]
    return side, next(iter([*outputs, *stored]), -1)
