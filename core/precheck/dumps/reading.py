"""The facts of two dumps, from the dumps or from a comparison that was made already.

Of tensor dumps only the first cell that both runs have is compared, never all: what tells whether the runs
are the same experiment, their weights, data, formats and calls, shows there. Weights and data of some further
ranks of its step are compared by what the dump itself says of them, without their tensors' bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from core.compare.cells import pair_cells
from core.compare.options import CompareOptions
from core.compare.rows import compare_dumps
from core.curves.dump_loss import loss_in
from core.errors import InputError, Problem
from core.match.mapping import Mapping as CallMapping
from core.match.mapping_files import load_mapping
from core.precheck.dumps.arguments import arguments_of
from core.precheck.dumps.dropout import dropouts_of
from core.precheck.dumps.facts import DumpFacts, RankValues, Recorded, Replicas
from core.precheck.dumps.number_formats import casts_of
from core.precheck.dumps.outside_values import outside_values
from core.precheck.dumps.recording import recorded_of
from core.precheck.dumps.replicas import replicas_of
from core.precheck.dumps.sequence import call_pairs, fused_calls, sameness_of, sequence_of
from core.progress import Work
from core.records.dump import Dump
from core.records.result import CellResult
from core.records.run import CellKey, CellSource, Run
from core.store.cache import Cache
from core.store.results import load_cells, load_info
from core.store.runs import ingest, open_run

One = TypeVar("One")


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
    others = []
    beside = [pair for pair in pairs if pair.target.key[:2] == keys[0][:2]]
    for pair in _further(beside):
        assert pair.golden is not None
        left = yield from ingest(pair.target, cache)
        right = yield from ingest(pair.golden, cache)
        numbers = pair.target.key, pair.golden.key
        others.append((yield from compare_dumps(numbers, _bare(left), _bare(right), options, mapping)))
    replicas = []
    for side in (run, reference):
        replicas.append((yield from _replicas_of_run(side, cache)))
    told = (*run.problems, *reference.problems, *mapping.problems, *problems)
    facts = _facts(cell, (target, golden), same, replicas, told)
    return _with_ranks(facts, others, len(beside))


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
    facts = _facts(cell, (info.target_path, info.golden_path), same, replicas, info.problems)
    beside = [key for key in info.cells if key[:2] == cell.key[:2]]
    return _with_ranks(facts, list(load_cells(result_path, _further(beside))), len(beside))


def _further(beside: Sequence[One]) -> list[One]:
    """Return some of what lies *beside* the first: the second, the middle one and the last."""
    places = {1, len(beside) // 2, len(beside) - 1}
    return [beside[place] for place in sorted(places) if 0 < place < len(beside)]


def _bare(dump: Dump) -> Dump:
    """Return *dump* without its tensors' files: its statistics and checksums alone count."""
    absent = np.full(len(dump.slots), -1)
    slots = replace(
        dump.slots,
        file=absent.astype(np.int32),
        file_size=absent.astype(np.int64),
    )
    return replace(dump, slots=slots)


def _with_ranks(facts: DumpFacts, others: Iterable[CellResult], ranks: int) -> DumpFacts:
    """Return *facts* with the weights and data of other ranks, and what was wrong with their dumps.

    A rank whose dump is cut off is not looked at.
    """
    values, problems = [], list(facts.problems)
    for cell in others:
        problems += _problems_of(cell)
        recorded = recorded_of(cell.target), recorded_of(cell.golden)
        if Recorded.CUT not in recorded:
            found = outside_values(cell, chosen=Recorded.PART in recorded)
            values.append(RankValues(cell.key.rank, *found))
    each = {(item.code, item.path, repr(item.parameters)): item for item in problems}
    return replace(facts, other_ranks=tuple(values), ranks=ranks, problems=tuple(each.values()))


def _problems_of(cell: CellResult) -> tuple[Problem, ...]:
    return (*cell.target.problems, *cell.golden.problems, *cell.problems)


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
    recorded = recorded_of(cell.target), recorded_of(cell.golden)
    weights, data = outside_values(cell, chosen=Recorded.PART in recorded)
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
        target_recorded=recorded[0],
        golden_recorded=recorded[1],
        arguments=arguments_of(cell),
        problems=(*problems, *_problems_of(cell)),
    )
