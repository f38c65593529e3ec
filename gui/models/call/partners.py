"""Which call of one run is the partner of which of the other, for pairing by hand; imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.records.dump import Dump
from core.records.result import CellResult


@dataclass(frozen=True)
class Partners:
    """The calls of both sides in execution order, each with the name of its partner, empty for none."""

    target: dict[str, str]
    golden: dict[str, str]


def partners_in(cell: CellResult) -> Partners:
    """Return who is paired with whom in *cell*."""
    rows = cell.rows
    both = (rows.target_operator >= 0) & (rows.golden_operator >= 0)
    found = np.unique(np.stack([rows.target_operator[both], rows.golden_operator[both]]), axis=1)
    target, golden = _calls(cell.target), _calls(cell.golden)
    for left, right in found.T.tolist():
        ours, theirs = cell.target.operator_name(left), cell.golden.operator_name(right)
        target[ours], golden[theirs] = theirs, ours
    return Partners(target, golden)


def _calls(dump: Dump) -> dict[str, str]:
    return dict.fromkeys(map(dump.operator_name, range(len(dump.operators))), "")
