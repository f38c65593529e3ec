"""The table of a log file, with what is needed to read on when the file has grown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from core.formats.logs.columns import Collected
from core.records.columns import Int64
from core.records.log_table import LogTable, SparseColumn

_LOOKED_AT = 4096
"""Bytes at both ends of what was read that must be the same for reading on."""


@dataclass(frozen=True)
class FileTable(LogTable):
    """What a log file held so far."""

    digest: bytes = b""
    """Of the ends of what was read; see :func:`digest_of`."""
    trailing: Mapping[str, int] = field(default_factory=dict)
    """Records after :attr:`read_bytes`, by form: the last line has no end yet and will be read again."""
    ended_lines: int = 0
    """Lines up to :attr:`read_bytes`."""
    trailing_unread: int = 0
    """Of the unread lines, those after :attr:`read_bytes`."""
    said: Collected | None = None
    """The records as their lines say them; :func:`core.formats.logs.finishing.finished` made the table."""
    sample: str = ""
    """The line of the last record."""
    heading: str = ""
    """The line that names the epoch of those after it."""
    reader: str = ""
    """How it was read; reading on goes on so."""


def digest_of(stream: BinaryIO, read_bytes: int) -> bytes:
    """Return a digest of the first and last bytes of the first *read_bytes* of *stream*."""
    stream.seek(0)
    found = hashlib.blake2b(stream.read(min(_LOOKED_AT, read_bytes)), digest_size=16)
    stream.seek(max(read_bytes - _LOOKED_AT, 0))
    found.update(stream.read(min(_LOOKED_AT, read_bytes)))
    return found.digest()


def without_trailing(table: FileTable) -> Collected:
    """Return the records of *table* that lie before :attr:`LogTable.read_bytes`."""
    said = table.said or Collected({}, table.step, table.rank, table.event, dict(table.columns))
    count = len(said.step) - sum(table.trailing.values())
    columns = {}
    for name, column in said.columns.items():
        kept = int(np.searchsorted(column.record, count))
        if kept:
            columns[name] = SparseColumn(column.record[:kept], column.value[:kept])
    forms = {form: number - table.trailing.get(form, 0) for form, number in table.forms.items()}
    return Collected(
        {form: number for form, number in forms.items() if number},
        said.step[:count],
        said.rank[:count],
        said.event[:count],
        columns,
    )


def joined(before: Collected, added: Collected) -> Collected:
    """Return the records of *before* and, after them, *added*."""
    count = len(before.step)
    columns: dict[str, SparseColumn] = dict(before.columns)
    moved: dict[int, Int64] = {}
    for name, column in added.columns.items():
        record = moved.setdefault(id(column.record), column.record + count)
        earlier = before.columns.get(name)
        columns[name] = (
            SparseColumn(record, column.value)
            if earlier is None
            else SparseColumn(
                np.concatenate([earlier.record, record]), np.concatenate([earlier.value, column.value])
            )
        )
    forms: Mapping[str, int] = before.forms
    return Collected(
        {name: forms.get(name, 0) + added.forms.get(name, 0) for name in {**forms, **added.forms}},
        np.concatenate([before.step, added.step]),
        np.concatenate([before.rank, added.rank]),
        np.concatenate([before.event, added.event]),
        columns,
    )
