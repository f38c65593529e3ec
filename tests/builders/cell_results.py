"""Result files of several steps and ranks, made from one cell of a small GPT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from builders.results import gpt_result, result_info

from core.records.result import CellResult, Origin, Reason, Verdict
from core.records.run import CellKey
from core.store.results import result_writer


def clean(cell: CellResult) -> CellResult:
    """Return *cell* with nothing that differs."""
    bad = cell.rows.verdict >= Verdict.GOLDEN_INVALID
    sized = bad & ~np.isnan(cell.rows.error)
    rows = replace(
        cell.rows,
        verdict=np.where(bad, Verdict.CLOSE, cell.rows.verdict).astype(np.uint8),
        reason=np.where(bad, Reason.WITHIN_NOISE, cell.rows.reason).astype(np.uint8),
        origin=np.full(len(cell.rows), Origin.UNKNOWN, np.uint8),
        error=np.where(sized, 1e-7, cell.rows.error),
        cosine=np.where(sized, 1.0, cell.rows.cosine),
    )
    return replace(cell, rows=rows)


def larger(cell: CellResult, factor: float) -> CellResult:
    """Return *cell* with every error *factor* times as large."""
    return replace(cell, rows=replace(cell.rows, error=cell.rows.error * factor))


def write_cells(path: Path, cells: Iterable[tuple[CellKey, CellResult]]) -> None:
    """Write *cells* as a result file."""
    keys, first = [], gpt_result(layers=1, faulty_layer=0)
    with result_writer(path) as writer:
        for key, cell in cells:
            writer.add_cell(replace(cell, key=key, golden_key=key))
            keys.append(key)
        writer.finish(replace(result_info(first), cells=tuple(keys)))
