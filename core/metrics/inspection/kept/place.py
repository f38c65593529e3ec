"""Where a result file keeps a pair; a window can name the place without reading it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import InputError
from core.records.run import CellKey

if TYPE_CHECKING:
    from core.metrics.inspection.kept.pair import KeptPair
    from core.records.result import CellResult

_LOADED = 8


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A row of a cell of the result at *path*; small and picklable."""

    path: str
    cell: CellKey
    row: int

    def load(self) -> KeptPair | None:
        """Return the pair; ``None`` where it cannot be read, which costs nothing but this pair."""
        try:
            status = Path(self.path).stat()
        except OSError:
            return None
        return _loaded(self, status.st_size, status.st_mtime_ns)


def kept_place(result: str, cell: CellResult, row: int) -> KeptPlace | None:
    """Return where the file *result* keeps *row* of *cell*; ``None`` where it does not."""
    return KeptPlace(result, cell.key, row) if result and row in cell.kept_rows else None


@lru_cache(maxsize=_LOADED)
def _loaded(place: KeptPlace, _size: int, _mtime_ns: int) -> KeptPair | None:
    from core.metrics.inspection.kept.pair import KeptPair
    from core.store.kept_pairs import load_kept

    try:
        return load_kept(place.path, place.cell, place.row, KeptPair)
    except InputError:
        return None
