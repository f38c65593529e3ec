"""The rows of a cell arranged as a tree: by module, in the order of execution, or by type of operator.

The nodes of each arrangement are numbered depth first, so everything below node *n* is ``n .. end[n]``:
rolling up, searching and unfolding are operations on columns. Imports no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from core.messages import text
from core.records.columns import ABSENT, Int32, UInt8
from core.records.names import short_name
from gui import numbers
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.search.text_search import texts_holding
from gui.models.tree.hierarchy import Side


class Order(StrEnum):
    """The arrangements there are, as the settings and the catalogue name them."""

    MODULE = "module"
    EXECUTION = "execution"
    TYPE = "type"


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Columns over the nodes, and what a node is called."""

    facts: Facts
    parent: Int32
    end: Int32
    """One past the last node below."""
    node_of_row: Int32
    category: UInt8
    """The worst below."""
    side: UInt8
    """:class:`Side` of all calls below."""

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def depth(self) -> Int32:
        """How many nodes are above each."""
        places = np.arange(len(self))
        closed = np.cumsum(np.bincount(self.end, minlength=len(self) + 1)[: len(self)])
        return (places - closed).astype(np.int32)

    @cached_property
    def has_below(self) -> np.ndarray:
        """Whether there is a node below each."""
        return self.end > np.arange(1, len(self) + 1)

    def label(self, node: int) -> str:
        """Return what a node is called in the tree."""
        raise NotImplementedError

    def name(self, node: int) -> str:
        """Return its full name."""
        raise NotImplementedError

    def remark(self, _node: int) -> str:
        """Return what stands beside the label of a node that both sides have."""
        return ""

    def named(self, needle: str) -> np.ndarray:
        """Return which nodes have *needle* (in lower case) in a name that none of their rows has."""
        raise NotImplementedError

    def agrees_with(self, other: Arrangement) -> bool:
        """Whether *other*, of as many nodes, has the same ones that can be unfolded, by their names."""
        return np.array_equal(self.end, other.end)

    def query(self, node: int) -> str:
        """Return what to type into the filter to see only the rows below *node*; empty where nothing does."""
        raise NotImplementedError

    def rows_below(self, node: int) -> np.ndarray:
        """Return which rows lie below *node*."""
        return (self.node_of_row >= node) & (self.node_of_row < self.end[node])

    def counts(self, node: int) -> list[int]:
        """Return how many rows below *node* are in each category."""
        found = self.facts.category[self.rows_below(node)]
        return np.bincount(found, minlength=len(Category)).tolist()

    def worst_row(self, node: int) -> int:
        """Return the first row of the worst category below *node*, -1 where there is none."""
        worst = self.rows_below(node) & (self.facts.category == self.category[node])
        row = int(np.argmax(worst))
        return row if worst[row] else ABSENT

    def count(self, rows: np.ndarray) -> Int32:
        """Return how many of the *rows* of a mask lie below each node."""
        sums = np.zeros(len(self) + 1, np.int32)
        np.cumsum(np.bincount(self.node_of_row[rows], minlength=len(self)), out=sums[1:])
        return sums[self.end] - sums[:-1]

    def ancestors(self, node: int) -> list[int]:
        """Return the nodes above *node*, the nearest first."""
        found = []
        while (node := int(self.parent[node])) >= 0:
            found.append(node)
        return found


class ByModule(Arrangement):
    """Modules, and in them the API calls, forward and backward as one."""

    def label(self, node: int) -> str:
        return self.facts.hierarchy.labels[node]

    def name(self, node: int) -> str:
        return self.facts.hierarchy.names[node]

    def named(self, needle: str) -> np.ndarray:
        return texts_holding(self.facts.hierarchy.names, needle)[:-1]

    def agrees_with(self, other: Arrangement) -> bool:
        names = self.facts.hierarchy.names.data, other.facts.hierarchy.names.data
        return super().agrees_with(other) and np.array_equal(*names)

    def query(self, _node: int) -> str:
        return ""

    def counts(self, node: int) -> list[int]:
        counts: list[int] = self.facts.hierarchy.counts[node].tolist()
        return counts

    def worst_row(self, node: int) -> int:
        return int(self.facts.hierarchy.worst_row[node])


class _OfCalls(Arrangement):
    """One whose lowest nodes are calls, each pass of its own."""

    def _row(self, node: int) -> int:
        """Return the first row of the call *node*."""
        raise NotImplementedError

    def label(self, node: int) -> str:
        return short_name(self.name(node))

    def name(self, node: int) -> str:
        return self.facts.operators[int(self.facts.operator[self._row(node)])]

    def remark(self, node: int) -> str:
        name = self.name(node)
        return text("gui.tree.backward") if ".backward" in name or "_backward" in name else ""

    def named(self, needle: str) -> np.ndarray:
        return np.zeros(len(self), bool)

    def query(self, node: int) -> str:
        return f'"{self.name(node)}"'


class ByExecution(_OfCalls):
    """All calls in the order of execution."""

    def _row(self, node: int) -> int:
        return int(self.facts.calls.first_row[node])


@dataclass(frozen=True, eq=False)
class ByType(_OfCalls):
    """Types of operators, those called most first, and below each its calls in the order of execution."""

    call_of_node: Int32
    """-1 for a type."""
    type_of_node: Int32
    """-1 for a call."""

    def _row(self, node: int) -> int:
        return int(self.facts.calls.first_row[self.call_of_node[node]])

    def _type(self, node: int) -> str:
        at = int(self.type_of_node[node])
        return self.facts.hierarchy.types.texts[at] if at >= 0 else ""

    def label(self, node: int) -> str:
        return self._type(node) or super().label(node)

    def name(self, node: int) -> str:
        return self._type(node) or super().name(node)

    def remark(self, node: int) -> str:
        if self.type_of_node[node] < 0:
            return super().remark(node)
        count = int(self.end[node]) - node - 1
        return text("gui.tree.calls", count=count, shown=numbers.grouped(count))

    def named(self, needle: str) -> np.ndarray:
        return texts_holding(self.facts.hierarchy.types.texts, needle)[self.type_of_node]

    def agrees_with(self, other: Arrangement) -> bool:
        roots = [np.flatnonzero(each.parent == ABSENT).tolist() for each in (self, other)]
        return super().agrees_with(other) and (
            [self.name(node) for node in roots[0]] == [other.name(node) for node in roots[1]]
        )

    def query(self, node: int) -> str:
        return f"type:{self._type(node)}" if self.type_of_node[node] >= 0 else super().query(node)


def arrange(facts: Facts, order: Order) -> Arrangement:
    """Arrange the rows of *facts*."""
    tree, calls = facts.hierarchy, facts.calls
    if order is Order.MODULE:
        return ByModule(facts, tree.parent, tree.end, tree.node_of_row, tree.category, tree.side)
    if order is Order.EXECUTION:
        places = np.arange(len(calls), dtype=np.int32)
        alone = np.full(len(calls), ABSENT, np.int32)
        return ByExecution(facts, alone, places + 1, facts.call_of_row, calls.category, tree.side_of_call)
    return _by_type(facts)


def _by_type(facts: Facts) -> ByType:
    tree, calls = facts.hierarchy, facts.calls
    types = tree.types.shown
    counts = np.bincount(types, minlength=len(tree.types.texts))
    ranked = np.argsort(-counts, kind="stable")
    ranked = ranked[counts[ranked] > 0]  # the golden's name of a pair may be of another type than any shown
    place = np.zeros(len(counts), np.int32)
    place[ranked] = np.arange(len(ranked), dtype=np.int32)
    at = place[types]
    sizes = counts[ranked]
    heads = (np.cumsum(sizes) - sizes + np.arange(len(ranked))).astype(np.int32)
    small = at.astype(np.uint16) if len(ranked) < 1 << 16 else at  # which numpy sorts many times as fast
    order = np.argsort(small, kind="stable")
    nodes = np.empty(len(calls), np.int32)
    nodes[order] = np.arange(len(calls), dtype=np.int32) + at[order] + 1

    total = len(calls) + len(ranked)
    parent, end = np.full(total, ABSENT, np.int32), np.arange(1, total + 1, dtype=np.int32)
    call_of_node, type_of_node = np.full(total, ABSENT, np.int32), np.full(total, ABSENT, np.int32)
    category, side = np.zeros(total, np.uint8), np.zeros(total, np.uint8)
    parent[nodes], call_of_node[nodes] = heads[at], np.arange(len(calls), dtype=np.int32)
    category[nodes], side[nodes] = calls.category, tree.side_of_call
    end[heads], type_of_node[heads] = heads + sizes + 1, ranked
    if len(heads):
        category[heads] = np.maximum.reduceat(category, heads)
        side[heads] = _common_side(side, nodes, heads)
    return ByType(
        facts, parent, end, nodes[facts.call_of_row], category, side, call_of_node, type_of_node
    )  # fmt: skip


def _common_side(side: UInt8, nodes: Int32, heads: Int32) -> UInt8:
    """Return for each type the side that all its calls are on, else both."""
    on = [np.zeros(len(side), np.int32) for _ in Side]
    for which, column in zip(Side, on):
        column[nodes] = side[nodes] == which
    both, target, golden = (np.add.reduceat(column, heads) for column in on)
    alone = np.where(target > 0, Side.TARGET, Side.GOLDEN)
    return np.where((both > 0) | ((target > 0) & (golden > 0)), Side.BOTH, alone).astype(np.uint8)
