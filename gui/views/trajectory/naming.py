"""Which point of the plot is named, and how."""

from __future__ import annotations

import numpy as np

from core.messages import text
from core.records.names import short_name
from core.records.result import CellResult
from gui import numbers
from gui.comparison.suspects import Suspects
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.trajectory.points import Trajectory
from gui.names import shown
from gui.views.trajectory.differing import what_differs


def named_point(points: Trajectory, suspects: Suspects, cell: CellResult, facts: Facts) -> tuple[float, str]:
    """Return the call to be named and the words: the first suspect, else what introduces, or differs first.

    The words are empty where nothing differs.
    """
    accused = [suspects.row_of(suspect) for suspect in suspects.in_cell()]
    differs = points.category >= Category.DIFFERS
    held = np.flatnonzero(np.isin(points.row, accused) & differs) if accused else np.empty(0, np.int64)
    looked_at = held[points.row[held] == accused[0]] if accused else held
    code = "gui.trajectory.introduces"
    introducing = np.flatnonzero(points.category == Category.INTRODUCED)
    first = next((found for found in (looked_at, held, introducing) if len(found)), None)
    if first is None:
        first, code = np.flatnonzero(points.category == Category.DIFFERS), "gui.trajectory.first"
    if not len(first):
        return 0.0, ""
    row = int(points.row[first[0]])
    name = numbers.shortened(shown(short_name(facts.operators[int(facts.operator[row])])))
    return float(points.x[first[0]]), text(code, name=name, error=what_differs(cell, row))
