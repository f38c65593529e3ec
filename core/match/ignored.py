"""Which rows of a comparison the user has left out of account."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.records.dump import Dump
from core.records.ignoring import IgnoreRule, rule_of_call
from core.records.names import forward_name
from core.records.result import CellResult

Mask = NDArray[np.bool_]


def ignored_rows(cell: CellResult, rules: Sequence[IgnoreRule]) -> Mask:
    """Return which rows of *cell* are of calls that *rules* take out of account."""
    rows = cell.rows
    if not rules:
        return np.zeros(len(rows), bool)
    on_target, on_golden = _ignored_calls(cell.target, rules), _ignored_calls(cell.golden, rules)
    return np.where(
        rows.target_operator >= 0, on_target[rows.target_operator], on_golden[rows.golden_operator]
    )


def _ignored_calls(dump: Dump, rules: Sequence[IgnoreRule]) -> Mask:
    """Return which operators of *dump* are ignored, and for -1 at the end that none is."""
    texts = ["", *dump.strings]  # -1 is the first
    names = [texts[name + 1] for name in dump.operators.name.tolist()]
    parents = [texts[parent + 1] for parent in dump.operators.parent.tolist()]
    above = dict(zip(names, parents))
    found = [
        rule_of_call(rules, name, parent or above.get(forward_name(name) or "", "")) is not None
        for name, parent in above.items()
    ]
    by_name = dict(zip(above, found))
    return np.array([*(by_name[name] for name in names), False])
