"""The metric table without a window: texts of its columns, block by block, for a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.records.notes import Notes
from core.records.result import CellResult
from gui.models.pair.facts import build_facts
from gui.models.pair.remarks import with_notes
from gui.models.table.call_columns import CALL_COLUMNS
from gui.models.table.call_summary import summary_of
from gui.models.table.columns import COLUMNS
from gui.models.table.table_column import Face, TableColumn

_ROWS_A_BLOCK = 20_000


@dataclass(frozen=True)
class ShownTable:
    """Some columns over what they are read from."""

    columns: tuple[TableColumn, ...]
    source: tuple[Any, ...]

    @classmethod
    def of(cls, cell: CellResult, notes: Notes, keys: Sequence[str], of_calls: bool) -> ShownTable:
        """Take the columns called *keys*, of calls or of slots, in this order; *notes* stand in them."""
        facts = with_notes(build_facts(cell), notes)
        source = (cell, facts, summary_of(cell, facts)) if of_calls else (cell, facts)
        known: dict[str, TableColumn] = {
            column.key: column for column in (CALL_COLUMNS if of_calls else COLUMNS)
        }
        return cls(tuple(known[key] for key in keys), source)

    @property
    def heads(self) -> list[str]:
        """The titles, in the language in force."""
        return [column.title for column in self.columns]

    @property
    def numbers(self) -> list[bool]:
        """Whether each column holds numbers."""
        return [column.face is Face.NUMBER for column in self.columns]

    def blocks(self, items: np.ndarray) -> Iterator[list[list[str]]]:
        """Yield the texts of *items*, a list a column, some rows at a time; numbers in full precision."""
        for start in range(0, len(items), _ROWS_A_BLOCK):
            part = items[start : start + _ROWS_A_BLOCK]
            yield [column.plain_of(self.source, part) for column in self.columns]
