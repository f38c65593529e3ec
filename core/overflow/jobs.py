"""What the window asks a worker process to do: work functions with picklable arguments and results."""

from __future__ import annotations

from core.messages import Message
from core.overflow.conclusion import conclude
from core.overflow.engine import partners
from core.overflow.examination import examine
from core.overflow.official import read_official
from core.progress import Progress, Work
from core.records.overflow import OverflowReport
from core.store.results import load_cells, load_info

__all__ = ["overflow_of_result", "read_official"]


def overflow_of_result(result_path: str) -> Work[OverflowReport]:
    """Say where NaN, Inf and saturation are born in the target of a result file.

    Tensors are read where the dumps still lie where they were.

    Raises
    ------
    InputError
        If it is no result file, or damaged.
    """
    info = load_info(result_path)
    found = []
    for number, cell in enumerate(load_cells(result_path)):
        yield Progress(number, len(info.cells), Message("progress.overflow", {"cell": cell.key.label()}))
        golden = cell.golden if info.golden_path else None
        partner = partners(cell.rows, len(cell.target.slots)) if info.golden_path else None
        found.append((yield from examine(cell.key, cell.target, golden, partner)))
    return conclude(info.target_path, info.golden_path, found, info.problems)
