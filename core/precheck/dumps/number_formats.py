"""Which operators run in another floating format on each side."""

from __future__ import annotations

import numpy as np

from core.dtypes import Kind, dtype_named
from core.match.parameters import api_of
from core.precheck.dumps.facts import Cast
from core.records.columns import Int64
from core.records.dump import Dump, SlotGroup, SlotKind
from core.records.result import CellResult


def casts_of(cell: CellResult) -> tuple[tuple[Cast, ...], int]:
    """Return what is computed in other formats, in order of execution, and how many tensors are in the same.

    Tensors of floating formats alone count; parameters do not, as the format of weights is another matter.
    """
    names: dict[str, int] = {}
    rows = cell.rows
    left = _formats(cell.target, names)[rows.target_slot]
    right = _formats(cell.golden, names)[rows.golden_slot]
    known = (left >= 0) & (right >= 0)
    differs = np.flatnonzero(known & (left != right))
    spelt = list(names)
    keys = np.stack([rows.target_operator[differs], left[differs], right[differs]], axis=1)
    different, counts = np.unique(keys, axis=0, return_counts=True)
    found: dict[tuple[str, str, str], Cast] = {}
    for (operator, ours, theirs), count in zip(different.tolist(), counts.tolist()):
        name = cell.target.operator_name(operator)
        key = api_of(name), spelt[ours], spelt[theirs]
        before = found.get(key)
        found[key] = (
            Cast(*key, count, name) if before is None else before._replace(tensors=before.tensors + count)
        )
    return tuple(found.values()), int((known & (left == right)).sum())


def _formats(dump: Dump, names: dict[str, int]) -> Int64:
    """Return a number for the floating format of each slot, -1 for others and, behind, for no slot."""
    slots = dump.slots
    of_text = np.full(len(dump.strings) + 1, -1, np.int64)
    for name in np.unique(slots.dtype[slots.dtype >= 0]).tolist():
        dtype = dtype_named(dump.strings[name])
        if dtype is not None and dtype.kind in (Kind.FLOAT, Kind.COMPLEX):
            of_text[name] = names.setdefault(dtype.name, len(names))
    found = of_text[slots.dtype]
    found[(slots.kind != SlotKind.TENSOR) | (slots.group == SlotGroup.PARAMETER)] = -1
    return np.append(found, -1)
