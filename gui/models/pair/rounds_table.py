"""What became of each call from one round to the next, as a table: what is worst comes first."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt

from core.messages import text
from core.records.rounds import RoundStatus
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.suspects import cell_label
from gui.models.roles import Role
from gui.models.table.column_table import ColumnTable
from gui.models.table.table_column import Face, TableColumn
from gui.names import shown

if TYPE_CHECKING:
    from gui.comparison.rounds_work import FoundRounds

MARKS = {
    RoundStatus.NEW: Category.INTRODUCED, RoundStatus.WORSE: Category.DIFFERS,
    RoundStatus.UNCHANGED: Category.INHERITED, RoundStatus.BETTER: Category.CLOSE,
    RoundStatus.FIXED: Category.EQUAL, RoundStatus.NOT_COMPARABLE: Category.NOT_COMPARED,
    RoundStatus.ONLY_BEFORE: Category.NOT_COMPARED, RoundStatus.ONLY_AFTER: Category.NOT_COMPARED,
    RoundStatus.CLEAN: Category.EQUAL,
}  # fmt: skip
"""The mark of each status: as bad as it is for whoever made the change."""
STATUS = 0
"""The column that is sorted by at first."""


def status_word(status: RoundStatus) -> str:
    """Return what *status* is called in the language in force."""
    return text(f"round.{status.name.lower()}")


class RoundColumn(TableColumn["FoundRounds"]):
    """A column of the table of rounds."""

    @property
    def title(self) -> str:
        return text(f"gui.rounds.column.{self.key}")

    @property
    def help(self) -> str:
        return text(f"gui.rounds.column.{self.key}.help")


def _ratio(column: str) -> Callable[[FoundRounds, int], str]:
    def show(found: FoundRounds, row: int) -> str:
        ratio = float(getattr(found.calls, column)[row])
        return "∞" if np.isinf(ratio) else "" if np.isnan(ratio) else numbers.compact(ratio, 3)

    return show


def _ratio_column(key: str, column: str) -> RoundColumn:
    def sort(found: FoundRounds) -> np.ndarray:
        values: np.ndarray = getattr(found.calls, column)
        return values

    def plain(found: FoundRounds, row: int) -> str:
        ratio = float(getattr(found.calls, column)[row])
        return "" if np.isnan(ratio) else repr(ratio)

    return RoundColumn(key, Face.NUMBER, 92, sort, _ratio(column), plain, True)


def _status(found: FoundRounds, row: int) -> str:
    return status_word(RoundStatus(int(found.calls.status[row])))


def _name(found: FoundRounds, row: int) -> str:
    return found.names[int(found.calls.name[row])]


def _cell(found: FoundRounds, row: int) -> str:
    return cell_label(found.cells[int(found.cell[row])])


COLUMNS: tuple[RoundColumn, ...] = (
    RoundColumn("status", Face.VERDICT, 136, lambda found: found.calls.status, _status, _status),
    RoundColumn("operator", Face.OPERATOR, 320, lambda found: found.calls.name, _name, _name),
    RoundColumn("cell", Face.DIM, 130, lambda found: found.cell, _cell, _cell),
    _ratio_column("before", "ratio_before"),
    _ratio_column("after", "ratio_after"),
)
"""In their order from left to right."""
CELL = next(number for number, column in enumerate(COLUMNS) if column.key == "cell")


class RoundsTable(ColumnTable):
    """All calls of two rounds; those that were and are good only on demand."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(COLUMNS, (STATUS, False), parent)
        self._wanted: frozenset[RoundStatus] = frozenset()

    def set_found(self, found: FoundRounds | None) -> None:
        """Show other rounds."""
        self.beginResetModel()
        if found is None:
            self._set_source(0)
        else:
            self._set_source(len(found.calls), found)
        self.endResetModel()

    def set_wanted(self, wanted: Collection[RoundStatus]) -> None:
        """Show only calls of these statuses; none: all that became something."""
        self.beginResetModel()
        self._wanted = frozenset(wanted)
        self._show()
        self.endResetModel()

    def _mask(self) -> np.ndarray | None:
        assert self._source is not None
        (found,) = self._source
        table = np.zeros(len(RoundStatus), bool)
        table[list(self._wanted or set(RoundStatus) - {RoundStatus.CLEAN})] = True
        mask: np.ndarray = table[found.calls.status]
        return mask

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        assert self._source is not None
        (found,) = self._source
        if role == Role.CATEGORY and column.face is Face.VERDICT:
            return int(MARKS[RoundStatus(int(found.calls.status[row]))])
        if role == Qt.ItemDataRole.ToolTipRole:
            if column.face is Face.OPERATOR:
                return shown(_name(found, row))
            if column.face is Face.VERDICT:
                return text(f"round.{RoundStatus(int(found.calls.status[row])).name.lower()}.help")
        return super()._look(column, row, role)
