"""Where an operator that was not dumped must stand, by the stacks of the calls around it."""

from __future__ import annotations

from core.messages import Message, Parameter
from core.overflow.births.cell import Cell
from core.records.stacks import Frame, decode_stack, own_frames


def candidates(cell: Cell, row: int) -> list[Message]:
    """Return between which lines the operator before call *row* must stand that was not dumped."""
    around = set(cell.around(row))
    before = row - 1
    while before >= 0 and cell.names[before] in around:
        before -= 1
    here = _frames(cell, row)
    if before < 0:
        where = f"{here[0].path}:{here[0].line}" if here else ""
        return [Message("overflow.note.first_call", {"place": where})] if where else []
    there = _frames(cell, before)
    for frame in here:
        same = [item for item in there if (item.path, item.function) == (frame.path, frame.function)]
        if same and same[0].line <= frame.line:
            place: dict[str, Parameter] = {
                "operator": cell.names[before],
                "path": frame.path,
                "first": same[0].line,
                "last": frame.line,
                "function": frame.function,
            }
            code = "overflow.note.between" if same[0].line < frame.line else "overflow.note.same_line"
            return [Message(code, place)]
    return [Message("overflow.note.after", {"operator": cell.names[before]})]


def _frames(cell: Cell, row: int) -> list[Frame]:
    stack = cell.dump.stacks[int(cell.dump.operators.stack[row])]
    return own_frames(decode_stack(stack))
