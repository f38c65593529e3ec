"""What the pointer is told in the plot."""

from __future__ import annotations

import numpy as np

from core.messages import text
from core.records.result import CellResult, Reason
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.pair.suspects import cell_label
from gui.models.trajectory.lines import Line
from gui.names import shown


def point_tip(cell: CellResult, facts: Facts, row: int) -> str:
    """Return what is said of *row*."""
    reason = Reason(int(cell.rows.reason[row]))
    name = shown(facts.operators[int(facts.operator[row])])
    if reason in (Reason.TARGET_ONLY, Reason.GOLDEN_ONLY):
        return f"{name}\n{text(f'gui.trajectory.{reason.name.lower()}')}"
    sized = bool(np.isfinite(cell.rows.error[row])) and facts.category[row] != Category.NOT_COMPARED
    return text(
        "gui.trajectory.tip" if sized else "gui.trajectory.tip_reason",
        name=name,
        slot=shown(facts.slots[int(facts.slot[row])]),
        verdict=Category(int(facts.category[row])).word,
        error=numbers.scientific(float(cell.rows.error[row])),
        allowed=numbers.scientific(float(cell.rows.allowed[row])),
        reason=text(f"reason.{reason.name.lower()}"),
    )


def line_tip(line: Line, at: int, facts: Facts) -> str:
    """Return what is said of point *at* of the line of another cell."""
    size, call = float(line.y[at]), int(line.x[at])
    name = facts.operators[int(facts.operator[int(facts.calls.first_row[call])])]
    with np.errstate(over="ignore"):
        error = numbers.scientific(float(10.0**size))
    words = text("gui.overlays.tip", name=shown(name), error=error)
    return f"{cell_label(line.key)}\n{words}"
