"""The metric table: the rows of a cell, or its calls, sorted by any of their numbers and filtered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from core.records.result import CellResult
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.roles import Role
from gui.models.table.call_columns import CALL_COLUMNS
from gui.models.table.call_summary import CallSummary, summary_of, worst_row
from gui.models.table.column_table import ColumnTable
from gui.models.table.columns import COLUMNS, verdict_tip
from gui.models.table.shading import level
from gui.models.table.table_column import Face, TableColumn
from gui.names import shown

_TOLD_WHOLE = (Face.NAME, Face.SLOT, Face.OPERATOR, Face.DIM)
"""Faces of words that may be cut: the tool tip has all of them."""


class FilteredTable(ColumnTable):
    """What slots and calls as rows have in common; both in the order of execution at first."""

    def __init__(self, columns: Sequence[TableColumn], parent: Any = None) -> None:
        super().__init__(columns, parent=parent)
        self._wanted: np.ndarray | None = None
        self._tinted = True

    def set_cell(self, cell: CellResult | None, facts: Facts | None) -> None:
        """Show another cell, unfiltered; the sort order is kept."""
        self.beginResetModel()
        self._wanted = None
        if cell is None or facts is None:
            self._set_source(0)
        else:
            self._take(cell, facts)
        self.endResetModel()

    def _take(self, cell: CellResult, facts: Facts) -> None:
        raise NotImplementedError

    def set_mask(self, mask: np.ndarray | None) -> None:
        """Show only the rows of the cell where *mask* is true; ``None`` shows all."""
        self.beginResetModel()
        self._wanted = mask
        self._show()
        self.endResetModel()

    def set_tinted(self, tinted: bool) -> None:
        """Tint the numbers of rows that differ by how far they are beyond, or do not."""
        self._tinted = tinted
        self.retranslate()

    def row_of(self, item: int) -> int:
        """Return the row of the cell to look at for *item*, one of ``order``."""
        raise NotImplementedError

    def item_of(self, row: int) -> int:
        """Return the item of this table that *row* of the cell belongs to; -1 for none."""
        raise NotImplementedError

    def rows_of_order(self) -> np.ndarray:
        """Return the rows of the cell behind ``order``, in its order."""
        raise NotImplementedError

    def _judged_row(self, column: TableColumn, item: int) -> int:
        """Return the row whose verdict and limits the cell of *column* stands for; -1 for none."""
        raise NotImplementedError

    def _look(self, column: TableColumn, item: int, role: int) -> Any:
        assert self._source is not None
        cell, facts = self._source[:2]
        if role == Role.CATEGORY and column.face is Face.VERDICT:
            return int(facts.category[self._judged_row(column, item)])
        if role in (Role.LEVEL, Role.TINT):
            return self._tint(column, item, role) if self._tinted and column.face is Face.NUMBER else None
        if role == Qt.ItemDataRole.ToolTipRole and column.face in _TOLD_WHOLE:
            return shown(column.show(*self._source, item))
        if role == Qt.ItemDataRole.ToolTipRole and column.face is Face.VERDICT:
            return verdict_tip(cell, facts, self._judged_row(column, item))
        return super()._look(column, item, role)

    def _tint(self, column: TableColumn, item: int, role: int) -> int | None:
        assert self._source is not None
        cell, facts = self._source[:2]
        row = self._judged_row(column, item)
        if row < 0 or not Category(int(facts.category[row])).differs:
            return None
        steps = level(column.key, cell, row)
        if not steps:
            return None
        return steps if role == Role.LEVEL else int(facts.category[row])


class MetricTable(FilteredTable):
    """Slots as rows."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(COLUMNS, parent)

    def _take(self, cell: CellResult, facts: Facts) -> None:
        self._set_source(len(facts), cell, facts)

    def _mask(self) -> np.ndarray | None:
        return self._wanted

    def row_of(self, item: int) -> int:
        return item

    def item_of(self, row: int) -> int:
        return row

    def rows_of_order(self) -> np.ndarray:
        return self.order

    def _judged_row(self, column: TableColumn, item: int) -> int:
        return item


class CallTable(FilteredTable):
    """Operators as rows: a call is shown if one of its slots passes."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(CALL_COLUMNS, parent)
        self._facts: Facts | None = None
        self._summary: CallSummary | None = None

    def set_cell(self, cell: CellResult | None, facts: Facts | None) -> None:
        if facts is None:
            self._facts = self._summary = None
        super().set_cell(cell, facts)

    def _take(self, cell: CellResult, facts: Facts) -> None:
        self._facts, self._summary = facts, summary_of(cell, facts)
        self._set_source(len(self._summary), cell, facts, self._summary)

    def _mask(self) -> np.ndarray | None:
        if self._wanted is None or self._summary is None or not len(self._summary):
            return None
        passes: np.ndarray = np.logical_or.reduceat(self._wanted, self._summary.first_row)
        return passes

    def row_of(self, item: int) -> int:
        if self._facts is None or self._summary is None:
            return -1
        return worst_row(self._facts, self._summary, item, self._wanted)

    def item_of(self, row: int) -> int:
        if self._facts is None or not 0 <= row < len(self._facts):
            return -1
        return int(self._facts.call_of_row[row])

    def rows_of_order(self) -> np.ndarray:
        if self._summary is None:
            return self.order
        starts, counts = self._summary.first_row[self.order], self._summary.slots[self.order]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.repeat(starts, counts) + within
        return rows if self._wanted is None else rows[self._wanted[rows]]

    def _judged_row(self, column: TableColumn, item: int) -> int:
        assert self._summary is not None
        summary = self._summary
        known = {"verdict": summary.worst_row, "call_error": summary.error_row,
                 "call_cosine": summary.cosine_row}  # fmt: skip
        return int(known[column.key][item]) if column.key in known else -1
