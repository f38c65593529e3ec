"""Results made ready to be shown, kept so that opening one again maps a file. Runs in the worker; no Qt."""

from __future__ import annotations

import gc
from dataclasses import dataclass

from core.messages import Message
from core.progress import Progress, Work
from core.records.diagnosis import Diagnosis
from core.records.result import CellResult, ResultInfo
from core.records.run import CellKey
from gui.models.pair.facts import Facts, build_facts


@dataclass(frozen=True)
class Summary:
    """What a result says as a whole."""

    info: ResultInfo
    diagnosis: Diagnosis | None
    emulated: bool
    """Whether it holds an emulation."""


@dataclass(frozen=True)
class ReadyCell:
    """One cell and the facts over its rows."""

    cell: CellResult
    facts: Facts


def summary_of_result(path: str) -> Summary:
    """Return what the result at *path* says as a whole.

    Raises
    ------
    InputError
        If it is no result file, or damaged.
    """
    from core.store.kept import made_of_result

    def read() -> Summary:
        from core.store.results import load_diagnosis, load_info
        from gui.emulation.work import holds_emulation

        return Summary(load_info(path), load_diagnosis(path), holds_emulation(path))

    return made_of_result(path, "summary", Summary, read)[0]


def ready_cell(path: str, key: CellKey) -> Work[tuple[ReadyCell, str]]:
    """Return the cell *key* of the result at *path*, and the flat file that holds it; empty if none does.

    Raises
    ------
    InputError
        If it is no result file, is damaged, or has no such cell.
    """
    from core.store.kept import made_of_result

    yield Progress(0, 0, Message("gui.progress.preparing"))
    return made_of_result(path, key.label(), ReadyCell, lambda: _make_ready(path, key))


def _make_ready(path: str, key: CellKey) -> ReadyCell:
    from core.store.results import load_cell

    cell = load_cell(path, key, as_written=True)
    gc.disable()  # it would look through a million new names again and again, and nothing here is a cycle
    try:
        return ReadyCell(cell, build_facts(cell))
    finally:
        gc.enable()
