"""Statistics of weights, or checksums, without the weights: JSON and csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.samples import rank_of, step_of
from core.formats.evidence.statistics_tree import NAMES, number_of, statistics_in
from core.formats.evidence.weights.rows import WeightRows
from core.records.evidence import Evidence, EvidenceKind

TOLD = "told:"
"""Begins a checksum that somebody else computed: over which bytes is not known, so it is comparable only to
another such one, never to those of :mod:`~core.formats.evidence.weights.checkpoint`.
"""
_DIGEST = re.compile(r"[0-9a-fA-F]{8,128}")
_PARAMETER = re.compile(r"[^/\s]*\.(?:weight|bias|weight_[a-z]\w*|gamma|beta|.*embedding\w*|lora_[AB]\S*)")
_KEY_COLUMNS = ("key", "name", "weight_name", "weight", "parameter", "param", "tensor")
_MOST_ROWS = 2_000_000


def statistics_of(value: Mapping[str, Any], file: EvidenceFile) -> Evidence | None:
    """Return the weights that the JSON *value* tells of, ``{key: {"max", "min", "mean", "norm"}}``.

    ``{key: checksum}`` is understood too. ``None`` where it tells of none.
    """
    rows = WeightRows()
    rank = rank_of(file, 0)
    # Each rank has a file of its own; where they hold parts of one tensor, these are different tensors.
    head = f"rank{rank}/" if rank else ""
    # Words without a number are weights only beside weights: other documents have limits called max and min.
    known = next(statistics_in(value), None) is not None
    for key, numbers in statistics_in(value, untold=True) if known else ():
        rows.add(head + key, statistics=numbers)
    if not len(rows) and not _digests(value, rows):
        return None
    return _evidence(file, rows)


def read_statistics_table(file: EvidenceFile) -> Evidence | None:
    """Return the weights that a csv lists, a column each for the key, max, min, mean and norm.

    ``None`` for a table of something else.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    lines = file.lines()
    head = next(lines, (0, ""))[1].strip()
    columns = [column.strip().lower() for column in _cells(head)]
    key = next((column for column in columns if column in _KEY_COLUMNS), None)
    if key is None or not {"max", "min"} <= set(columns):
        return None
    rows = WeightRows()
    for number, line in lines:
        cells = dict(zip(columns, _cells(line)))
        if number > _MOST_ROWS or key not in cells:
            continue
        dtype = cells.get("dtype", "").strip()
        rows.add(
            cells[key].strip(), dtype=dtype, statistics=tuple(number_of(cells.get(name)) for name in NAMES)
        )
    return _evidence(file, rows) if len(rows) else None


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def _digests(value: Mapping[str, Any], rows: WeightRows) -> bool:
    """Add the checksums that *value* holds; return whether it holds those of weights, and nothing else."""
    named = sum(_PARAMETER.fullmatch(str(key)) is not None for key in value)
    if not named or named * 2 < len(value):
        return False
    if not all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in value.values()):
        return False
    for key, digest in value.items():
        rows.add(str(key), digest=TOLD + digest.lower())
    return True


def _evidence(file: EvidenceFile, rows: WeightRows) -> Evidence:
    table = rows.table(step_of(file, -1), file.place())
    return Evidence(file.path, (EvidenceKind.WEIGHTS,), weights=table)
