"""What runs in a worker process for the lines of other cells. Imports no Qt, and nothing heavy at once."""

from __future__ import annotations

from core.messages import Message
from core.progress import Progress, Work
from core.records.run import CellKey
from gui.models.trajectory.lines import Aligner, Overlay, overlay_of


def overlay_cells(result_path: str, base: CellKey, others: tuple[CellKey, ...]) -> Work[Overlay]:
    """Lay the errors of the cells *others* of a result over the calls of its cell *base*."""
    from core.store.results import load_cells

    cells = load_cells(result_path, (base, *others))
    first = next(cells)
    aligner = Aligner(first)
    mine, lines = aligner.line(first), []
    for done, cell in enumerate(cells, 1):
        lines.append(aligner.line(cell))
        yield Progress(done, len(others), Message("gui.overlays.progress"))
    return overlay_of(mine, lines, aligner.calls)
