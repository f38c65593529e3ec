"""The table of what is wrong between two data sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.messages import text
from gui.models.dataset.rows import DatasetRow, Fault
from gui.models.roles import Role
from gui.models.table.column_table import UNSORTED, ColumnTable
from gui.models.table.table_column import Face, TableColumn
from gui.names import shown

Rows = tuple[DatasetRow, ...]
_FAULTS = list(Fault)


class DatasetColumn(TableColumn[Rows]):
    """A column of the table."""

    @property
    def title(self) -> str:
        return text(f"gui.dataset.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.dataset.column.{self.key}.help")


def _column(key: str, face: Face, width: int, value: Callable[[DatasetRow], str]) -> DatasetColumn:
    def sort(rows: Rows) -> np.ndarray:
        texts = [value(row) for row in rows]
        places = {words: place for place, words in enumerate(sorted(set(texts)))}
        return np.array([places[words] for words in texts], np.int64)

    def show(rows: Rows, row: int) -> str:
        return shown(value(rows[row]))

    def plain(rows: Rows, row: int) -> str:
        return value(rows[row])

    return DatasetColumn(key, face, width, sort, show, plain)


def _fault_order(rows: Rows) -> np.ndarray:
    return np.array([_FAULTS.index(row.fault) for row in rows], np.int64)


def _fault(rows: Rows, row: int) -> str:
    return text(f"gui.dataset.fault.{rows[row].fault.value}")


DATASET_COLUMNS: tuple[DatasetColumn, ...] = (
    DatasetColumn("fault", Face.TEXT, 150, _fault_order, _fault, _fault),
    _column("name", Face.OPERATOR, 300, lambda row: row.name),
    _column("target", Face.SLOT, 280, lambda row: row.target),
    _column("golden", Face.SLOT, 280, lambda row: row.golden),
)


class DatasetTable(ColumnTable):
    """All rows, or those of one kind, or those that hold some words."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(DATASET_COLUMNS, (UNSORTED, False), parent)
        self.fault: Fault | None = None
        self._words = ""

    def set_rows(self, rows: Rows) -> None:
        """Show other rows; how they are sorted stays, the filter goes."""
        self.beginResetModel()
        self.fault, self._words = None, ""
        self._set_source(len(rows), rows)
        self.endResetModel()

    def set_filter(self, fault: Fault | None, words: str) -> None:
        """Show only rows of *fault*, ``None`` for all, that hold *words*."""
        self.beginResetModel()
        self.fault, self._words = fault, words.strip().lower()
        self._show()
        self.endResetModel()

    def _mask(self) -> np.ndarray | None:
        if (self.fault is None and not self._words) or self._source is None:
            return None
        (rows,) = self._source
        return np.array(
            [
                (self.fault is None or row.fault is self.fault)
                and (not self._words or self._words in f"{row.name}\n{row.target}\n{row.golden}".lower())
                for row in rows
            ],
            np.bool_,
        )

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        assert self._source is not None
        item: DatasetRow = self._source[0][row]
        if role == Role.FACE:
            return Face.NAME.value if column.face is Face.OPERATOR else column.face.value
        if role == Qt.ItemDataRole.ToolTipRole:
            return shown(
                "\n".join(part for part in (_fault((item,), 0), item.name, item.target, item.golden) if part)
            )
        return None
