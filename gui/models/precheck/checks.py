"""The checklist as a tree: a row for each part of the list, under it its checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.messages import render, text
from core.precheck.telling import sentence_of, title_of
from core.records.precheck import Check, Group, Outcome, PrecheckReport
from gui.models.headings import heading
from gui.models.precheck.words import (
    CATEGORIES,
    group_title,
    outcome_word,
    side_summary,
    signed_text,
)
from gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


class CheckColumn(IntEnum):
    """What is said of each check."""

    RESULT = 0
    CHECK = 1
    SENTENCE = 2
    TARGET = 3
    GOLDEN = 4
    REMARK = 5

    @property
    def title(self) -> str:
        """Its heading."""
        return text(f"gui.precheck.column.{self.name.lower()}")


class ShownGroup(NamedTuple):
    """A part of the list, with those of its checks that are listed."""

    group: Group
    checks: tuple[Check, ...]

    @property
    def title(self) -> str:
        """Its name."""
        return group_title(self.group)

    @property
    def counts(self) -> list[tuple[Outcome, int]]:
        """How many of its checks that are listed have each result, those that there are."""
        found = [(outcome, sum(check.result is outcome for check in self.checks)) for outcome in CATEGORIES]
        return [(outcome, count) for outcome, count in found if count]


def cell_text(check: Check, column: CheckColumn) -> str:
    """Return what *column* says of *check*."""
    if column is CheckColumn.RESULT:
        return outcome_word(check.result)
    if column is CheckColumn.CHECK:
        return title_of(check)
    if column is CheckColumn.SENTENCE:
        return render(sentence_of(check))
    if column is CheckColumn.REMARK:
        return signed_text(check)
    if check.result is Outcome.NOT_DONE:
        return ""
    return side_summary(check, golden=column is CheckColumn.GOLDEN)


class CheckTree(QAbstractItemModel):
    """An index of a group carries 0, one of a check the number of its group from 1."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.groups: tuple[ShownGroup, ...] = ()

    def show_report(self, report: PrecheckReport | None, listed: Callable[[Check], bool]) -> bool:
        """Show the checks of *report* that are *listed*; returns whether the rows are others than before."""
        made: dict[Group, list[Check]] = {}
        for check in filter(listed, report.checks if report is not None else ()):
            made.setdefault(check.group, []).append(check)
        groups = tuple(ShownGroup(group, tuple(checks)) for group, checks in made.items())
        if _shape(groups) == _shape(self.groups):
            self.groups = groups
            self.retranslate()
            return False
        self.beginResetModel()
        self.groups = groups
        self.endResetModel()
        return True

    # ---- shape

    def group_at(self, index: Index) -> ShownGroup | None:
        """Return the group whose own row *index* is."""
        if not index.isValid() or index.internalId():
            return None
        return self.groups[index.row()]

    def check_at(self, index: Index) -> Check | None:
        """Return the check of *index*; ``None`` for a group's row."""
        if not index.isValid() or not index.internalId():
            return None
        return self.groups[index.internalId() - 1].checks[index.row()]

    def index_of(self, id: str) -> QModelIndex:
        """Return where the check *id* stands; invalid where it is not listed."""
        for number, group in enumerate(self.groups):
            for row, check in enumerate(group.checks):
                if check.id == id:
                    return self.createIndex(row, 0, number + 1)
        return QModelIndex()

    def group_indexes(self) -> list[QModelIndex]:
        """Return the rows of all groups."""
        return [self.index(number, 0) for number in range(len(self.groups))]

    def index(self, row: int, column: int, parent: Index = _NONE) -> QModelIndex:
        if not (0 <= row < self.rowCount(parent) and 0 <= column < len(CheckColumn)):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = _NONE) -> QModelIndex:  # type: ignore[override]
        number = index.internalId() if index.isValid() else 0
        return self.createIndex(number - 1, 0, 0) if number else QModelIndex()

    def rowCount(self, parent: Index = _NONE) -> int:
        if not parent.isValid():
            return len(self.groups)
        group = self.group_at(parent)
        return len(group.checks) if group is not None and not parent.column() else 0

    def columnCount(self, _parent: Index = _NONE) -> int:
        return len(CheckColumn)

    # ---- content

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        spoken = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        group, column = self.group_at(index), CheckColumn(index.column())
        if group is not None:
            return group.title if spoken and not index.column() else None
        check = self.check_at(index)
        assert check is not None
        if spoken or role == Qt.ItemDataRole.ToolTipRole:
            return cell_text(check, column)
        if role == Role.CATEGORY and column is CheckColumn.RESULT:
            return CATEGORIES[check.result]
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return heading([column.title for column in CheckColumn], section, orientation, role)

    def lines(self, indexes: Sequence[Index]) -> list[list[str]]:
        """Return headings and the checks of *indexes*, cell by cell; empty where there are none."""
        checks = [check for check in map(self.check_at, indexes) if check is not None]
        if not checks:
            return []
        cells = [[cell_text(check, column) for column in CheckColumn] for check in checks]
        return [[column.title for column in CheckColumn], *cells]

    def retranslate(self) -> None:
        """Render all words anew."""
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(CheckColumn) - 1)


def _shape(groups: Sequence[ShownGroup]) -> list[tuple[Group, list[str]]]:
    return [(group.group, [check.id for check in group.checks]) for group in groups]
