"""The rows of a table of weights, added one by one."""

from __future__ import annotations

import numpy as np

from core.records.evidence import Place, WeightTable

_NOT_TOLD = (np.nan,) * 4


_Row = tuple[str, tuple[int, ...] | None, str, tuple[float, ...], str, str]


class WeightRows:
    """One row a tensor, in the order in which they are added; a key added twice keeps its first."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}

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
    ) -> str | None:
        """Add the tensor *key*; what each field holds says :class:`~core.records.evidence.WeightTable`.

        Returns
        -------
        str or None
            The file of another tensor of that name, which stays; ``None`` where there is none.
        """
        row = dtype, shape, digest, statistics, file, member
        known = self._rows.setdefault(key, row)
        return known[4] if _content(known) != _content(row) else None

    def table(self, step: int, place: Place, special: frozenset[str] = frozenset()) -> WeightTable:
        """Return the table; *step* is -1 where not told, *special* the keys of what is not finite."""
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
            special=special,
        )


def _content(row: _Row) -> tuple[str, tuple[int, ...] | None, str, tuple[str, ...]]:
    """Return what makes two tensors the same one, wherever they lie; NaN is the same as NaN."""
    return row[0], row[1], row[2], tuple(map(repr, row[3]))
