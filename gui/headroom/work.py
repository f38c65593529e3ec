"""What runs in a worker process for the headroom view: the core's job, out of the way of all else.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.progress import Work
from core.records.headroom import ExponentPicture, Headroom, LossScale
from core.records.run import CellKey

COLUMNS = 16384
"""Columns of the picture at most: more than any screen, so that one can look closer."""
_POLITE = 10
"""How far this work stands back behind what the user waits for."""


@dataclass(frozen=True)
class CellRoom:
    """How near the values of one cell are to the limits of a format, as the window wants it."""

    headroom: Headroom
    """Without its histograms: they are in the picture, and large."""
    picture: ExponentPicture
    scale: LossScale
    counts: Mapping[str, int]
    """Slots by what happens to them, see :func:`core.report.headroom_report.counts_of`."""


def room_of_cell(result_path: str, key: CellKey) -> Work[CellRoom]:
    """Measure the target's cell *key* of the result at *result_path*, at a low priority."""
    from core.overflow import jobs
    from core.report.headroom_report import counts_of

    if hasattr(os, "nice"):
        os.nice(_POLITE)
    found = yield from jobs.headroom_of_result(result_path, key, COLUMNS)
    slim = replace(found.headroom, histograms=found.headroom.histograms[:0])
    return CellRoom(slim, found.picture, found.scale, counts_of(found.headroom))
