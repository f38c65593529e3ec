"""The loss of a dumped run: the output of its loss operator over the dumped steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.curves import Axis, Curve, LoggedRun, RunKind
from core.records.dump import Dump, Known, SlotGroup, SlotKind
from core.records.names import Direction
from core.records.run import CellKey
from core.records.series import Series
from core.store.cache import Cache
from core.store.results import load_cells, load_info
from core.store.runs import ingest, open_run

_LOSS = re.compile(r"cross_?entropy|nll|criterion|loss(?!_?scale)", re.I)
_FLOAT = re.compile(r"float|half|double", re.I)


class _Place(NamedTuple):
    """The slot that holds the loss."""

    operator: str
    slot: str


class _Scalar(NamedTuple):
    place: _Place
    value: float


def loss_of_dump(path: str, use_cache: bool = True) -> Work[LoggedRun]:
    """Return the loss of the dump at *path* over its steps, of its first rank.

    It is the last scalar, floating output of a forward call whose name is one of a loss, else the last such
    output of any forward call; in all steps the same one.

    Raises
    ------
    InputError
        If nothing can be opened; ``curves_no_loss_operator``.
    """
    run = open_run(path)
    cache = Cache.default() if use_cache else None
    chosen = _one_a_step(run.cells)
    found: dict[int, list[_Scalar]] = {}
    for number, key in enumerate(chosen):
        yield Progress(number, len(chosen), Message("progress.loss_of_dump", {"cell": key.label()}))
        dump = yield from ingest(run.cells[key], cache)
        found[key.step] = list(_scalars(dump))
    return _logged(path, found, chosen)


def loss_of_result(path: str, golden: bool) -> LoggedRun:
    """Return the loss of the target, or of the golden, over the steps that the result file *path* holds.

    Raises
    ------
    InputError
        If it is no result file, or is damaged; ``curves_no_loss_operator``.
    """
    info = load_info(path)
    chosen = _one_a_step(dict.fromkeys(info.cells))
    found = {
        cell.key.step: list(_scalars(cell.golden if golden else cell.target))
        for cell in load_cells(path, chosen)
    }
    return _logged(info.golden_path if golden else info.target_path, found, chosen)


def loss_in(dump: Dump) -> float | None:
    """Return the loss of one cell, found as :func:`loss_of_dump` does; ``None`` where there is none."""
    scalars = list(_scalars(dump))
    place = _loss_place({0: scalars})
    return dict(scalars)[place] if place is not None else None


def _one_a_step(cells: Mapping[CellKey, object]) -> list[CellKey]:
    """Return the cell of the first rank of each step, in the order of steps."""
    first: dict[int, CellKey] = {}
    for key in sorted(cells, key=lambda key: (key.step, key.rank)):
        first.setdefault(key.step, key)
    return list(first.values())


def _logged(path: str, found: Mapping[int, list[_Scalar]], cells: list[CellKey]) -> LoggedRun:
    place = _loss_place(found)
    if place is None:
        raise InputError(Problem("curves_no_loss_operator", path))
    losses = {step: dict(scalars)[place] for step, scalars in found.items() if place in dict(scalars)}
    curve = Curve(np.array(list(losses), np.int64), np.array(list(losses.values()), np.float64))
    return LoggedRun(
        path,
        RunKind.DUMP,
        ("dump",),
        Axis.STEP,
        {Series.LOSS: curve},
        (),
        (),
        0,
        0,
        (),
        source=Message(
            "curves.source.operator", {"operator": place.operator, "slot": place.slot, "rank": cells[0].rank}
        ),
    )


def _loss_place(found: Mapping[int, list[_Scalar]]) -> _Place | None:
    """Return the slot that is the loss: of those with the name of a loss, else of all, the last one."""
    for scalars in found.values():
        named = [scalar.place for scalar in scalars if _LOSS.search(scalar.place.operator)]
        every = [scalar.place for scalar in scalars]
        if every:
            return (named or every)[-1]
    return None


def _scalars(dump: Dump) -> Iterator[_Scalar]:
    """Yield the floating outputs of one element of all forward calls, in the order of execution."""
    slots, operators = dump.slots, dump.operators
    wanted = (
        (slots.group == SlotGroup.OUTPUT)
        & (slots.kind == SlotKind.TENSOR)
        & ((slots.known & (Known.MAX | Known.MEAN)) != 0)
        & (slots.shape >= 0)
    )
    wanted &= operators.direction[slots.operator] == Direction.FORWARD
    for row in np.flatnonzero(wanted):
        shape = dump.shapes[int(slots.shape[row])]
        if shape is None or any(size != 1 for size in shape) or len(shape) > 1:
            continue
        if not _FLOAT.search(dump.strings[int(slots.dtype[row])] or ""):
            continue
        known = int(slots.known[row])
        value = float(slots.max[row] if known & Known.MAX else slots.mean[row])
        operator = dump.strings[int(operators.name[slots.operator[row]])] or ""
        yield _Scalar(_Place(operator, dump.slot_name(int(row))), value)
