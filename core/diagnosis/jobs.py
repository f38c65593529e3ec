"""What the window asks a worker process to do: work functions with picklable arguments and results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.diagnosis.kept_results import result_place
from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.result import CellResult
from core.records.run import CellKey
from core.store.kept import is_kept, make_room
from core.store.notes import load_notes
from core.store.results import load_cell


def result_of_pair(target: str, golden: str, options: CompareOptions, anew: bool = False) -> Work[str]:
    """Return the path of the result of two runs, or of *target* alone when *golden* is empty.

    They are compared and diagnosed unless a result of them as they are now is kept, or it is wanted *anew*.

    Raises
    ------
    InputError
        If a side cannot be opened at all, no cell is common to both, or results cannot be kept.
    """
    options = replace(options, pairs={**load_notes(target, golden).pairs, **options.pairs})
    place = result_place(target, golden, options)
    if anew or not is_kept(place):
        try:
            yield from diagnose_runs(target, golden, options, result_path=str(place))
        except OSError as error:
            why = error.strerror or str(error)
            raise InputError(Problem("cache_unwritable", str(place.parent), {"why": why})) from None
        make_room()
    return str(place)


def read_cell_of_result(path: str, key: CellKey) -> Work[CellResult]:
    """Return a cell of the result at *path*."""
    yield Progress(0, 1, Message("progress.read", {"path": key.label()}))
    return load_cell(Path(path), key)
