"""Exit status, as ``diff`` has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

import numpy as np

from core.match.ignored import ignored_rows
from core.records.ignoring import IgnoreRule
from core.records.result import CellResult, Reason, Verdict


class Status(IntEnum):
    """What a command found."""

    SAME = 0
    DIFFERENT = 1
    """Something differs, has an invalid golden, or was not compared."""
    TROUBLE = 2
    """Nothing could be compared, or the input could not be opened."""


_HARMLESS = (Reason.BOTH_EMPTY,)


def status_of(cells: Iterable[CellResult], ignored: Sequence[IgnoreRule] = ()) -> Status:
    """Return the status of a comparison.

    Empty tensors, which nobody can compare, do not count, nor does what the user has *ignored*.
    """
    compared = different = False
    for cell in cells:
        verdicts, reasons = cell.rows.verdict, cell.rows.reason
        not_compared = verdicts == Verdict.NOT_COMPARED
        compared |= bool((~not_compared).any())
        harmless = np.isin(reasons, _HARMLESS) | ignored_rows(cell, ignored)
        different |= bool(((verdicts >= Verdict.NOT_COMPARED) & ~harmless).any())
    if not compared:
        return Status.TROUBLE
    return Status.DIFFERENT if different else Status.SAME
