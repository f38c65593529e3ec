"""The things that one check compared, what counts first."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.messages import render, text
from core.records.evidence import Place
from core.records.precheck import Check, Item, Standing
from gui.models.headings import heading
from gui.models.pair.categories import Category
from gui.models.precheck.words import counts, is_one_sided, place_text, side_value, whole_place
from gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_QUIET = (Standing.EQUAL, Standing.REMARK)
_MARKS = {
    Standing.EQUAL: Category.EQUAL, Standing.DIFFERS: Category.INTRODUCED, Standing.REMARK: Category.CLOSE,
    Standing.TARGET_ONLY: Category.INTRODUCED, Standing.GOLDEN_ONLY: Category.INTRODUCED,
    Standing.UNKNOWN: Category.NOT_COMPARED,
}  # fmt: skip


class ItemColumn(IntEnum):
    """What is said of each."""

    NAME = 0
    TARGET = 1
    GOLDEN = 2
    TARGET_PLACE = 3
    GOLDEN_PLACE = 4
    REMARK = 5

    @property
    def title(self) -> str:
        """Its heading."""
        return text(f"gui.precheck.item.{self.name.lower()}")


def item_text(check: Check, item: Item, column: ItemColumn) -> str:
    """Return what *column* says of *item* of *check*."""
    if column is ItemColumn.NAME:
        return item.called
    if column in (ItemColumn.TARGET, ItemColumn.GOLDEN):
        return side_value(check, item, column is ItemColumn.GOLDEN)
    if column is ItemColumn.TARGET_PLACE:
        return place_text(item.target_place)
    if column is ItemColumn.GOLDEN_PLACE:
        return place_text(item.golden_place)
    said = [render(item.remark)] if item.remark is not None else []
    if item.standing is Standing.UNKNOWN:
        said.append(text("gui.precheck.unknown"))
    return "  ·  ".join(said)


class ItemTable(QAbstractTableModel):
    """A row for each."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: Sequence[Item] = ()
        self._check: Check | None = None
        self._only_counting = False

    def show_check(self, check: Check | None, only_counting: bool) -> None:
        """Show what *check* compared, all or only what counts."""
        self._check, self._only_counting = check, only_counting
        self.beginResetModel()
        items = check.items if check is not None else ()
        self.items = [item for item in items if not only_counting or (check and counts(check, item))]
        self.endResetModel()

    @property
    def counting(self) -> int:
        """How many things of the check count."""
        check = self._check
        return sum(counts(check, item) for item in check.items) if check is not None else 0

    def place_at(self, index: Index) -> Place | None:
        """Return the place that *index* tells of; ``None`` on other columns."""
        if not index.isValid():
            return None
        item = self.items[index.row()]
        if index.column() == ItemColumn.TARGET_PLACE:
            return item.target_place
        return item.golden_place if index.column() == ItemColumn.GOLDEN_PLACE else None

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(ItemColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        check = self._check
        if not index.isValid() or check is None:
            return None
        item, column = self.items[index.row()], ItemColumn(index.column())
        unjudged = is_one_sided(item) and not counts(check, item)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return item_text(check, item, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            place = self.place_at(index)
            if place is not None:
                return text("gui.precheck.place.help", place=whole_place(place))
            said = [item_text(check, item, column), _origin(item, column)]
            if column is ItemColumn.NAME:  # there may be no room for the remark
                said.append(item_text(check, item, ItemColumn.REMARK))
            return "\n".join(filter(None, said))
        if role == Role.CATEGORY and column is ItemColumn.NAME:
            return Category.NOT_COMPARED if unjudged else _MARKS[item.standing]
        if role == Role.FACE:
            values = column in (ItemColumn.NAME, ItemColumn.TARGET, ItemColumn.GOLDEN)
            if values and item.standing not in _QUIET and not unjudged:
                return "name"
            return "name" if column is ItemColumn.NAME else "dim"
        if role == Role.CHANGED:
            return counts(check, item) and column in (ItemColumn.TARGET, ItemColumn.GOLDEN)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return heading([column.title for column in ItemColumn], section, orientation, role)

    def lines(self, rows: Sequence[int]) -> list[list[str]]:
        """Return headings and *rows*, cell by cell; empty where there are none."""
        check = self._check
        if not rows or check is None:
            return []
        cells = [[item_text(check, self.items[row], column) for column in ItemColumn] for row in rows]
        return [[column.title for column in ItemColumn], *cells]


def _origin(item: Item, column: ItemColumn) -> str:
    """Return where a side's value stands; empty on other columns."""
    place = {ItemColumn.TARGET: item.target_place, ItemColumn.GOLDEN: item.golden_place}.get(column)
    return whole_place(place) if place is not None else ""
