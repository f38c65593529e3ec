"""All rows of one cell: pair, take the best evidence there is, judge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.compare.arguments import judge_arguments
from core.compare.checksums import judge_checksums
from core.compare.measuring import measure_rows
from core.metrics.noise import NoiseTable
from core.progress import Work
from core.records.dump import Dump, SlotKind
from core.records.result import CellResult
from core.records.run import CellKey

Bool = NDArray[np.bool_]


def compare_dumps(
    key: CellKey, golden_key: CellKey, target: Dump, golden: Dump, noise: NoiseTable, *, processes: int
) -> Work[CellResult]:
    """Compare two dumps; at most *processes* workers measure tensors."""
    rows = pair_rows(target, golden)
    kinds_t, kinds_g = _kinds(target, rows.target_slot), _kinds(golden, rows.golden_slot)
    _judge_unlike(rows, kinds_t, kinds_g)
    both = (kinds_t >= 0) & (kinds_g >= 0)
    arguments = np.flatnonzero(both & (kinds_t == SlotKind.ARGUMENT) & (kinds_g == SlotKind.ARGUMENT))
    judge_arguments(rows, arguments, target, golden, noise)
    tensors = np.flatnonzero(both & (kinds_t == SlotKind.TENSOR) & (kinds_g == SlotKind.TENSOR))
    judge_records(rows, tensors, target, golden, noise)
    judge_checksums(rows, tensors, target, golden)
    class_counts, problems = yield from measure_rows(rows, tensors, target, golden, noise, processes)
    return CellResult(key, golden_key, target, golden, rows, class_counts, problems)
