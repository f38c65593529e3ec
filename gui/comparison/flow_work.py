"""The data flow of a cell, worked out in a process of its own. Imports no Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import ABSENT, Int32
from core.records.run import CellKey
from gui.models.call.flow_columns import CellFlow, SideFlow

if TYPE_CHECKING:
    from core.records.dump import Dump
    from core.records.result import CellResult


def flow_of(result_path: str, key: CellKey, cell: CellResult | None) -> Work[CellFlow]:
    """Work out the flow of the cell *key*, which is read from the result where *cell* is ``None``."""
    from core.diagnosis import jobs

    if cell is None:
        cell = yield from jobs.read_cell_of_result(result_path, key)
    yield Progress(0, 2, Message("gui.flow.working"))
    rows = cell.rows
    target = side_flow(cell.target, rows.target_slot, rows.target_operator)
    yield Progress(1, 2, Message("gui.flow.working"))
    return CellFlow(target, side_flow(cell.golden, rows.golden_slot, rows.golden_operator))


def side_flow(dump: Dump, slots: Int32, operators: Int32) -> SideFlow:
    """Return the flow of *dump*; *slots* and *operators* are those of the rows of the result."""
    from core.match.flow import data_flow

    return SideFlow(
        data_flow(dump),
        _first_places(slots, len(dump.slots)),
        _first_places(operators, len(dump.operators)),
        _parents(dump),
    )


def _first_places(values: Int32, count: int) -> Int32:
    """Return for each number below *count* where it stands first in *values*, -1 for nowhere."""
    found = np.full(count, ABSENT, np.int32)
    places = np.flatnonzero(values >= 0)[::-1]
    found[values[places]] = places
    return found


def _parents(dump: Dump) -> Int32:
    """Return for each call the row of the call that has the name of its parent."""
    operators = dump.operators
    row_of_name = np.full(len(dump.strings) + 1, ABSENT, np.int32)  # the last one answers for absent
    row_of_name[operators.name] = np.arange(len(operators), dtype=np.int32)
    return row_of_name[operators.parent]
