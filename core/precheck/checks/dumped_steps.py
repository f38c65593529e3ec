"""Which steps a dump holds: what was compared is the first that both sides have."""

from __future__ import annotations

from core.errors import InputError
from core.records.run import CellKey
from core.store.runs import open_run


def first_dumped(path: str, cell: CellKey) -> int | None:
    """Return the first dumped step of *cell*'s phase; ``None`` where the dump is not there any more."""
    if cell.step == 0:
        return 0
    try:
        keys = open_run(path).cells
    except (InputError, OSError):
        return None
    return min((key.step for key in keys if key.phase == cell.phase), default=None)
