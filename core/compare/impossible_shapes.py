"""Records whose shape no tensor can have: their statistics may agree, and still prove nothing equal."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from core.records.dump import Dump
from core.records.result import Evidence, Reason, RowTable, Verdict

Bool = NDArray[np.bool_]


def distrust_impossible_shapes(rows: RowTable, where: NDArray[np.int64], target: Dump, golden: Dump) -> None:
    """Take back ``equal`` and ``close`` of the tensor pairs *where* of which a side has such a record.

    What differs in spite of it stays: statistics that disagree need no shape.
    """
    doubtful = _impossible(target, rows.target_slot[where]) | _impossible(golden, rows.golden_slot[where])
    index = where[doubtful & (rows.verdict[where] < Verdict.NOT_COMPARED)]
    rows.verdict[index] = Verdict.NOT_COMPARED
    rows.reason[index] = Reason.UNREADABLE
    rows.evidence[index] = Evidence.NONE
    rows.error[index] = rows.allowed[index] = np.nan


def _impossible(dump: Dump, slots: NDArray[np.int32]) -> Bool:
    """Return which of *slots* have a shape that could not be read; readers keep it among the extras."""
    found = np.zeros(len(slots), bool)
    maybe = np.flatnonzero((dump.slots.shape[slots] < 0) & (dump.slots.extra[slots] >= 0))
    if len(maybe):
        extras, inverse = np.unique(dump.slots.extra[slots[maybe]], return_inverse=True)
        says = np.array([_says_a_shape(dump.strings[int(identity)]) for identity in extras], bool)
        found[maybe] = says[inverse.reshape(-1)]
    return found


def _says_a_shape(text: str) -> bool:
    try:
        extra = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(extra, dict) and "shape" in extra
