"""The facts of two dumps, from the dumps or from a comparison that was made already.

Of tensor dumps only the first cell that both runs have is compared, never all: what tells whether the runs
are the same experiment, their weights, data, formats and calls, shows there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from core.compare.cells import pair_cells
from core.compare.options import CompareOptions
from core.compare.rows import compare_dumps
from core.curves.dump_loss import loss_in
from core.errors import InputError, Problem
from core.match.mapping import Mapping as CallMapping
from core.match.mapping_files import load_mapping
from core.precheck.dumps.dropout import dropouts_of
from core.precheck.dumps.facts import DumpFacts, Replicas
from core.precheck.dumps.number_formats import casts_of
from core.precheck.dumps.outside_values import outside_values
from core.precheck.dumps.replicas import replicas_of
from core.precheck.dumps.sequence import call_pairs, fused_calls, sameness_of, sequence_of
from core.progress import Work
from core.records.dump import Dump
from core.records.result import CellResult
from core.records.run import CellKey, CellSource, Run
from core.store.cache import Cache
from core.store.results import load_cells, load_info
from core.store.runs import ingest, open_run


def facts_of_runs(target: str, golden: str, options: CompareOptions | None = None) -> Work[DumpFacts]:
    """Compare the first cell that the runs at *target* and *golden* have in common, and return its facts.

    Raises
    ------
    InputError
        If a side cannot be opened at all, or no cell is common to both.
    """
    options = options or CompareOptions()
    run, reference = open_run(target), open_run(golden)
    pairs, problems = pair_cells(run, reference, options.steps, options.ranks)
    first = pairs[0]
    assert first.golden is not None  # two runs were given
    cache = Cache.default() if options.use_cache else None
    mapping = CallMapping(picked=options.pairs).joined(load_mapping(options.mapping))
    same = _places(first.target) == _places(first.golden)
    ours = yield from ingest(first.target, cache)
    theirs = ours if same else (yield from ingest(first.golden, cache))
    keys = first.target.key, first.golden.key
    cell = yield from compare_dumps(keys, ours, theirs, options, mapping)
    replicas = []
    for side in (run, reference):
        replicas.append((yield from _replicas_of_run(side, cache)))
    told = (*run.problems, *reference.problems, *mapping.problems, *problems, *cell.problems)
    return _facts(cell, (target, golden), same, replicas, told)


def facts_of_result(result_path: str) -> Work[DumpFacts]:
    """Return the facts of the first cell in the result file *result_path*; nothing is compared again.

    Raises
    ------
    InputError
        If it is no result file, is damaged, or explores one run alone.
    """
    info = load_info(result_path)
    if not info.golden_path or not info.cells:
        raise InputError(Problem("precheck_single_run", result_path))
    cell = next(load_cells(result_path, info.cells[:1]))
    same = info.target_path == info.golden_path and cell.key == cell.golden_key
    replicas = []
    for golden in (False, True):
        replicas.append((yield from _replicas_of_result(result_path, info.cells, golden)))
    return _facts(cell, (info.target_path, info.golden_path), same, replicas, info.problems)


def _places(source: CellSource) -> dict[str, str]:
    return {role: os.path.realpath(name) for role, name in source.files.items()}


def _replicas_of_run(run: Run, cache: Cache | None) -> Work[Replicas | None]:
    cells: Mapping[CellKey, CellSource] = run.cells

    def read(key: CellKey) -> Work[Dump]:
        return ingest(cells[key], cache)

    return (yield from replicas_of(cells, read))


def _replicas_of_result(path: str, cells: tuple[CellKey, ...], golden: bool) -> Work[Replicas | None]:
    def read(key: CellKey) -> Work[Dump]:
        yield from ()
        cell = next(load_cells(path, [key]))
        return cell.golden if golden else cell.target

    return (yield from replicas_of(cells, read))


def _facts(
    cell: CellResult,
    paths: tuple[str, str],
    same_files: bool,
    replicas: list[Replicas | None],
    problems: tuple[Problem, ...],
) -> DumpFacts:
    calls = call_pairs(cell)
    fused = fused_calls(cell, calls)
    weights, data = outside_values(cell)
    casts, same_formats = casts_of(cell)
    return DumpFacts(
        target_path=paths[0],
        golden_path=paths[1],
        target_cell=cell.key,
        golden_cell=cell.golden_key,
        weights=weights,
        data=data,
        casts=casts,
        same_formats=same_formats,
        dropout=(*dropouts_of(cell.target, golden=False), *dropouts_of(cell.golden, golden=True)),
        fused=fused,
        sequence=sequence_of(cell, calls, fused),
        sameness=sameness_of(cell, same_files),
        target_loss=loss_in(cell.target),
        golden_loss=loss_in(cell.golden),
        target_replicas=replicas[0],
        golden_replicas=replicas[1],
        problems=problems,
    )
