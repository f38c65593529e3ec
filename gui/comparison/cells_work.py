"""What runs in a worker process to know how the steps and ranks of a result compare. Imports no Qt."""

from __future__ import annotations

import time

from core.messages import Message
from core.progress import Work
from gui.models.pair.ignoring import shown_categories
from gui.models.pair.roll_up import CellsCounted, RollUp, counted, summary_of

_PATIENCE = 0.4
"""Seconds between two words of what was counted."""


def count_cells(path: str) -> Work[int]:
    """Count the rows of all cells of the result at *path*, and tell what was counted now and then.

    Yields :class:`gui.models.pair.roll_up.CellsCounted`; returns the number of cells.
    """
    from core.store.notes import load_notes
    from core.store.results import load_cells, load_info

    info = load_info(path)
    rules = load_notes(info.target_path, info.golden_path).ignored
    words, done, spoke = Message("gui.progress.preparing"), 0, time.monotonic()
    counts, summaries = {}, {}
    for cell in load_cells(path):
        category = shown_categories(cell, rules)
        counts[cell.key], summaries[cell.key] = counted(cell, category), summary_of(cell, category)
        done += 1
        if time.monotonic() - spoke > _PATIENCE:
            yield CellsCounted(done, 0, words, counts, summaries)
            counts, summaries, spoke = {}, {}, time.monotonic()
    yield CellsCounted(done, 0, words, counts, summaries)
    return done


def roll_up(path: str) -> Work[RollUp]:
    """Return how all cells of the result at *path* compare."""
    found = RollUp()
    for said in count_cells(path):
        if isinstance(said, CellsCounted):
            found = found.with_cells(said)
        yield said
    return found
