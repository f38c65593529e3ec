"""The births as a list, earliest first, and the infinities that are meant as a group under it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.overflow import Birth
from gui import numbers
from gui.models.overflow.words import kind_help, kind_word, level_help, level_word, sentence_of, value_words

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_TOP, _GROUP = 0, 1
"""What an index carries: whether it lies at the top or in the group."""


class BirthColumn(IntEnum):
    """What is said of each birth."""

    OPERATOR = 0
    SLOT = 1
    STEP = 2
    RANK = 3
    KIND = 4
    VALUES = 5
    LEVEL = 6
    MARKS = 7

    @property
    def title(self) -> str:
        """Its heading."""
        return text(f"gui.overflow.column.{self.name.lower()}")


_COLUMNS = len(BirthColumn)
_PORTION = 500
"""Rows of the group that are laid out at once; more follow where one scrolls to."""


def ranks_text(birth: Birth) -> str:
    """Return the ranks that saw *birth*: ``3``, ``0–63``, ``0, 2, 5``."""
    ranks = sorted(set(birth.ranks) | {birth.cell.rank})
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)


def marks_text(birth: Birth) -> str:
    """Return what else marks *birth*: whether it is an earliest one, and whether it goes on."""
    marks = [text("gui.overflow.earliest")] if birth.earliest else []
    marks.append(text("gui.overflow.spreads" if birth.spreads else "gui.overflow.absorbed"))
    return " · ".join(marks)


def column_text(birth: Birth, column: BirthColumn) -> str:
    """Return what *column* says of *birth*."""
    if column is BirthColumn.OPERATOR:
        return birth.operator
    if column is BirthColumn.SLOT:
        return birth.slot
    if column is BirthColumn.STEP:
        return f"{birth.cell.phase} {birth.cell.step}".strip()
    if column is BirthColumn.RANK:
        return ranks_text(birth)
    if column is BirthColumn.KIND:
        return kind_word(birth.kind)
    if column is BirthColumn.VALUES:
        return " ".join(value_words(birth.values))
    return level_word(birth.level) if column is BirthColumn.LEVEL else marks_text(birth)


class BirthTree(QAbstractItemModel):
    """Births at the top, then one row for the group of expected infinities, which are its children."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.births: Sequence[Birth] = ()
        self.expected: Sequence[Birth] = ()
        self._told = 0
        """How many of the group's rows the views know of: they lay out all that they know."""

    def set_births(self, births: Sequence[Birth], expected: Sequence[Birth]) -> None:
        """Show others."""
        self.beginResetModel()
        self.births, self.expected = births, expected
        self._told = min(len(expected), _PORTION)
        self.endResetModel()

    def canFetchMore(self, parent: Index) -> bool:
        return self.is_group(parent) and self._told < len(self.expected)

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self._tell(self._told + _PORTION)

    def _tell(self, count: int) -> None:
        """Let the views know of *count* rows of the group."""
        count = min(count, len(self.expected))
        if count > self._told:
            self.beginInsertRows(self.group_index(), self._told, count - 1)
            self._told = count
            self.endInsertRows()

    # ---- shape

    def group_index(self) -> QModelIndex:
        """Return the row of the group; invalid when nothing is expected."""
        return self.index(len(self.births), 0) if self.expected else QModelIndex()

    def is_group(self, index: Index) -> bool:
        """Return whether *index* is the group's own row."""
        return index.isValid() and index.internalId() == _TOP and index.row() == len(self.births)

    def birth_at(self, index: Index) -> Birth | None:
        """Return the birth of *index*; ``None`` for the group's own row."""
        if not index.isValid() or self.is_group(index):
            return None
        births = self.births if index.internalId() == _TOP else self.expected
        return births[index.row()] if index.row() < len(births) else None

    def index_of(self, birth: Birth | None) -> QModelIndex:
        """Return where *birth* stands."""
        for at, other in enumerate(self.births):
            if other is birth:
                return self.index(at, 0)
        for at, other in enumerate(self.expected):
            if other is birth:
                self._tell(at + 1)
                return self.index(at, 0, self.group_index())
        return QModelIndex()

    def index(self, row: int, column: int, parent: Index = _NONE) -> QModelIndex:
        inside = parent.isValid()  # asked for every row of a long list: no call more than needed
        rows = self._told if inside else len(self.births) + bool(self.expected)
        if not (0 <= row < rows and 0 <= column < _COLUMNS):
            return QModelIndex()
        return self.createIndex(row, column, _GROUP if inside else _TOP)

    def parent(self, index: Index = _NONE) -> QModelIndex:  # type: ignore[override]
        return self.group_index() if index.isValid() and index.internalId() == _GROUP else QModelIndex()

    def rowCount(self, parent: Index = _NONE) -> int:
        if not parent.isValid():
            return len(self.births) + bool(self.expected)
        return self._told if self.is_group(parent) and parent.column() == 0 else 0

    def columnCount(self, _parent: Index = _NONE) -> int:
        return len(BirthColumn)

    # ---- content

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        spoken = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        birth, column = self.birth_at(index), BirthColumn(index.column())
        if birth is None:
            return self.group_title() if spoken and column is BirthColumn.OPERATOR else None
        if spoken:
            return column_text(birth, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            if column is BirthColumn.KIND:
                return kind_help(birth.kind)
            if column is BirthColumn.LEVEL:
                return level_help(birth.level)
            return sentence_of(birth)
        return None

    def group_title(self) -> str:
        """Return what the group's own row says."""
        count = len(self.expected)
        return text("gui.overflow.expected", count=count, number=numbers.grouped(count))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(BirthColumn):
            if role == Qt.ItemDataRole.DisplayRole:
                return BirthColumn(section).title
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def as_text(self, indexes: Sequence[Index]) -> str:
        """Return the births of *indexes* as tab-separated text with headings; empty when there are none."""
        births = [birth for birth in map(self.birth_at, indexes) if birth is not None]
        if not births:
            return ""
        lines = ["\t".join(column.title for column in BirthColumn)]
        for birth in births:
            values = (column_text(birth, column) for column in BirthColumn)
            lines.append("\t".join(" ".join(value.split()) for value in values))
        return "\n".join(lines)

    def retranslate(self) -> None:
        """Render all words anew."""
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(BirthColumn) - 1)
