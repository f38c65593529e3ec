"""What the window asks a worker process to do: work functions with picklable arguments and results."""

from __future__ import annotations

import os
from dataclasses import dataclass

from core.messages import Message
from core.overflow.births.examination import examine
from core.overflow.conclusion import conclude
from core.overflow.engine import partners
from core.overflow.headroom.loss_scale import suggest_loss_scale
from core.overflow.headroom.measuring import measure_headroom
from core.overflow.headroom.picture import exponent_picture
from core.overflow.official import read_official
from core.overflow.training.history import overflow_history
from core.overflow.training.limits import OverflowLimits
from core.progress import Progress, Work
from core.records.headroom import ExponentPicture, Headroom, LossScale
from core.records.overflow import OverflowReport
from core.records.run import CellKey
from core.records.training import TrainingOverflow
from core.store.results import chosen_cells, load_cell, load_cells, load_info

__all__ = ["RoomOfCell", "headroom_of_result", "history_of_log", "overflow_of_result", "read_official"]


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
    wanted = chosen_cells(result_path, steps, ranks)
    found = []
    for number, cell in enumerate(load_cells(result_path, wanted)):
        yield Progress(number, len(wanted), Message("progress.overflow", {"cell": cell.key.label()}))
        golden = cell.golden if info.golden_path else None
        partner = partners(cell.rows, len(cell.target.slots)) if info.golden_path else None
        found.append((yield from examine(cell.key, cell.target, golden, partner)))
    return conclude(
        info.target_path, info.golden_path, found, info.problems, {key.rank for key in info.cells}
    )


@dataclass(frozen=True)
class RoomOfCell:
    """How near the values of one cell are to the limits of fp16, and the picture of it."""

    headroom: Headroom
    picture: ExponentPicture
    scale: LossScale
    """Of this cell's gradients."""


def headroom_of_result(result_path: str, key: CellKey, width: int) -> Work[RoomOfCell]:
    """Measure the target's cell *key* of a result file; the picture is at most *width* columns wide.

    Raises
    ------
    InputError
        If it is no result file, is damaged, or has no such cell.
    """
    dump = load_cell(result_path, key).target
    headroom = yield from measure_headroom(dump, key, processes=os.cpu_count() or 1)
    return RoomOfCell(headroom, exponent_picture(headroom, width), suggest_loss_scale([headroom]))


def history_of_log(path: str, limits: OverflowLimits | None = None) -> Work[TrainingOverflow]:
    """Judge the training log at *path* by *limits* (default: the shipped ones).

    Raises
    ------
    InputError
        If it cannot be read, or no line tells of a step.
    """
    yield Progress(0, 0, Message("progress.read", {"path": path}))
    return overflow_history(path, limits)
