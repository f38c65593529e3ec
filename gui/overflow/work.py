"""What runs in worker processes for the overflow page: the core's jobs, out of the way of all else.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import os

from core.progress import Work
from core.records.overflow import OverflowReport
from core.records.run import CellKey
from gui.models.pair.texts import Texts

_POLITE = 10
"""How far this work stands back behind what the user waits for."""


def overflow_of_result(path: str) -> Work[OverflowReport]:
    """Look for births in the result at *path*, at a low priority."""
    from core.overflow import jobs

    if hasattr(os, "nice"):
        os.nice(_POLITE)
    return (yield from jobs.overflow_of_result(path))


def official_answer(path: str) -> Work[OverflowReport]:
    """Read what the official analyser wrote to *path*."""
    from core.overflow import jobs

    yield from ()
    return jobs.read_official(path)


def export(path: str, report: OverflowReport) -> Work[str]:
    """Write *report* as csv or json, by the ending of *path*; returns the path."""
    from core.report.overflow_report import write_overflow

    yield from ()
    return write_overflow(path, report)


def call_names(result_path: str, key: CellKey) -> Texts:
    """Return the names of all target calls of one cell, in the order of their rows."""
    from core.store.results import load_cell

    dump = load_cell(result_path, key).target
    return Texts.of([dump.strings[int(name)] or "" for name in dump.operators.name])
