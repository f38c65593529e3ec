"""What runs in the worker before a cell reaches the window: the core's job, then the facts over it.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.messages import Message
from core.progress import Progress, Work
from core.records.diagnosis import Diagnosis
from core.records.result import CellResult, ResultInfo
from core.records.run import CellKey
from core.store.notes import Notes, load_notes
from gui.models.roll_up import RollUp, counted

if TYPE_CHECKING:
    from core.diagnosis.jobs import OpenedPair
    from gui.models.facts import Facts


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


def open_pair(target: str, golden: str) -> Work[Opened]:
    """Compare *golden* and *target* (or explore *target* if *golden* is empty) and prepare the first cell."""
    from core.compare.options import CompareOptions
    from core.diagnosis import jobs

    began = time.perf_counter()
    opened = yield from jobs.open_pair(target, golden, CompareOptions())
    return (yield from _with_diagnosis(opened, began))


def open_result(path: str) -> Work[Opened]:
    """Read a result file, or else a packed run, and prepare its first cell."""
    from core.diagnosis import jobs

    began = time.perf_counter()
    try:
        opened = yield from jobs.open_result(path)
    except InputError as error:
        if error.problem.code != "not_a_store":
            raise
        try:
            return (yield from open_pair(path, ""))
        except InputError:
            raise error from None
    return (yield from _with_diagnosis(opened, began))


def open_cell(info: ResultInfo, path: str, key: CellKey) -> Work[Opened]:
    """Read and prepare another cell of an opened result."""
    from core.diagnosis import jobs

    began = time.perf_counter()
    cell = yield from jobs.read_cell_of_result(path, key)
    return (yield from _prepared(info, path, cell, began))


def roll_up(path: str) -> Work[RollUp]:
    """Count the rows of all cells of the result at *path*."""
    from core.store.results import load_cells

    found = {}
    for cell in load_cells(path):
        found[cell.key] = counted(cell)
        yield Progress(len(found), 0, Message("gui.progress.preparing"))
    return RollUp(found)


def _with_diagnosis(opened: OpenedPair, began: float) -> Work[Opened]:
    """Prepare the cell that the answer is in, else the first one."""
    from core.diagnosis import jobs
    from core.store.results import load_diagnosis
    from gui.emulation_work import holds_emulation
    from gui.models.suspects import open_suspects

    info, path, cell = opened.info, opened.result_path, opened.cell
    diagnosis = load_diagnosis(path)
    notes = load_notes(info.target_path, info.golden_path)
    accused = open_suspects(diagnosis, notes.explained)
    if accused and accused[0].cell != cell.key and accused[0].cell in info.cells:
        cell = yield from jobs.read_cell_of_result(path, accused[0].cell)
    rolled = yield from _rolled_up(info, path, cell)
    if not accused and rolled is not None and not rolled.differing(cell.key):
        bad = rolled.next_differing(cell.key)
        if bad is not None:  # the first cell is clean, but not all are
            cell = yield from jobs.read_cell_of_result(path, bad[0])
    made = yield from _prepared(info, path, cell, began)
    emulated = holds_emulation(path)
    return replace(made, diagnosis=diagnosis, notes=notes, roll_up=rolled, emulated=emulated)


def _rolled_up(info: ResultInfo, path: str, cell: CellResult) -> Work[RollUp | None]:
    """Count the rows of all cells if that is quickly done."""
    if len(info.cells) == 1:
        return RollUp({cell.key: counted(cell)})
    if len(info.cells) > _FEW_CELLS or Path(path).stat().st_size > _SMALL_RESULT:
        return None
    return (yield from roll_up(path))


def _prepared(info: ResultInfo, path: str, cell: CellResult, began: float) -> Work[Opened]:
    from gui.models.facts import build_facts

    yield Progress(0, 0, Message("gui.progress.preparing"))
    gc.disable()  # it would look through a million new names again and again, and nothing here is a cycle
    try:
        facts = build_facts(cell)
    finally:
        gc.enable()
    return Opened(info, path, cell, facts, time.perf_counter() - began)


def export_csv(
    output: str, result_path: str, key: CellKey, cell: CellResult | None, rows: NDArray[np.int64]
) -> Work[list[str]]:
    """Write the report of *rows* of *cell* (``None``: read from the result); returns the files written."""
    from core.diagnosis import jobs
    from core.report.csv_report import write_csv

    if cell is None:
        cell = yield from jobs.read_cell_of_result(result_path, key)
    return (yield from write_csv(output, [cell], rows))
