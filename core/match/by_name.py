"""Calls matched by their exact names: right where call counts agree."""

from __future__ import annotations

import numpy as np

from core.match.pairing import Pairs, interleave
from core.records.dump import Dump


def match_operators(target: Dump, golden: Dump) -> Pairs:
    """Pair the calls of equal name; all others stand alone.

    Should a dump hold a name twice, the first of one side is paired with the first of the other.
    """
    waiting: dict[str, list[int]] = {}
    for row, name in enumerate(target.operators.name.tolist()):
        waiting.setdefault(target.strings[name], []).append(row)
    for rows in waiting.values():
        rows.reverse()
    found = np.full(len(golden.operators), -1, np.int64)
    for row, name in enumerate(golden.operators.name.tolist()):
        rows_left = waiting.get(golden.strings[name])
        if rows_left:
            found[row] = rows_left.pop()
    return interleave(found, len(target.operators))
