"""What a training log holds, as columns: every record that could be read, in the order of its lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import Problem
from core.records.columns import Float64, Int64

UNSAID = -1
"""Step or rank of a record that does not say."""


class SparseColumn(NamedTuple):
    """One named value, where records have it."""

    record: Int64
    """Numbers of the records that have it, ascending; index into :attr:`LogTable.step`."""
    value: Float64
    """What they say; NaN and infinities as they stand in the log."""


class UnreadLine(NamedTuple):
    """A line that begins like a record and could not be read."""

    number: int
    """Counted from 1; of a file of TensorBoard events, the record's number."""
    text: str
    """The line, shortened."""


@dataclass(frozen=True)
class LogTable:
    """One log, or one folder of TensorBoard events. Steps may repeat and go back: training was resumed."""

    path: str
    forms: Mapping[str, int]
    """How many records have which form (``megatron``, ``trainer``, ``table``, ``tensorboard`` ...)."""
    step: Int64
    """Step of each record as the log numbers it; :data:`UNSAID` where it does not."""
    rank: NDArray[np.int32]
    """Rank that wrote each record; :data:`UNSAID` where the line does not say."""
    event: NDArray[np.bool_]
    """Records that tell of something that happened between steps, and are none that come every step."""
    columns: Mapping[str, SparseColumn]
    """By :class:`~core.records.series.Series` or by the log's own name."""
    lines: int
    """All lines of the file."""
    unread: int
    """Lines that begin like a record and could not be read."""
    unread_lines: tuple[UnreadLine, ...] = ()
    """The first of them."""
    read_bytes: int = 0
    """How much of the file was read: reading on starts there. Ends at the end of a line."""
    problems: tuple[Problem, ...] = field(default=())
