"""Which columns belong together: what one looks at with a question in mind."""

from __future__ import annotations

from enum import Enum

from core.records.dump import STATISTICS
from gui.models.table.columns import COLUMNS

_SIDES = ("target", "golden", "difference")


class ColumnSet(Enum):
    """A choice of columns; its value is the word that is remembered."""

    OURS = "ours"
    """What our verdict hangs on."""
    OFFICIAL = "official"
    """What the official tool's table tells."""
    STATISTICS = "statistics"
    """Both sides' statistics beside each other."""
    ALL = "all"
    OWN = "own"
    """What the user made of any of them."""


SETS: dict[ColumnSet, tuple[str, ...]] = {
    ColumnSet.OURS: (
        "operator", "slot", "verdict", "error", "cosine", "max_abs", "origin", "note", "shape", "dtype",
        "evidence",
    ),
    ColumnSet.OFFICIAL: (
        "operator", "golden_operator", "slot", "verdict", "cosine", "max_abs", "euclidean", "max_rel",
        "share_below_1e3", "share_below_5e3", "shape", "golden_shape", "dtype", "golden_dtype",
        *(f"{side}_{name}" for name in STATISTICS for side in (*_SIDES, "relative")),
    ),
    ColumnSet.STATISTICS: (
        "operator", "slot", "verdict", "shape", "dtype",
        *(f"{side}_{name}" for name in STATISTICS for side in _SIDES),
    ),
    ColumnSet.ALL: tuple(column.key for column in COLUMNS),
}  # fmt: skip
"""The keys of all but the user's own."""

EXPLORED = (
    "operator", "slot", "shape", "dtype", "target_value", "target_max", "target_min", "target_mean",
    "target_norm",
)  # fmt: skip
"""What is shown of a run that nothing is compared with."""
