"""What became of each call from one round of a target to the next, both compared with one golden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from core.errors import Problem
from core.records.columns import ABSENT, Float64, Int32, StringPool, Table, UInt8, column
from core.records.run import CellKey


class RoundStatus(IntEnum):
    """What became of a call. Its name in lower case is the word in JSON and the catalogue code
    ``round.<name>``.
    """

    NEW = 0
    """It did not differ, and now does."""
    WORSE = 1
    """It differs in both, and by more now."""
    UNCHANGED = 2
    """It differs in both, by about as much."""
    BETTER = 3
    """It differs in both, and by less now."""
    FIXED = 4
    """It differed, and is equal or close now."""
    NOT_COMPARABLE = 5
    """The two rounds do not tell: not compared in one of them, or on less evidence than before."""
    ONLY_BEFORE = 6
    ONLY_AFTER = 7
    CLEAN = 8
    """Equal or close in both."""


@dataclass(frozen=True)
class RoundTable(Table):
    """One row a call of a cell, in the order of the later round; calls that only the earlier one has follow.

    Rows are those of the results' row tables at which the call is judged: its worst; -1 where a round does
    not have the call.
    """

    name: Int32 = column(np.int32, default=ABSENT)
    """Id in ``names``: the target's, or the golden's where only that has the call."""
    golden_name: Int32 = column(np.int32, default=ABSENT)
    status: UInt8 = column(np.uint8, default=RoundStatus.NOT_COMPARABLE)
    row_before: Int32 = column(np.int32, default=ABSENT)
    row_after: Int32 = column(np.int32, default=ABSENT)
    ratio_before: Float64 = column(np.float64, default=np.nan)
    """Error over what is allowed, at that row; infinite where the difference has no size."""
    ratio_after: Float64 = column(np.float64, default=np.nan)
    verdict_before: UInt8 = column(np.uint8)
    verdict_after: UInt8 = column(np.uint8)
    origin_before: UInt8 = column(np.uint8)
    """:class:`core.records.result.Origin` of the call: introduced if one of its rows is."""
    origin_after: UInt8 = column(np.uint8)


@dataclass(frozen=True)
class CellRounds:
    """All calls of one cell."""

    key: CellKey
    before: CellKey
    """Its cell in the earlier round."""
    calls: RoundTable
    names: StringPool

    def counts(self) -> Mapping[RoundStatus, int]:
        """Return how many calls have each status; all occur."""
        numbers = np.bincount(self.calls.status, minlength=len(RoundStatus)).tolist()
        return dict(zip(RoundStatus, numbers))


@dataclass(frozen=True)
class Rounds:
    """Two rounds compared, cell by cell."""

    before_path: str
    """The earlier round's target."""
    after_path: str
    golden_path: str
    cells: tuple[CellRounds, ...]
    problems: tuple[Problem, ...] = ()

    def counts(self) -> Mapping[RoundStatus, int]:
        """Return how many calls of all cells have each status; all occur."""
        total = dict.fromkeys(RoundStatus, 0)
        for cell in self.cells:
            for status, count in cell.counts().items():
                total[status] += count
        return total
