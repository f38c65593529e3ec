"""All rows of one cell: pair, take the best evidence there is, judge."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.compare.arguments import judge_arguments
from core.compare.checksums import judge_checksums
from core.compare.impossible_shapes import distrust_impossible_shapes
from core.compare.measuring import MEASURED, measure_rows
from core.compare.options import CompareOptions
from core.match.by_name import match_by_name
from core.match.mapping import Mapping
from core.match.operators import match_operators
from core.match.slots import match_slots
from core.metrics.noise import NoiseTable
from core.metrics.statistics import judge_statistics, statistics_sides
from core.progress import Work
from core.records.columns import ABSENT, Int32, ShapePool, StringPool
from core.records.dump import Dump, OperatorTable, ScopeTable, SlotKind, SlotTable
from core.records.result import CellResult, ClassCountTable, Evidence, Reason, RowTable, Verdict
from core.records.run import CellKey

Rows = NDArray[np.int64]
_AT_ONCE = 1 << 17
"""Pairs of records judged together: some twenty numbers each are in memory meanwhile."""


def compare_dumps(
    keys: tuple[CellKey, CellKey], target: Dump, golden: Dump, options: CompareOptions, mapping: Mapping
) -> Work[CellResult]:
    """Compare two dumps, whose cells have these *keys*; what *mapping* says comes before all matching."""
    noise = options.noise
    rows = pair_rows(target, golden, mapping)
    kinds = _kinds(target, rows.target_slot), _kinds(golden, rows.golden_slot)
    _judge_kinds(rows, *kinds)
    arguments = np.flatnonzero((kinds[0] == SlotKind.ARGUMENT) & (kinds[1] == SlotKind.ARGUMENT))
    judge_arguments(rows, arguments, target, golden, noise)
    tensors = np.flatnonzero((kinds[0] == SlotKind.TENSOR) & (kinds[1] == SlotKind.TENSOR))
    judge_records(rows, tensors, target, golden, noise)
    judge_checksums(rows, tensors, target, golden)
    distrust_impossible_shapes(rows, tensors, target, golden)
    processes = options.processes or os.cpu_count() or 1
    if all((side.slots.file_size >= 0).any() for side in (target, golden)):
        rows = rows.writable(MEASURED)
    class_counts, problems = yield from measure_rows(rows, tensors, target, golden, noise, processes)
    return CellResult(*keys, target, golden, rows, class_counts, problems)


def explore_dump(key: CellKey, dump: Dump) -> CellResult:
    """Return *dump* as a result without a golden: a row a slot, nothing judged."""
    rows = RowTable.empty(len(dump.slots))
    rows.target_operator[:] = dump.slots.operator
    rows.target_slot[:] = np.arange(len(dump.slots))
    rows.reason[:] = Reason.SINGLE_RUN
    nothing = Dump(
        format=dump.format,
        framework="",
        task="",
        level="",
        data_dir="",
        operators=OperatorTable.empty(),
        slots=SlotTable.empty(),
        scopes=ScopeTable.empty(),
        strings=StringPool.of(()),
        shapes=ShapePool.of(()),
        stacks=StringPool.of(()),
    )
    return CellResult(key, key, dump, nothing, rows, ClassCountTable.empty())


def pair_rows(target: Dump, golden: Dump, mapping: Mapping | None = None) -> RowTable:
    """Return all rows of a comparison in order, not judged yet.

    A matched call has a row a slot, or one row when neither side recorded any; a call of one side only
    has one row. What neither side could record has none.
    """
    operators = None if mapping and mapping.operators else match_by_name(target, golden)
    if operators is None:
        operators = match_operators(target, golden, mapping).pairs
    matched = match_slots(target, golden, operators, mapping)
    pair, slots = matched.pair, matched.slots
    both_unrecorded = (_kinds(target, slots.target) == SlotKind.UNRECORDED) & (
        _kinds(golden, slots.golden) == SlotKind.UNRECORDED
    )
    kept = ~both_unrecorded
    pair, left, right = pair[kept], slots.target[kept], slots.golden[kept]
    bare = np.setdiff1d(np.arange(len(operators), dtype=np.int32), pair)
    blank = np.full(len(bare), ABSENT, np.int32)
    order = np.argsort(np.concatenate([pair, bare]), kind="stable")
    rows = RowTable.defaults(len(order)).writable(_JUDGED)
    of_pair = np.concatenate([pair, bare])[order]
    return replace(
        rows,
        target_operator=operators.target[of_pair],
        golden_operator=operators.golden[of_pair],
        target_slot=np.concatenate([left, blank])[order],
        golden_slot=np.concatenate([right, blank])[order],
    )


_JUDGED = ("verdict", "reason", "evidence", "error", "allowed")


def judge_records(rows: RowTable, where: Rows, target: Dump, golden: Dump, noise: NoiseTable) -> None:
    """Judge the tensor pairs *where* by shape, dtype and statistics."""
    for start in range(0, len(where), _AT_ONCE):
        block = where[start : start + _AT_ONCE]
        sides = statistics_sides(target, rows.target_slot[block], golden, rows.golden_slot[block])
        judged = judge_statistics(*sides, noise)
        for name in _JUDGED:
            getattr(rows, name)[block] = getattr(judged, name)


def _kinds(dump: Dump, slots: Int32) -> NDArray[np.int64]:
    """Return the kind of each slot, -1 for none."""
    return np.append(dump.slots.kind.astype(np.int64), -1)[slots]


def _judge_kinds(rows: RowTable, target: NDArray[np.int64], golden: NDArray[np.int64]) -> None:
    """Judge what needs no look at values: one-sided rows, None, and unlike kinds."""
    whole_call = (rows.target_slot < 0) & (rows.golden_slot < 0)
    target_only = (rows.golden_operator < 0) | (~whole_call & (golden < 0))
    golden_only = (rows.target_operator < 0) | (~whole_call & (target < 0))
    unlike = (target >= 0) & (golden >= 0) & (target != golden)
    unrecorded = unlike & ((target == SlotKind.UNRECORDED) | (golden == SlotKind.UNRECORDED))
    none = (target == SlotKind.NONE) & (golden == SlotKind.NONE)
    for where, verdict, reason, evidence in (
        (whole_call, Verdict.NOT_COMPARED, Reason.NO_DATA, Evidence.NONE),
        (target_only, Verdict.NOT_COMPARED, Reason.TARGET_ONLY, Evidence.NONE),
        (golden_only, Verdict.NOT_COMPARED, Reason.GOLDEN_ONLY, Evidence.NONE),
        (none, Verdict.EQUAL, Reason.BOTH_NONE, Evidence.FULL),
        (unlike, Verdict.DIFFERS, Reason.TYPE, Evidence.FULL),
        (unrecorded, Verdict.NOT_COMPARED, Reason.UNRECORDED, Evidence.NONE),
    ):
        rows.verdict[where] = verdict
        rows.reason[where] = reason
        rows.evidence[where] = evidence
