"""What runs in a worker process for the rounds: two results compared, their calls as columns.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Work
from core.records.columns import Int32
from core.records.rounds import Rounds, RoundTable
from core.records.run import CellKey
from core.store.rounds import Round
from gui.models.pair.texts import Texts

if TYPE_CHECKING:
    from core.records.result import ResultInfo

_NAMED = 20
"""Calls whose origin moved that are named."""


@dataclass(frozen=True)
class FoundRounds:
    """Two rounds compared: the calls of all cells, one after the other."""

    calls: RoundTable
    """Names are places in ``names``."""
    cell: Int32
    """Place in ``cells`` of each call."""
    cells: tuple[CellKey, ...]
    names: Texts
    counts: tuple[int, ...]
    """Calls of each :class:`core.records.rounds.RoundStatus`."""
    sentence: Message
    doubtful: int
    gone: tuple[str, ...]
    """The first calls that no longer introduce an error."""
    new: tuple[str, ...]
    problems: tuple[Problem, ...]


def compare(before: Round, golden: str, after: str) -> Work[FoundRounds]:
    """Compare the round *before* with the result at *after*; both are of targets against *golden*.

    Where the earlier result is gone, the earlier target is compared again.
    """
    from core.compare.options import CompareOptions
    from core.compare.rounds import compare_rounds
    from core.diagnosis import jobs

    path = before.result
    if not _is_result_of(before):
        path = yield from jobs.result_of_pair(before.target, golden, CompareOptions())
    rounds = yield from compare_rounds(path, after)
    return found_rounds(rounds)


def _is_result_of(before: Round) -> bool:
    from core.store.results import load_info

    if not Path(before.result).is_file():
        return False
    try:
        info: ResultInfo = load_info(before.result)
    except InputError:
        return False
    return info.target_path == before.target


def found_rounds(rounds: Rounds) -> FoundRounds:
    """Return *rounds* as the window shows them."""
    from core.report.rounds_report import doubtful, moved_origins, rounds_sentence

    tables: list[RoundTable] = []
    names: list[str] = []
    cells: list[Int32] = []
    for number, cell in enumerate(rounds.cells):
        calls, shift = cell.calls, len(names)
        tables.append(
            replace(
                calls,
                name=calls.name + np.int32(shift),
                golden_name=np.where(calls.golden_name >= 0, calls.golden_name + shift, -1).astype(np.int32),
            )
        )
        names.extend(cell.names)
        cells.append(np.full(len(calls), number, np.int32))
    moved_names = [
        tuple(dict.fromkeys(name for cell in rounds.cells for name in moved_origins(cell, gone)))[:_NAMED]
        for gone in (True, False)
    ]
    return FoundRounds(
        calls=RoundTable.concatenate(tables),
        cell=np.concatenate(cells) if cells else np.empty(0, np.int32),
        cells=tuple(cell.key for cell in rounds.cells),
        names=Texts.of(names),
        counts=tuple(rounds.counts().values()),
        sentence=rounds_sentence(rounds),
        doubtful=doubtful(rounds),
        gone=moved_names[0],
        new=moved_names[1],
        problems=rounds.problems,
    )
