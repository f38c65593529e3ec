"""Headroom of a whole run, a cell at a time, and the loss scale that fits all of it."""

from __future__ import annotations

import os
from collections.abc import Callable

from core.compare.cells import pair_cells
from core.compare.options import CompareOptions
from core.overflow.headroom.loss_scale import suggest_loss_scale
from core.overflow.headroom.measuring import measure_headroom
from core.progress import Work
from core.records.dump import Dump
from core.records.headroom import Headroom, LossScale
from core.records.run import CellKey, CellSource
from core.store.cache import Cache
from core.store.results import chosen_cells, load_cell
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
    cache = Cache.default() if options.use_cache else None
    found = []
    for key, source in _cells(path, options):
        dump = (yield from ingest(source, cache)) if source is not None else load_cell(path, key).target
        headroom = yield from measure_headroom(dump, key, processes=options.processes or os.cpu_count() or 1)
        take(headroom, dump)
        found.append(headroom)
    return suggest_loss_scale(found)


def _cells(path: str, options: CompareOptions) -> list[tuple[CellKey, CellSource | None]]:
    """Return the chosen cells; those of a result file have no source."""
    if is_result(path):
        return [(key, None) for key in chosen_cells(path, options.steps, options.ranks)]
    pairs, _ = pair_cells(open_run(path), None, options.steps, options.ranks)
    return [(pair.target.key, pair.target) for pair in pairs]
