"""The official analyser's answer as a report: its accused calls, with what their records say."""

from __future__ import annotations

from core.formats.msprobe.anomalies import read_anomalies
from core.messages import Message
from core.overflow.births.cell import Cell
from core.overflow.special_values import special_values
from core.progress import run_to_end
from core.records.overflow import Birth, BirthKind, Level, Mode, OverflowReport
from core.records.run import CellKey


def read_official(path: str) -> OverflowReport:
    """Return what the ``anomaly_analyze_*.json`` at *path* accuses, in its order.

    The file does not tell the step: all are of step 0.

    Raises
    ------
    InputError
        If it cannot be read, or is something else.
    """
    dumps = read_anomalies(path)
    births = []
    for rank, found in sorted(dumps.items()):
        dump, values = run_to_end(special_values(found, read_tensors=False))
        cell = Cell(CellKey("", 0, rank), dump, values)
        births += [_birth(cell, row) for row in range(len(dump.operators))]
    return OverflowReport(
        path=path,
        golden_path="",
        origins=tuple(births),
        spreads=(),
        expected=(),
        mode=Mode.UNKNOWN,
        tracks=(),
        remarks=(Message("overflow.remark.official"),),
        problems=tuple(problem for dump in dumps.values() for problem in dump.problems),
    )


def _birth(cell: Cell, row: int) -> Birth:
    bad = cell.bad_slots.get(row)
    slots = (*bad.outputs, *bad.inputs, *bad.weights) if bad is not None else ()
    dump = cell.dump
    return Birth(
        kind=BirthKind.OUTPUT,
        level=Level.HIGH if bad is not None and (bad.inputs or bad.weights) else Level.CRITICAL,
        cell=cell.key,
        operator=cell.names[row],
        slot=dump.slot_name(slots[0]) if slots else "",
        row=row,
        values=cell.special(slots),
        message=Message("overflow.birth.official", {"operator": cell.names[row]}),
        module=cell.parent(row),
        stack=dump.stacks[int(dump.operators.stack[row])],
    )
