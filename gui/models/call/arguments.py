"""The slots of one call, both sides next to each other."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.dump import STATISTICS
from gui.models.call.details import Argument
from gui.models.call.word_parts import Part, Parts, differing_digits, differing_parts
from gui.models.headings import heading
from gui.models.pair.categories import Category
from gui.models.roles import Role
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_TITLES = ("gui.arguments.slot", "gui.target", "gui.golden")
FIRST_STATISTIC = len(_TITLES)


class ArgumentRole(IntEnum):
    """What only slots answer to."""

    PARTS = Qt.ItemDataRole.UserRole + 51
    """The text in pieces, see :class:`gui.models.call.word_parts.Part`."""
    ABSENT = Qt.ItemDataRole.UserRole + 52
    """Whether the text only says that there is nothing."""
    CALM = Qt.ItemDataRole.UserRole + 53
    """Whether what differs is no more than noise."""


class ArgumentTable(QAbstractTableModel):
    """Slot, target, golden; then the statistics, of both sides where they differ."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.arguments: list[Argument] = []
        self._exploring = False

    def set_arguments(self, arguments: list[Argument], exploring: bool = False) -> None:
        """Show another call; *exploring* tells that there is no other side that could lack something."""
        self.beginResetModel()
        self.arguments, self._exploring = arguments, exploring
        self.endResetModel()

    def has_statistic(self, column: int) -> bool:
        """Whether any slot has something in *column*."""
        return any(any(item.statistics[column - FIRST_STATISTIC]) for item in self.arguments)

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.arguments)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(_TITLES) + len(STATISTICS)

    def parts(self, row: int, column: int) -> Parts:
        """Return what stands in a cell, in pieces that differ from the other side and pieces that do not."""
        item = self.arguments[row]
        if column == 0:
            return (Part(shown(item.slot), False),)
        if column < FIRST_STATISTIC:
            here, there = (item.target, item.golden) if column == 1 else (item.golden, item.target)
            if not here and there and not self._exploring:
                return (Part(self._absence(item), False),)
            return differing_parts(shown(here), shown(there))[0]
        target, golden = item.statistics[column - FIRST_STATISTIC]
        if target == golden or not golden:
            return (Part(target, False),)
        if not target:
            return (Part(golden, False),)
        mine, theirs = differing_digits(target, golden)
        return (*mine, Part(" | ", False), *theirs)

    def _absence(self, item: Argument) -> str:
        return text("gui.arguments.no_call" if item.one_sided else "gui.arguments.not_there")

    def _is_absent(self, item: Argument, column: int) -> bool:
        here, there = (item.target, item.golden) if column == 1 else (item.golden, item.target)
        return 0 < column < FIRST_STATISTIC and not here and bool(there) and not self._exploring

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        item = self.arguments[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return "".join(part.words for part in self.parts(row, column))
        if role == ArgumentRole.PARTS:
            return self.parts(row, column)
        if role == ArgumentRole.CALM:
            return item.category <= Category.CLOSE
        if role == ArgumentRole.ABSENT:
            return self._is_absent(item, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(item, row, column)
        if role == Role.CATEGORY and column == 0:
            return None if self._exploring else int(item.category)
        return None

    def _tip(self, item: Argument, row: int, column: int) -> str:
        words = "".join(part.words for part in self.parts(row, column))
        if self._is_absent(item, column):
            return text("gui.arguments.no_call.help" if item.one_sided else "gui.arguments.not_there.help")
        if column == 0 and not self._exploring:
            return f"{words}\n{item.category.meaning}"
        if column >= FIRST_STATISTIC:
            target, golden = item.statistics[column - FIRST_STATISTIC]
            if target and golden and target != golden:
                return text("gui.arguments.pair", target=target, golden=golden)
        return words

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return heading([*(text(code) for code in _TITLES), *STATISTICS], section, orientation, role)

    def retranslate(self) -> None:
        """Tell views that headings and what is said of absent slots changed."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        if self.arguments:
            last = self.index(len(self.arguments) - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
