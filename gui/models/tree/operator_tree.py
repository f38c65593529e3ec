"""The operator tree as rows: one for each node on show.

A view of rows of one height costs the same for ten nodes and for a million; depth, branch and verdict are
drawn from one answer a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.result import CellResult
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.tree.arrangements import Arrangement, Order, arrange
from gui.models.tree.hierarchy import Side
from gui.models.tree.node_numbers import NodeNumbers, Shown
from gui.models.tree.unfolding import Unfolding
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
Result = TypeVar("Result")
_NONE = QModelIndex()
NODE_ROLE = Qt.ItemDataRole.UserRole + 101
"""The :class:`NodeLook` of a row."""


class Branch(IntEnum):
    """What stands before a node."""

    NONE = 0
    CLOSED = 1
    OPEN = 2


@dataclass(frozen=True)
class NodeLook:
    """All that is drawn of a node."""

    label: str
    depth: int
    branch: Branch
    category: Category | None
    one_sided: bool
    detail: str
    """A second, dim text."""
    number: str
    marked: bool


class OperatorTree(QAbstractTableModel):
    """One column; a row is a node that is on show."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._cell: CellResult | None = None
        self._facts: Facts | None = None
        self._exploring = self._only_problems = False
        self._made: dict[Order, tuple[Unfolding, NodeNumbers]] = {}
        """Of this cell, by arrangement; each is made when it is first looked at."""
        self._visible = np.empty(0, np.int32)
        self._marked: np.ndarray | None = None
        self.order = Order.MODULE
        self.shown = Shown.DIFFERING

    # ---- what is shown

    def set_facts(self, cell: CellResult | None, facts: Facts | None, exploring: bool = False) -> None:
        """Show another cell; *exploring* leaves out verdicts, for a run that is open alone.

        What was unfolded stays so where the names agree.
        """
        self.beginResetModel()
        before = self._made.get(self.order)
        self._cell, self._facts, self._exploring = cell, facts, exploring
        self._made, self._marked, self._visible = {}, None, np.empty(0, np.int32)
        if facts is not None:
            self._prepare(before[0] if before is not None and len(before[0].arrangement) else None)
        self.endResetModel()

    def set_order(self, order: Order) -> None:
        """Choose another arrangement."""
        self.beginResetModel()
        self.order, self._marked = order, None
        if self._facts is not None:
            self._prepare(None)
        self.endResetModel()

    def set_only_problems(self, only: bool) -> None:
        """Show only nodes under which something differs, or only one side has a call, or all."""
        self._only_problems = only
        if self._facts is not None:
            self.beginResetModel()
            self._prepare(None)
            self.endResetModel()

    def set_shown(self, wanted: Shown) -> None:
        """Choose the number at the right."""
        self.shown = wanted
        self._look_again()

    def set_marked(self, marked: np.ndarray | None) -> None:
        """Mark nodes, by a mask over them all."""
        self._marked = marked
        self._look_again()

    def _prepare(self, before: Unfolding | None) -> None:
        """See that there is the arrangement in force."""
        assert self._facts is not None
        assert self._cell is not None
        if self.order not in self._made:
            arrangement = arrange(self._facts, self.order)
            unfolding = Unfolding(arrangement)
            if before is not None:
                unfolding.take_over(before)
            elif self.order is Order.MODULE:
                unfolding.unfold_first_levels()
            self._made[self.order] = unfolding, NodeNumbers(arrangement, self._cell.rows)
        unfolding, _ = self._made[self.order]
        kept = None
        if self._only_problems and not self._exploring:
            kept = unfolding.arrangement.count(self._problem_rows(self._cell, self._facts)) > 0
        unfolding.keep_only(kept)
        self._visible = unfolding.visible

    def _problem_rows(self, cell: CellResult, facts: Facts) -> np.ndarray:
        one_sided = (cell.rows.target_operator < 0) | (cell.rows.golden_operator < 0)
        one_sided &= facts.category != Category.IGNORED
        return one_sided | (facts.category >= Category.GOLDEN_INVALID)

    def _look_again(self) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))

    @property
    def arrangement(self) -> Arrangement | None:
        """The arrangement on show."""
        unfolding = self.unfolding
        return unfolding.arrangement if unfolding is not None else None

    @property
    def unfolding(self) -> Unfolding | None:
        """What of it is unfolded; to be changed by :meth:`change`."""
        made = self._made.get(self.order)
        return made[0] if made is not None else None

    def change(self, act: Callable[[Unfolding], Result]) -> Result | None:
        """Let *act* fold and unfold, and tell views which rows came or went; returns what *act* does."""
        unfolding = self.unfolding
        if unfolding is None:
            return None
        result = act(unfolding)
        before, after = self._visible, unfolding.visible
        first = _common_start(before, after)
        last = _common_start(before[first:][::-1], after[first:][::-1])
        more = len(after) - len(before)
        if more > 0 and first + last == len(before):
            self.beginInsertRows(_NONE, first, first + more - 1)
            self._visible = after
            self.endInsertRows()
        elif more < 0 and first + last == len(after):
            self.beginRemoveRows(_NONE, first, first - more - 1)
            self._visible = after
            self.endRemoveRows()
        elif first < len(before):
            self.beginResetModel()
            self._visible = after
            self.endResetModel()
        else:
            return result
        self._look_again()  # of branches
        return result

    # ---- nodes and rows

    def node_of(self, index: Index) -> int:
        """Return the node that *index* shows, -1 for none."""
        inside = index.isValid() and index.row() < len(self._visible)
        return int(self._visible[index.row()]) if inside else -1

    def node_index(self, node: int) -> QModelIndex:
        """Return the index of *node*; an invalid one where it is not on show."""
        unfolding = self.unfolding
        at = unfolding.place(node) if unfolding is not None and node >= 0 else -1
        return self.index(at, 0) if at >= 0 else QModelIndex()

    def node_of_row(self, row: int) -> int:
        """Return the node under which row *row* of the result lies, -1 for none."""
        arrangement = self.arrangement
        if arrangement is None or not 0 <= row < len(arrangement.node_of_row):
            return -1
        return int(arrangement.node_of_row[row])

    def row_of(self, index: Index) -> int:
        """Return the row of the result that *index* stands for: the first of the worst below; -1 if none."""
        node, arrangement = self.node_of(index), self.arrangement
        return arrangement.worst_row(node) if arrangement is not None and node >= 0 else -1

    # ---- Qt

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._visible)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node, arrangement = self.node_of(index), self.arrangement
        if node < 0 or arrangement is None:
            return None
        if role == NODE_ROLE:
            return self.look(node)
        if role == Qt.ItemDataRole.DisplayRole:
            return arrangement.label(node)
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(self._facts_of(arrangement, node))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(self.look(node))
        return None

    def look(self, node: int) -> NodeLook:
        """Return what is drawn of *node*."""
        unfolding, values = self._made[self.order]
        arrangement = unfolding.arrangement
        branch = Branch.NONE
        if arrangement.has_below[node]:
            branch = Branch.OPEN if unfolding.open[node] else Branch.CLOSED
        side = int(arrangement.side[node])
        return NodeLook(
            label=shown(arrangement.label(node)),
            depth=int(arrangement.depth[node]),
            branch=branch,
            category=None if self._exploring else Category(int(arrangement.category[node])),
            one_sided=side != Side.BOTH,
            detail=_side_text(side) or arrangement.remark(node),
            number="" if self._exploring else values.words(self.shown, node),
            marked=self._marked is not None and bool(self._marked[node]),
        )

    def _spoken(self, look: NodeLook) -> str:
        """Return for assistive software what else is told by indentation, sign and colour."""
        parts = [look.label, look.detail, look.category.word if look.category is not None else ""]
        if look.branch is not Branch.NONE:
            parts.append(text("gui.tree.open" if look.branch is Branch.OPEN else "gui.tree.closed"))
        return ", ".join(part for part in [*parts, text("gui.tree.level", level=look.depth + 1)] if part)

    def _facts_of(self, arrangement: Arrangement, node: int) -> list[str]:
        lines = [shown(arrangement.name(node))]
        if arrangement.side[node] != Side.BOTH:
            lines.append(_side_text(int(arrangement.side[node])))
        if self._exploring:
            return lines
        counts = zip(reversed(Category), reversed(arrangement.counts(node)))
        lines += [f"{numbers.grouped(count)} {category.word}" for category, count in counts if count]
        _, values = self._made[self.order]
        for wanted in (Shown.ERROR, Shown.COSINE):
            words = values.written(wanted, values.worst_of(wanted, node))
            if words:
                lines.append(f"{text(f'gui.tree.number.{wanted}')}  {words}")
        return lines

    def retranslate(self) -> None:
        """Tell views that words changed."""
        self._look_again()


def _common_start(first: np.ndarray, second: np.ndarray) -> int:
    """Return how many nodes both begin with."""
    count = min(len(first), len(second))
    apart = first[:count] != second[:count]
    return int(np.argmax(apart)) if apart.any() else count


def _side_text(side: int) -> str:
    return "" if side == Side.BOTH else text(f"gui.tree.{Side(side).name.lower()}_only")
