"""The tensors of one side: a row of its tables each, and the elements where the file is there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.errors import InputError, Problem
from core.formats.evidence.weights.mindspore import is_mindspore, open_mindspore
from core.formats.evidence.weights.parts import is_rank, rank_in
from core.formats.tensors import open_tensors
from core.formats.tensors.handle import TensorHandle
from core.precheck.weights.keys import is_of_rank
from core.precheck.weights.statistics import Printed, printed, statistics_of
from core.records.columns import Float64
from core.records.evidence import Place, WeightTable

_MOST_FILES = 32
"""Files of a side that stay mapped; the tensors of two checkpoints come in different orders."""


class WeightRow(NamedTuple):
    """One tensor of a side; :class:`~core.records.evidence.WeightTable` says what the fields hold."""

    key: str
    dtype: str
    shape: tuple[int, ...] | None
    digest: str
    statistics: Float64
    file: str
    member: str
    how: Printed
    place: Place
    special: bool
    """It holds NaN or an infinity, or its statistics say so."""

    @property
    def told(self) -> bool:
        """Whether its statistics are told, or can be computed; all NaN beside a checksum are not."""
        return bool(self.file) or not self.digest or not bool(np.isnan(self.statistics).all())

    @property
    def ranked(self) -> bool:
        """Whether its name, or its file's, says that it is the part of a rank."""
        file = Path(self.file)
        return is_of_rank(self.key) or bool(rank_in(file.name)) or is_rank(file.parent.name)

    @property
    def look(self) -> str:
        """Dtype and shape, as people read them; what is told instead where these are not, if anything is."""
        shape = str(list(self.shape)) if self.shape is not None else ""
        numbers = zip(("max", "min", "mean", "norm"), self.statistics.tolist())
        told = " ".join(f"{name} {value:.7g}" for name, value in numbers if not math.isnan(value))
        return f"{self.dtype} {shape}".strip() or self.digest[:12] or told or "—"


def rows_of(table: WeightTable) -> Iterator[WeightRow]:
    """Yield the tensors of *table*."""
    how = printed(table.statistics)
    infinite = np.asarray(np.any(np.isinf(table.statistics[:, :2]), axis=1))
    for place, key in enumerate(table.keys):
        special = key in table.special or bool(infinite[place])
        yield WeightRow(
            key, table.dtypes[place], table.shapes[place], table.digests[place], table.statistics[place],
            table.files[place], table.members[place], how, table.place, special,
        )  # fmt: skip


class OpenFiles:
    """The tensors of one side, a few files mapped at a time."""

    def __init__(self) -> None:
        self._tensors: dict[str, dict[str, TensorHandle | Problem]] = {}

    def open(self, row: WeightRow) -> TensorHandle:
        """Map the tensor of *row*.

        Raises
        ------
        InputError
            With a problem that says what is wrong with the file.
        """
        if row.file not in self._tensors:
            found = open_mindspore(row.file) if is_mindspore(row.file) else open_tensors(row.file)
            self._tensors[row.file] = dict(found)
            if len(self._tensors) > _MOST_FILES:
                del self._tensors[next(iter(self._tensors))]
        tensor = self._tensors[row.file].get(row.member)
        if isinstance(tensor, TensorHandle):
            return tensor
        raise InputError(tensor or Problem("tensor_no_member", row.file, {"member": row.member}))

    def statistics(self, row: WeightRow) -> Float64:
        """Return the statistics of *row*, of its tensor where nobody told them.

        Raises
        ------
        InputError
            As :meth:`open`.
        """
        if row.file and np.isnan(row.statistics).all():
            return statistics_of(self.open(row))
        return row.statistics
