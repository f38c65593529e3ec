"""The overflow analysis of a run, or of a target beside its golden: cell after cell, then all together.

Cells are examined in a process a core, and what is found in each is small: ranks by the dozen fit into memory
because their dumps are never there at the same time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from core.compare.cells import CellPair, pair_cells
from core.compare.options import CompareOptions
from core.compare.rows import pair_rows
from core.errors import InputError, Problem
from core.match.mapping import Mapping
from core.match.mapping_files import load_mapping
from core.messages import Message
from core.overflow.births.examination import Examination, examine
from core.overflow.conclusion import conclude
from core.progress import Progress, Work
from core.records.columns import Int32
from core.records.overflow import OverflowReport
from core.records.result import RowTable
from core.records.run import Run
from core.store.cache import Cache
from core.store.runs import ingest, open_run
from core.workers.together import Tickets, together

_WORTH_PROCESSES = 8 << 20
"""Bytes of dump text from which starting processes pays."""

T = TypeVar("T")
Found = tuple[list[Examination], list[Problem]]


def overflow_of_runs(target: str, golden: str, options: CompareOptions) -> Work[OverflowReport]:
    """Say where NaN, Inf and saturation are born in the run at *target*; *golden* may be empty.

    Raises
    ------
    InputError
        If a run cannot be opened at all, or no cell is common to both.
    """
    run, reference = open_run(target), open_run(golden) if golden else None
    pairs, problems = _pairs(run, reference, options)
    mapping = Mapping(picked=options.pairs).joined(load_mapping(options.mapping))
    processes = options.processes or os.cpu_count() or 1
    helpers = min(processes, len(pairs)) - 1 if _text_bytes(pairs) >= _WORTH_PROCESSES else 0
    tickets = Tickets()
    arguments = (pairs, mapping, options.use_cache, tickets)
    parts = yield from together(examine_cells(*arguments), [(examine_cells, arguments)] * helpers)
    found = [cell for cells, _ in parts for cell in cells]
    said = [problem for _, of_part in parts for problem in of_part]
    known = [*run.problems, *(reference.problems if reference else ()), *mapping.problems, *problems]
    return conclude(run.path, reference.path if reference else "", found, (*known, *said), run.ranks)


def _pairs(run: Run, golden: Run | None, options: CompareOptions) -> tuple[list[CellPair], list[Problem]]:
    """Return all chosen cells of *run*, with those of *golden* where it has them."""
    alone, _ = pair_cells(run, None, options.steps, options.ranks)
    if golden is None:
        return alone, []
    try:
        both, problems = pair_cells(run, golden, options.steps, options.ranks)
    except InputError as error:
        return alone, [error.problem]
    known = {pair.target.key: pair for pair in both}
    return [known.get(pair.target.key, pair) for pair in alone], problems


def examine_cells(
    pairs: Sequence[CellPair], mapping: Mapping, use_cache: bool, tickets: Tickets
) -> Work[Found]:
    """Examine those of *pairs* that *tickets* gives to this process."""
    cache = Cache.default() if use_cache else None
    found: list[Examination] = []
    problems: list[Problem] = []
    while (number := tickets.take(1)) < len(pairs):
        pair = pairs[number]
        dump = yield from _quietly(ingest(pair.target, cache), number, pairs)
        problems += dump.problems
        if pair.golden is None:
            found.append((yield from _quietly(examine(pair.target.key, dump), number, pairs)))
            continue
        golden = yield from _quietly(ingest(pair.golden, cache), number, pairs)
        partner = partners(pair_rows(dump, golden, mapping), len(dump.slots))
        work = examine(pair.target.key, dump, golden, partner)
        found.append((yield from _quietly(work, number, pairs)))
    return found, problems


def partners(rows: RowTable, slots: int) -> Int32:
    """Return for each of the target's *slots* the golden slot that *rows* set against it, -1 for none."""
    found = np.full(slots, -1, np.int32)
    there = rows.target_slot >= 0
    found[rows.target_slot[there]] = rows.golden_slot[there]
    return found


def _quietly(work: Work[T], number: int, pairs: Sequence[CellPair]) -> Work[T]:
    """Run *work* on one cell; its progress is a part of the whole's."""
    while True:
        try:
            progress = next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        done = number + (progress.fraction or 0.0)
        label = pairs[number].target.key.label()
        yield Progress(int(1000 * done), 1000 * len(pairs), Message("progress.overflow", {"cell": label}))


def _text_bytes(pairs: Sequence[CellPair]) -> int:
    """Return how much text has to be parsed."""
    files = [
        name
        for pair in pairs
        for source in (pair.target, pair.golden)
        if source is not None
        for role, name in source.files.items()
        if role != "data"
    ]
    return sum(Path(name).stat().st_size for name in files if Path(name).is_file())
