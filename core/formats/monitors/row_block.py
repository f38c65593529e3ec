"""Some rows of a monitor's file, as columns."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from core.records.columns import Float64, Int32, Int64
from core.records.trends import Bool


class RowBlock(NamedTuple):
    """Rows of one file in their order."""

    keys: tuple[tuple[int, str, str], ...]
    """Stage, name and scope that occur."""
    key: NDArray[Any]
    """Index into :attr:`keys`, one a row."""
    step: Int64
    micro: Int32
    statistics: tuple[tuple[str, Float64, Bool | None], ...]
    """Name, values and which of them are there (``None``: all)."""
