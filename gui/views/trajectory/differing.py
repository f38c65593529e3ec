"""By what a row differs, in a few words: the size of its error, or what has no size."""

from __future__ import annotations

import numpy as np

from core.messages import text
from core.records.result import CellResult, Reason
from gui import numbers

_SPECIAL = "gui.trajectory.what_special"
_WHAT = {
    Reason.SPECIAL_VALUES: _SPECIAL,
    Reason.GOLDEN_SPECIAL_VALUES: _SPECIAL,
    Reason.SHAPE: "gui.trajectory.what_shape",
    Reason.SHAPE_ONES: "gui.trajectory.what_shape",
    Reason.EMPTY: "gui.trajectory.what_shape",
    Reason.TYPE: "gui.trajectory.what_type",
    Reason.DTYPE_CLASS: "gui.trajectory.what_type",
    Reason.VALUE: "gui.trajectory.what_value",
}  # fmt: skip


def what_differs(cell: CellResult, row: int) -> str:
    """Return by what *row* differs: the size of its error, or what has none."""
    reason, error = Reason(int(cell.rows.reason[row])), float(cell.rows.error[row])
    special = _WHAT.get(reason) == _SPECIAL
    if np.isfinite(error) and not special:
        return numbers.scientific(error, 1)
    if reason in _WHAT:
        return text(_WHAT[reason])
    return text(_SPECIAL if np.isinf(error) else f"reason.{reason.name.lower()}")
