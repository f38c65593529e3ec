"""What stands in a slot that holds no tensor."""

from __future__ import annotations

from core.records.dump import SlotKind
from core.records.result import CellResult
from gui.models.call.details import slot_text
from gui.names import shown


def plain_value(cell: CellResult, row: int) -> tuple[str, str] | None:
    """Return what both sides have in the slot of *row*; ``None`` where one has a tensor, or neither a slot.

    A side without the slot has an empty text.
    """
    sides = (
        (cell.target, int(cell.rows.target_slot[row])), (cell.golden, int(cell.rows.golden_slot[row])),
    )  # fmt: skip
    kinds = [dump.slots.kind[slot] for dump, slot in sides if slot >= 0]
    if not kinds or SlotKind.TENSOR in kinds:
        return None
    target, golden = (shown(slot_text(dump, slot)) for dump, slot in sides)
    return target, golden
