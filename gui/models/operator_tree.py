"""The operator tree: modules with verdicts rolled up, or all calls in the order of execution."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt

from core.messages import text
from core.records.names import short_name
from gui import numbers
from gui.models.categories import Category
from gui.models.facts import Facts
from gui.models.hierarchy import Side
from gui.models.roles import Role
from gui.names import shown

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


class OperatorTree(QAbstractItemModel):
    """A tree over the arrays of a :class:`Hierarchy`; an index holds a node's number.

    Flat, the rows are the calls of :class:`gui.models.facts.Calls`.
    """

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._facts: Facts | None = None
        self._exploring = False
        self.flat = False

    def set_facts(self, facts: Facts | None, exploring: bool = False) -> None:
        """Show another cell; *exploring* leaves out verdicts, for a run that is open alone."""
        self.beginResetModel()
        self._facts, self._exploring = facts, exploring
        self.endResetModel()

    def set_flat(self, flat: bool) -> None:
        """Choose between the two arrangements."""
        self.beginResetModel()
        self.flat = flat
        self.endResetModel()

    def index(self, row: int, column: int, parent: Index = _NONE) -> QModelIndex:
        if self._facts is None or column or row < 0:
            return QModelIndex()
        if self.flat:
            inside = not parent.isValid() and row < len(self._facts.calls)
            return self.createIndex(row, 0, row) if inside else QModelIndex()
        children = self._facts.hierarchy.children_of(int(parent.internalId()) if parent.isValid() else -1)
        return self.createIndex(row, 0, int(children[row])) if row < len(children) else QModelIndex()

    def parent(self, index: Index = _NONE) -> QModelIndex:  # type: ignore[override]
        if self._facts is None or self.flat or not index.isValid():
            return QModelIndex()
        return self.node_index(int(self._facts.hierarchy.parent[index.internalId()]))

    def node_index(self, node: int) -> QModelIndex:
        """Return the index of tree node *node*."""
        if self._facts is None or node < 0:
            return QModelIndex()
        return self.createIndex(int(self._facts.hierarchy.place[node]), 0, node)

    def index_of_row(self, row: int) -> QModelIndex:
        """Return the index under which row *row* of the result lies."""
        if self._facts is None or not 0 <= row < len(self._facts):
            return QModelIndex()
        if self.flat:
            call = int(self._facts.call_of_row[row])
            return self.createIndex(call, 0, call)
        return self.node_index(int(self._facts.hierarchy.node_of_row[row]))

    def rowCount(self, parent: Index = _NONE) -> int:
        if self._facts is None or (parent.isValid() and parent.column()):
            return 0
        if self.flat:
            return 0 if parent.isValid() else len(self._facts.calls)
        return len(self._facts.hierarchy.children_of(int(parent.internalId()) if parent.isValid() else -1))

    def columnCount(self, parent: Index = _NONE) -> int:
        return 1

    def row_of(self, index: Index) -> int:
        """Return the row of the result that *index* stands for: the first of the worst below; -1 if none."""
        if self._facts is None or not index.isValid():
            return -1
        item = int(index.internalId())
        if not self.flat:
            return int(self._facts.hierarchy.worst_row[item])
        calls = self._facts.calls
        first = int(calls.first_row[item])
        last = int(calls.first_row[item + 1]) if item + 1 < len(calls) else len(self._facts)
        for row in range(first, last):
            if self._facts.category[row] == calls.category[item]:
                return row
        return first

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        facts = self._facts
        if facts is None or not index.isValid() or (role == Role.CATEGORY and self._exploring):
            return None
        item = int(index.internalId())
        return self._call_data(facts, item, role) if self.flat else self._node_data(facts, item, role)

    def _call_data(self, facts: Facts, call: int, role: int) -> Any:
        row = int(facts.calls.first_row[call])
        name = facts.operators[int(facts.operator[row])]
        if role == Qt.ItemDataRole.DisplayRole:
            return short_name(name)
        if role == Role.CATEGORY:
            return int(facts.calls.category[call])
        if role == Role.SIDE:
            return self._call_side(facts, call)
        if role == Role.DETAIL:
            side = _side_text(self._call_side(facts, call))
            backward = ".backward" in name or "_backward" in name
            return side or (text("gui.tree.backward") if backward else "")
        return shown(name) if role == Qt.ItemDataRole.ToolTipRole else None

    def _call_side(self, facts: Facts, call: int) -> int:
        return int(facts.hierarchy.side[facts.hierarchy.node_of_row[facts.calls.first_row[call]]])

    def _node_data(self, facts: Facts, node: int, role: int) -> Any:
        tree = facts.hierarchy
        if role == Qt.ItemDataRole.DisplayRole:
            return tree.labels[node]
        if role == Role.CATEGORY:
            return int(tree.category[node])
        if role == Role.SIDE:
            return int(tree.side[node])
        if role == Role.COUNT:
            bad = int(tree.counts[node, Category.INHERITED :].sum())
            return numbers.grouped(bad) if bad and tree.end[node] > node + 1 else ""
        if role == Role.DETAIL:
            return _side_text(int(tree.side[node]))
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(facts, node)
        return None

    def _tool_tip(self, facts: Facts, node: int) -> str:
        tree = facts.hierarchy
        lines = [shown(tree.names[node])]
        if tree.side[node] != Side.BOTH:
            lines.append(text(f"gui.tree.{Side(int(tree.side[node])).name.lower()}_only"))
        lines += [
            f"{numbers.grouped(int(count))} {category.word}"
            for category, count in zip(reversed(Category), reversed(tree.counts[node].tolist()))
            if count and not self._exploring
        ]
        return "\n".join(lines)

    def retranslate(self) -> None:
        """Tell views that words changed."""
        self.layoutChanged.emit()


def _side_text(side: int) -> str:
    return "" if side == Side.BOTH else text(f"gui.tree.{Side(side).name.lower()}_only")
