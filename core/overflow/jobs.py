"""What the window asks a worker process to do: work functions with picklable arguments and results."""

from __future__ import annotations

from core.errors import InputError, Problem
from core.messages import Message
from core.overflow.births.examination import examine
from core.overflow.conclusion import conclude
from core.overflow.engine import partners
from core.overflow.official import read_official
from core.progress import Progress, Work
from core.records.overflow import OverflowReport
from core.store.results import load_cell, load_info

__all__ = ["overflow_of_result", "read_official"]


def overflow_of_result(
    result_path: str, steps: tuple[int, ...] = (), ranks: tuple[int, ...] = ()
) -> Work[OverflowReport]:
    """Say where NaN, Inf and saturation are born in the target of a result file.

    Of the cells of *steps* and *ranks* where given. Tensors are read where the dumps still are.

    Raises
    ------
    InputError
        If it is no result file, is damaged, or has no such cells.
    """
    info = load_info(result_path)
    wanted = [
        key for key in info.cells if (not steps or key.step in steps) and (not ranks or key.rank in ranks)
    ]
    if not wanted:
        labels = ", ".join(key.label() for key in info.cells[:6])
        raise InputError(Problem("no_such_cells", result_path, {"cells": labels}))
    found = []
    for number, key in enumerate(wanted):
        yield Progress(number, len(wanted), Message("progress.overflow", {"cell": key.label()}))
        cell = load_cell(result_path, key)
        golden = cell.golden if info.golden_path else None
        partner = partners(cell.rows, len(cell.target.slots)) if info.golden_path else None
        found.append((yield from examine(cell.key, cell.target, golden, partner)))
    return conclude(
        info.target_path, info.golden_path, found, info.problems, {key.rank for key in info.cells}
    )
