"""Exit status, as ``diff`` has it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from core.records.result import CellResult, Reason, Verdict


class Status(IntEnum):
    """What a command found."""

    SAME = 0
    DIFFERENT = 1
    """Something differs, has an invalid golden, or was not compared."""
    TROUBLE = 2
    """Nothing could be compared, or the input could not be opened."""


_HARMLESS = (Reason.BOTH_EMPTY,)


def status_of(cells: Iterable[CellResult]) -> Status:
    """Return the status of a comparison. Empty tensors, which nobody can compare, do not count."""
    compared = different = False
    for cell in cells:
        verdicts, reasons = cell.rows.verdict, cell.rows.reason
        not_compared = verdicts == Verdict.NOT_COMPARED
        compared |= bool((~not_compared).any())
        harmless = np.isin(reasons, _HARMLESS)
        different |= bool(((verdicts >= Verdict.NOT_COMPARED) & ~harmless).any())
    if not compared:
        return Status.TROUBLE
    return Status.DIFFERENT if different else Status.SAME
