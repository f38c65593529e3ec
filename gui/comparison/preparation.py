"""What runs in the worker before a cell reaches the window: the core's job, then the facts over it.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.messages import Message
from core.progress import Progress, Work
from core.records.diagnosis import Diagnosis
from core.records.notes import Notes
from core.records.result import CellResult, ResultInfo
from core.records.run import CellKey
from core.store.flat_file import read_flat
from core.store.notes import load_notes
from gui.comparison.cells_work import roll_up
from gui.comparison.ready_cells import ReadyCell, ready_cell, summary_of_result
from gui.comparison.reconnect_work import Whereabouts, whereabouts
from gui.models.pair.roll_up import RollUp, counted, summary_of

if TYPE_CHECKING:
    from gui.models.pair.facts import Facts


_FEW_CELLS, _SMALL_RESULT = 64, 16 << 20
"""Cells and bytes of a result up to which all of it is looked through before it is shown."""


@dataclass(frozen=True)
class Opened:
    """A cell ready to be shown, and the result it belongs to."""

    info: ResultInfo
    path: str
    """The result file."""
    cell: CellResult
    facts: Facts
    seconds: float
    """How long it took in the worker."""
    diagnosis: Diagnosis | None = None
    """Of the whole result; only another pair's brings one."""
    notes: Notes = field(default_factory=Notes)
    roll_up: RollUp | None = None
    """Of all cells; ``None`` where counting them would take long and is still to be done."""
    emulated: bool = False
    """Whether the result holds an emulation; only another pair's says so."""
    whereabouts: tuple[Whereabouts, ...] = ()
    """Of both sides of the cell; the cell itself says where they were when the result was made."""
    flat: str = ""
    """The flat file that holds cell and facts: it is told to another process instead of them."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        if not self.flat:
            return super().__reduce_ex__(protocol)
        sent = {item.name: getattr(self, item.name) for item in fields(self)}
        del sent["cell"], sent["facts"]
        return _from_flat, (sent,)


def _from_flat(sent: dict[str, Any]) -> Opened:
    ready = read_flat(Path(sent["flat"]), ReadyCell)
    return Opened(cell=ready.cell, facts=ready.facts, **sent)


def open_pair(target: str, golden: str, anew: bool = False) -> Work[Opened]:
    """Compare *golden* and *target* (or explore *target* if *golden* is empty) and prepare the first cell.

    What was found the last time is taken if nothing has changed, unless it is wanted *anew*.
    """
    began = time.perf_counter()
    path = yield from _compared(target, golden, anew)
    return (yield from _opened(path, began))


def _compared(target: str, golden: str, anew: bool = False) -> Work[str]:
    from core.compare.options import CompareOptions
    from core.diagnosis.jobs import result_of_pair

    return (yield from result_of_pair(target, golden, CompareOptions(), anew))


def open_result(path: str) -> Work[Opened]:
    """Read a result file, or else a packed run, and prepare its first cell."""
    began = time.perf_counter()
    yield Progress(0, 1, Message("progress.read", {"path": Path(path).name}))
    try:
        return (yield from _opened(path, began))
    except InputError as error:
        if error.problem.code != "not_a_store":
            raise
        try:
            return (yield from open_pair(path, ""))
        except InputError:
            raise error from None


def open_cell(info: ResultInfo, path: str, key: CellKey) -> Work[Opened]:
    """Read and prepare another cell of an opened result; one that was removed to make room is made again."""
    from core.store.kept import result_folder

    began = time.perf_counter()
    if not Path(path).exists() and Path(path).parent == result_folder():
        path = yield from _compared(info.target_path, info.golden_path)
    ready, flat = yield from ready_cell(path, key)
    found = whereabouts(ready.cell, path)
    return Opened(
        info, path, ready.cell, ready.facts, time.perf_counter() - began, whereabouts=found, flat=flat
    )


def _opened(path: str, began: float) -> Work[Opened]:
    """Prepare the cell that the answer is in, else the first one in which something differs."""
    from gui.models.pair.suspects import open_suspects

    summary = summary_of_result(path)
    info = summary.info
    notes = load_notes(info.target_path, info.golden_path)
    accused = open_suspects(summary.diagnosis, notes)
    key = accused[0].cell if accused and accused[0].cell in info.cells else info.cells[0]
    ready, flat = yield from ready_cell(path, key)
    rolled = yield from _rolled_up(info, path, ready.cell)
    if not accused and rolled is not None and not rolled.differing(key):
        bad = rolled.next_differing(key)
        if bad is not None:  # the first cell is clean, but not all are
            ready, flat = yield from ready_cell(path, bad[0])
    return Opened(
        info, path, ready.cell, ready.facts, time.perf_counter() - began,
        summary.diagnosis, notes, rolled, summary.emulated, whereabouts(ready.cell, path), flat,
    )  # fmt: skip


def _rolled_up(info: ResultInfo, path: str, cell: CellResult) -> Work[RollUp | None]:
    """Count the rows of all cells if that is quickly done."""
    if len(info.cells) == 1:
        return RollUp({cell.key: counted(cell)}, {cell.key: summary_of(cell)})
    if len(info.cells) > _FEW_CELLS or Path(path).stat().st_size > _SMALL_RESULT:
        return None
    return (yield from roll_up(path))


def export_csv(
    output: str, result_path: str, key: CellKey, cell: CellResult | None, rows: NDArray[np.int64]
) -> Work[list[str]]:
    """Write the report of *rows* of *cell* (``None``: read from the result); returns the files written."""
    from core.diagnosis import jobs
    from core.report.csv_report import write_csv

    if cell is None:
        cell = yield from jobs.read_cell_of_result(result_path, key)
    return (yield from write_csv(output, [cell], rows))


def export_shown(
    output: str,
    result_path: str,
    key: CellKey,
    cell: CellResult | None,
    notes: Notes,
    items: NDArray[np.int64],
    columns: Sequence[str],
    of_calls: bool,
) -> Work[str]:
    """Write *columns* of the metric table, by their keys, of *items*: rows of *cell*, or its calls.

    *cell* is ``None`` where it is to be read from the result. Returns the file written.
    """
    from core.diagnosis import jobs
    from core.report.shown_report import write_shown
    from gui.models.table.shown_table import ShownTable

    if cell is None:
        cell = yield from jobs.read_cell_of_result(result_path, key)
    yield Progress(0, 0, Message("gui.progress.preparing"))
    table = ShownTable.of(cell, notes, columns, of_calls)
    blocks = table.blocks(items)
    return (yield from write_shown(output, table.heads, table.numbers, blocks, len(items)))
