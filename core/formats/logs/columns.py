"""Records of a log collected as columns, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.formats.logs.record import LogRecord
from core.records.columns import Float64, Int64
from core.records.log_table import UNSAID, SparseColumn

_LARGEST_STEP = 10**15
"""Steps from here on are no steps, and would not fit."""


class Part(NamedTuple):
    """Some records of one block."""

    line: Int64
    """Where each stands in the block, ascending."""
    step: Int64
    rank: NDArray[np.int32]
    event: NDArray[np.bool_]
    columns: Mapping[str, tuple[Int64 | None, Float64]]
    """By name: which of the records have it (``None``: all), and what they say."""
    forms: Mapping[str, int]


def part_of(lines: Sequence[int], records: Sequence[LogRecord]) -> Part:
    """Return *records*, which stand at *lines* of their block."""
    forms: dict[str, int] = {}
    found: dict[str, tuple[list[int], list[float]]] = {}
    for number, record in enumerate(records):
        forms[record.form] = forms.get(record.form, 0) + 1
        for name, value in record.values.items():
            at, values = found.setdefault(str(name), ([], []))
            at.append(number)
            values.append(value)
    return Part(
        np.array(lines, np.int64),
        np.array([step_number(record.step) for record in records], np.int64),
        np.array([record.rank for record in records], np.int32),
        np.array([record.event for record in records], bool),
        {name: (np.array(at, np.int64), np.array(values)) for name, (at, values) in found.items()},
        forms,
    )


def step_number(step: int | None) -> int:
    """Return *step* as a table holds it."""
    return UNSAID if step is None or not 0 <= step < _LARGEST_STEP else step


class Collected(NamedTuple):
    """All records."""

    forms: dict[str, int]
    step: Int64
    rank: NDArray[np.int32]
    event: NDArray[np.bool_]
    columns: dict[str, SparseColumn]


class Columns:
    """Grows by blocks; a few bytes a value."""

    def __init__(self) -> None:
        self.records = 0
        self._forms: dict[str, int] = {}
        self._step: list[Int64] = []
        self._rank: list[NDArray[np.int32]] = []
        self._event: list[NDArray[np.bool_]] = []
        self._found: dict[str, tuple[list[Int64], list[Float64]]] = {}

    def add(self, parts: Sequence[Part]) -> None:
        """Add the records of one block, which *parts* hold in any order."""
        parts = [part for part in parts if len(part.line)]
        if not parts:
            return
        order = np.argsort(np.concatenate([part.line for part in parts]), kind="stable")
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(self.records, self.records + len(order))
        self._step.append(np.concatenate([part.step for part in parts])[order])
        self._rank.append(np.concatenate([part.rank for part in parts])[order])
        self._event.append(np.concatenate([part.event for part in parts])[order])
        block: dict[str, list[tuple[Int64, Float64]]] = {}
        first = 0
        for part in parts:
            mine = number[first : first + len(part.line)]
            first += len(part.line)
            for form, count in part.forms.items():
                self._forms[form] = self._forms.get(form, 0) + count
            for name, (at, values) in part.columns.items():
                block.setdefault(name, []).append((mine if at is None else mine[at], values))
        for name, pieces in block.items():
            record, value = pieces[0]
            if len(pieces) > 1:
                record = np.concatenate([numbers for numbers, _ in pieces])
                sort = np.argsort(record, kind="stable")
                record, value = record[sort], np.concatenate([values for _, values in pieces])[sort]
            records, all_values = self._found.setdefault(name, ([], []))
            records.append(record)
            all_values.append(value)
        self.records += len(order)

    def collected(self) -> Collected:
        """Return all records; columns that the same records have share one array of their numbers."""
        shared: dict[tuple[int, ...], Int64] = {}
        columns: dict[str, SparseColumn] = {}
        for name, (records, values) in self._found.items():
            key = tuple(map(id, records))
            if key not in shared:
                shared[key] = np.concatenate(records)
            columns[name] = SparseColumn(shared[key], np.concatenate(values))
            values.clear()
        return Collected(
            dict(self._forms),
            np.concatenate([np.empty(0, np.int64), *self._step]),
            np.concatenate([np.empty(0, np.int32), *self._rank]),
            np.concatenate([np.empty(0, bool), *self._event]),
            columns,
        )
