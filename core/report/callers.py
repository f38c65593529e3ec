"""Which line of the user's code made a call that a diagnosis names."""

from __future__ import annotations

from collections.abc import Iterable

from core.records.diagnosis import Suspect
from core.records.dump import Dump
from core.records.names import forward_name
from core.records.result import CellResult
from core.records.run import CellKey
from core.records.stacks import Frame, calling_frame


def callers_of(suspects: Iterable[Suspect], cells: Iterable[CellResult]) -> dict[int, Frame]:
    """Return the calling line of each of *suspects* by its position; those without a stack are left out.

    A suspect points to a row of its cell among *cells*; what is said of no call was called nowhere.
    """
    by_key: dict[CellKey, CellResult] = {cell.key: cell for cell in cells}
    found = {}
    for position, suspect in enumerate(suspects):
        cell = by_key.get(suspect.cell)
        of_call = suspect.row >= 0 and (suspect.operator or suspect.golden_operator)
        frame = _caller(cell, suspect.row) if cell is not None and of_call else None
        if frame is not None:
            found[position] = frame
    return found


def _caller(cell: CellResult, row: int) -> Frame | None:
    """Return the line that made the call of *row*, on the target if the call is there."""
    for dump, operators in (
        (cell.target, cell.rows.target_operator),
        (cell.golden, cell.rows.golden_operator),
    ):
        operator = int(operators[row])
        frame = _frame(dump, operator) if operator >= 0 else None
        if frame is not None:
            return frame
    return None


def _frame(dump: Dump, operator: int) -> Frame | None:
    """Return the line of a call; a backward call has no stack of its own, but that of its forward call."""
    frame = calling_frame(dump.stacks[int(dump.operators.stack[operator])])
    forward = forward_name(dump.operator_name(operator))
    if frame is not None or forward is None:
        return frame
    name = dump.strings.find(forward)
    for found in (dump.operators.name == name).nonzero()[0][:1].tolist() if name >= 0 else ():
        return calling_frame(dump.stacks[int(dump.operators.stack[found])])
    return None
