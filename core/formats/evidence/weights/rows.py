"""The rows of a table of weights, added one by one."""

from __future__ import annotations

import numpy as np

from core.records.evidence import Place, WeightTable

_NOT_TOLD = (np.nan,) * 4


class WeightRows:
    """One row a tensor, in the order in which they are added; a key added twice keeps its first."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[str, tuple[int, ...] | None, str, tuple[float, ...], str, str]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self,
        key: str,
        *,
        dtype: str = "",
        shape: tuple[int, ...] | None = None,
        digest: str = "",
        statistics: tuple[float, ...] = _NOT_TOLD,
        file: str = "",
        member: str = "",
    ) -> None:
        """Add the tensor *key*; what each field holds says :class:`~core.records.evidence.WeightTable`."""
        self._rows.setdefault(key, (dtype, shape, digest, statistics, file, member))

    def table(self, step: int, place: Place) -> WeightTable:
        """Return the table; *step* is -1 where not told."""
        rows = list(self._rows.values())
        return WeightTable(
            keys=tuple(self._rows),
            dtypes=tuple(row[0] for row in rows),
            shapes=tuple(row[1] for row in rows),
            digests=tuple(row[2] for row in rows),
            statistics=np.array([row[3] for row in rows], np.float64).reshape(len(rows), 4),
            files=tuple(row[4] for row in rows),
            members=tuple(row[5] for row in rows),
            step=step,
            place=place,
        )
