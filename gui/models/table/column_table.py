"""The model of a large table: a permutation of its rows, sorted in numpy; cells are written when drawn.

There is no proxy model: sorting a million rows is one argsort at first, two radix passes from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.report.markdown import markdown_rows, markdown_rule
from gui.models.roles import Role
from gui.models.table.ranks import Ranks, ordered
from gui.models.table.table_column import Face, TableColumn

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_FORMULA = ("=", "+", "-", "@")
UNSORTED = -1
"""In place of a column: the rows stay in their own order."""
MOST_KEYS = 3
"""Columns that rows are sorted by at a time."""
_KEPT_RANKS = 8
"""Columns whose ranks are kept: four megabytes each at a million rows."""
_SMALL_DIGITS = "¹²³"

Key = tuple[int, bool]
"""A column that is sorted by, and whether the largest come first."""


class ColumnTable(QAbstractTableModel):
    """``order`` maps rows of the view to rows of what is shown; *first* is how it is sorted at first."""

    def __init__(
        self, columns: Sequence[TableColumn], first: Key = (UNSORTED, False), parent: Any = None
    ) -> None:
        super().__init__(parent)
        self.columns, self._first = columns, first
        self.sort_keys: tuple[Key, ...] = () if first[0] == UNSORTED else (first,)
        """What rows are sorted by, the first before the second; none: they stay in their own order."""
        self.order = np.empty(0, np.int64)
        self._source: tuple[Any, ...] | None = None
        self._rows = 0
        self._sorted = np.empty(0, np.int64)
        self._places: np.ndarray | None = None
        self._ranks: dict[int, Ranks] = {}

    @property
    def sort_column(self) -> int:
        """The column that rows are sorted by first of all."""
        return self.sort_keys[0][0] if self.sort_keys else UNSORTED

    @property
    def sort_descending(self) -> bool:
        """Whether its largest values come first."""
        return self.sort_keys[0][1] if self.sort_keys else False

    # ---- which rows, in which order

    def _set_source(self, rows: int, *source: Any) -> None:
        """Take *rows* rows of another *source*, none without one; how they are sorted stays."""
        self._rows, self._source = rows, source or None
        self._ranks.clear()
        self._sort()
        self._show()

    def _mask(self) -> np.ndarray | None:
        """Return which rows are shown; ``None`` for all."""
        return None

    def _sort(self) -> None:
        if self._source is None or not self.sort_keys:
            self._sorted = np.arange(self._rows if self._source is not None else 0)
            return
        self._sorted = ordered([self._ranked(column).directed(down) for column, down in self.sort_keys])

    def _ranked(self, column: int) -> Ranks:
        """Return the ranks of *column*; those used last are kept."""
        assert self._source is not None
        found = self._ranks.pop(column, None) or Ranks.of(self.columns[column].sort(*self._source))
        self._ranks[column] = found
        if len(self._ranks) > _KEPT_RANKS:
            del self._ranks[next(iter(self._ranks))]
        return found

    def _show(self) -> None:
        mask = self._mask() if self._source is not None else None
        self._places = None
        self.order = self._sorted if mask is None else self._sorted[mask[self._sorted]]

    def view_row(self, row: int) -> int:
        """Return where *row* is shown, -1 for one that is not."""
        if not 0 <= row < self._rows:
            return -1
        if self._places is None:
            self._places = np.full(self._rows, -1, np.int64)
            self._places[self.order] = np.arange(len(self.order))
        return int(self._places[row])

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by *column* alone; what is not known comes last either way."""
        self.sort_by(() if column == UNSORTED else ((column, order == Qt.SortOrder.DescendingOrder),))

    def sort_by(self, keys: tuple[Key, ...]) -> None:
        """Sort by all of *keys*, the first before the second; by none: as the rows come."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(int(self.order[index.row()]), index.column()) for index in before]
        self.sort_keys = keys
        self._sort()
        self._show()
        after = [self.index(self.view_row(row), place) for row, place in kept]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def sort_next(self, column: int) -> None:
        """Sort by *column* the worst first; if so it is, the other way round; then as at first again."""
        key = self._after(column, self.sort_keys[0] if self.sort_keys else None)
        if key is not None:
            self.sort_by((key,))
        else:
            self.sort_by(() if self._first[0] == UNSORTED else (self._first,))

    def sort_also(self, column: int) -> None:
        """Sort by *column* where the other keys say nothing; again: the other way round; then no more."""
        places = [at for at, _down in self.sort_keys]
        if column not in places:
            self.sort_by((*self.sort_keys[: MOST_KEYS - 1], (column, self.columns[column].largest_first)))
            return
        at = places.index(column)
        key = self._after(column, self.sort_keys[at])
        self.sort_by((*self.sort_keys[:at], *(() if key is None else (key,)), *self.sort_keys[at + 1 :]))

    def _after(self, column: int, key: Key | None) -> Key | None:
        """Return how *column* is to be sorted next, where *key* is in force now; ``None`` for no more."""
        first_down = self.columns[column].largest_first
        if key is None or key[0] != column:
            return column, first_down
        return (column, not first_down) if key[1] == first_down else None

    def sort_titles(self) -> str:
        """Return the headings that are sorted by, in a row; empty where the rows stay as they come."""
        words = ""
        for column, _down in self.sort_keys:
            title = self.columns[column].title
            words = text("gui.table.then", first=words, next=title) if words else title
        return words

    @property
    def sorted_as_at_first(self) -> bool:
        """Whether the user has not sorted it otherwise."""
        return self.sort_keys == (() if self._first[0] == UNSORTED else (self._first,))

    # ---- for the view

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._source is None:
            return None
        column, row = self.columns[index.column()], int(self.order[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return column.show(*self._source, row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        return self._look(column, row, role)

    def _look(self, column: TableColumn, row: int, role: int) -> Any:
        """Return what a cell is drawn with, and its tool tip."""
        return column.face.value if role == Role.FACE else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return str(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title + self._arrow(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.face is Face.NUMBER else _LEFT
        return column.help if role == Qt.ItemDataRole.ToolTipRole else None

    def _arrow(self, section: int) -> str:
        """Return the sign that *section* is sorted by, and as which one where there are several."""
        for number, (column, down) in enumerate(self.sort_keys):
            if column == section:
                which = _SMALL_DIGITS[number] if len(self.sort_keys) > 1 else ""
                return f" {'↓' if down else '↑'}{which}"
        return ""

    def retranslate(self) -> None:
        """Tell views that headings and words changed."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(self.columns) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    # ---- for a spreadsheet, or a text

    def plain_text(self, index: Index) -> str:
        """Return what the cell at *index* holds, numbers in full precision."""
        if not index.isValid() or self._source is None:
            return ""
        return self.columns[index.column()].plain(*self._source, int(self.order[index.row()]))

    def tab_separated(self, view_rows: Sequence[int], columns: Sequence[int] | None = None) -> str:
        """Return rows as text for a spreadsheet, with headings; numbers in full precision.

        A text that a spreadsheet would take for a formula gets an apostrophe.
        """
        if self._source is None or not view_rows:
            return ""
        wanted = self.columns if columns is None else [self.columns[number] for number in columns]
        rows = self.order[np.asarray(view_rows)]
        cells = [[_plain(column, cell) for cell in column.plain_of(self._source, rows)] for column in wanted]
        lines = ["\t".join(column.title for column in wanted), *map("\t".join, zip(*cells))]
        return "\n".join(lines) + "\n"

    def markdown(self, view_rows: Sequence[int], columns: Sequence[int] | None = None) -> str:
        """Return rows as a table of Markdown, as they read here."""
        if self._source is None or not view_rows:
            return ""
        wanted = self.columns if columns is None else [self.columns[number] for number in columns]
        rows = self.order[np.asarray(view_rows)].tolist()
        heads = markdown_rows([[column.title] for column in wanted])
        cells = [[column.show(*self._source, row) for row in rows] for column in wanted]
        return heads + markdown_rule([column.face is Face.NUMBER for column in wanted]) + markdown_rows(cells)


def _plain(column: TableColumn, cell: str) -> str:
    """Return *cell* on one line, and as no formula."""
    if column.face is not Face.NUMBER and cell.startswith(_FORMULA):
        cell = f"'{cell}"
    return cell if cell.isprintable() else " ".join(cell.split())
