"""Headroom of a whole run, a cell at a time, and the loss scale that fits all of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from core.compare.cells import pair_cells
from core.compare.options import CompareOptions
from core.messages import Message
from core.overflow.headroom.loss_scale import suggest_loss_scale
from core.overflow.headroom.measuring import measure_headroom
from core.progress import Progress, Work
from core.records.dump import Dump
from core.records.headroom import Headroom, LossScale
from core.records.run import CellKey
from core.store.cache import Cache
from core.store.results import chosen_cells, load_cells
from core.store.runs import ingest, is_result, open_run


def headroom_of_run(
    path: str, options: CompareOptions, take: Callable[[Headroom, Dump], None]
) -> Work[LossScale]:
    """Measure the cells of the run, or of the target of the result file, at *path* one by one.

    *take* is called with each; dumps are not kept.

    Raises
    ------
    InputError
        If nothing can be opened, or the chosen cells are not there.
    """
    processes = options.processes or os.cpu_count() or 1
    found = []
    for key, reading in _dumps(path, options):
        dump = yield from reading
        headroom = yield from measure_headroom(dump, key, processes=processes)
        take(headroom, dump)
        found.append(headroom)
    return suggest_loss_scale(found)


def _dumps(path: str, options: CompareOptions) -> Iterator[tuple[CellKey, Work[Dump]]]:
    """Yield the chosen cells with the work of reading each."""
    if is_result(path):
        for cell in load_cells(path, chosen_cells(path, options.steps, options.ranks)):
            yield cell.key, _there(cell.target)
        return
    cache = Cache.default() if options.use_cache else None
    pairs, _ = pair_cells(open_run(path), None, options.steps, options.ranks)
    for pair in pairs:
        yield pair.target.key, ingest(pair.target, cache)


def _there(dump: Dump) -> Work[Dump]:
    yield Progress(1, 1, Message("progress.headroom"))
    return dump
