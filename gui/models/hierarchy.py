"""Both sides' calls merged into one tree of modules, as arrays.

A node is a module (all its calls, forward and backward) or an API call (forward and backward of the
same occurrence). Nodes are numbered depth first, so everything under node *n* is ``n .. end[n]``: rolling
up, filtering by a subtree and listing children need no object a node. Imports no Qt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from core.records.columns import ABSENT, Int32, UInt8
from core.records.dump import Dump
from core.records.names import Direction, OperatorKind, parse_operator_name
from core.records.result import CellResult
from gui.models.categories import Category

_PREFIXES = ("Module.", "Cell.")


class Side(IntEnum):
    """Which runs have a call of this node."""

    BOTH = 0
    TARGET = 1
    GOLDEN = 2


@dataclass(frozen=True)
class Hierarchy:
    """The tree; arrays by node, in depth-first order."""

    labels: list[str]
    names: list[str]
    """The full name, for tooltips and search."""
    parent: Int32
    end: Int32
    """One past the last node below."""
    children: Int32
    """Nodes grouped by parent: those of node n are ``children[start[n + 1]:start[n + 2]]``; roots first."""
    start: Int32
    place: Int32
    """Position of a node among its siblings."""
    category: UInt8
    """The worst below."""
    counts: Int32
    """nodes × categories: rows below."""
    side: UInt8
    node_of_row: Int32
    worst_row: Int32
    """First row of the worst category below, -1 where there is none."""

    def __len__(self) -> int:
        return len(self.labels)

    def children_of(self, node: int) -> Int32:
        """Return the children of *node*; -1 is the invisible root."""
        return self.children[self.start[node + 1] : self.start[node + 2]]


class _Nodes:
    """Creates nodes by key, parents before children."""

    def __init__(self) -> None:
        self.ids: dict[tuple[int, str], int] = {}
        self.parent: list[int] = []
        self.names: list[str] = []
        self.labels: list[str] = []
        self._module: dict[str, int] = {}
        self._paths: dict[str, int] = {}
        self.calls: dict[str, int] = {}
        """The first node of each API call, by name and occurrence."""

    def node(self, parent: int, name: str, label: str) -> int:
        found = self.ids.get((parent, name))
        if found is None:
            found = self.ids[parent, name] = len(self.parent)
            self.parent.append(parent)
            self.names.append(name)
            self.labels.append(label)
        return found

    def module(self, stem: str, parent: int) -> int:
        """Return the node of module *stem*, made under *parent* the first time it is seen."""
        found = self._module.get(stem)
        if found is None:
            if parent == ABSENT:
                parent = self._by_path(stem)
            parent = self._list_node(stem, parent)
            above = self.names[parent] if parent >= 0 else ""
            found = self._module[stem] = self.node(parent, stem, _module_label(stem, above))
            self._paths.setdefault(_bare(stem).rpartition(".")[0], found)
        return found

    def _list_node(self, stem: str, parent: int) -> int:
        """Return the node for the list that module *stem* is an item of (``h`` of ``h.0``), else *parent*."""
        path = _bare(stem).rpartition(".")[0]
        list_path, _, number = path.rpartition(".")
        above = _bare(self.names[parent]).rpartition(".")[0] if parent >= 0 else ""
        label = list_path.removeprefix(above + ".") if above else list_path
        if not number.isdigit() or not list_path or list_path == above:
            return parent
        return self.node(parent, f"{list_path}.", label)

    def _by_path(self, stem: str) -> int:
        """Return the known module that the dotted path of *stem* lies in: for dumps that name no parents."""
        path = _bare(stem).rpartition(".")[0].rpartition(".")[0]
        while path:
            if path in self._paths:
                return self._paths[path]
            path = path.rpartition(".")[0]
        return ABSENT

    def known_module(self, stem: str) -> int | None:
        return self._module.get(stem)


def _bare(stem: str) -> str:
    for prefix in _PREFIXES:
        stem = stem.removeprefix(prefix)
    return stem


def _module_label(stem: str, above: str) -> str:
    """Return what *stem* adds to its parent: ``h.0 Block`` for ``Module.model.h.0.Block``."""
    path, _, class_name = _bare(stem).rpartition(".")
    above_path = _bare(above).rpartition(".")[0]
    if above_path and path.startswith(above_path + "."):
        path = path[len(above_path) + 1 :]
    return f"{path} {class_name}" if path else class_name


class _Side:
    """Places the calls of one dump."""

    def __init__(self, dump: Dump, nodes: _Nodes) -> None:
        self._strings = dump.strings
        self._names = dump.operators.name.tolist()
        self._parents = dump.operators.parent.tolist()
        self._above: dict[int, int] = dict(zip(self._names, self._parents))
        self._above.update(zip(dump.scopes.name.tolist(), dump.scopes.parent.tolist()))
        self._kinds = dump.operators.kind.tolist()
        self._scope_nodes: dict[int, int] = {}
        self._nodes = nodes

    def _scope(self, name: int) -> int:
        """Return the node of the scope whose name has id *name*, making those above it first."""
        chain = []
        while name != ABSENT and name not in self._scope_nodes and name not in chain:
            chain.append(name)
            name = self._above.get(name, ABSENT)
        node = self._scope_nodes.get(name, ABSENT)
        for item in reversed(chain):
            node = self._scope_nodes[item] = self._nodes.module(
                parse_operator_name(self._strings[item]).stem, node
            )
        return node

    def place(self, operator: int) -> int:
        """Return the node of row *operator*."""
        name = self._names[operator]
        if name in self._scope_nodes:
            return self._scope_nodes[name]
        text = self._strings[name]
        if self._kinds[operator] == OperatorKind.API:
            stem, dot, direction = text.rpartition(".")
            if dot and direction in ("forward", "backward"):  # nearly all names; parsing them costs more
                return self._api(operator, stem, direction == "backward")
        parsed = parse_operator_name(text)
        if parsed.kind is OperatorKind.MODULE:
            return self._scope(name)
        stem = parsed.stem if parsed.occurrence < 0 else f"{parsed.stem}.{parsed.occurrence}"
        if parsed.kind is OperatorKind.PARAMETERS_GRAD:
            known = self._nodes.known_module(parsed.stem)
            if known is not None:
                return self._nodes.node(known, f"{parsed.stem}.parameters_grad", "parameters_grad")
        return self._api(operator, stem, parsed.direction is Direction.BACKWARD)

    def _api(self, operator: int, stem: str, backward: bool) -> int:
        above = self._scope(self._parents[operator])
        if above == ABSENT or backward:
            forward = self._nodes.calls.get(stem)  # dumps often name no parent for a backward call
            if forward is not None:
                return forward
        node = self._nodes.node(above, stem, _call_label(stem))
        self._nodes.calls.setdefault(stem, node)
        return node


def _call_label(stem: str) -> str:
    head, dot, rest = stem.partition(".")
    return (
        rest if dot and head in ("Functional", "Tensor", "Torch", "NPU", "VF", "Mint", "Primitive") else stem
    )


def build_hierarchy(cell: CellResult, first_row: Int32, call_of_row: Int32, category: UInt8) -> Hierarchy:
    """Merge both sides of *cell*; *first_row* and *call_of_row* say which rows form a call."""
    nodes = _Nodes()
    target, golden = _Side(cell.target, nodes), _Side(cell.golden, nodes)
    rows = cell.rows
    on_target = rows.target_operator[first_row].tolist()
    on_golden = rows.golden_operator[first_row].tolist()
    call_node = [
        target.place(mine) if mine >= 0 else golden.place(theirs)
        for mine, theirs in zip(on_target, on_golden)
    ]
    single = len(cell.golden.operators) == 0
    sides = [
        Side.BOTH if single or (mine >= 0 and theirs >= 0) else Side.TARGET if mine >= 0 else Side.GOLDEN
        for mine, theirs in zip(on_target, on_golden)
    ]
    return _number(nodes, np.array(call_node, np.int64), np.array(sides, np.uint8), call_of_row, category)


def _number(
    nodes: _Nodes, call_node: np.ndarray, sides: np.ndarray, call_of_row: Int32, category: UInt8
) -> Hierarchy:
    """Renumber *nodes* depth first and roll rows up."""
    total = len(nodes.parent)
    parent = np.array(nodes.parent, np.int64)
    # children in order of the first call below them, which is the order of creation but for modules that
    # were named as a parent before their own call: a stable sort by first call keeps execution order.
    first_call = np.full(total + 1, len(call_node), np.int64)
    np.minimum.at(first_call, call_node, np.arange(len(call_node)))
    for node in range(total - 1, -1, -1):
        first_call[parent[node]] = min(first_call[parent[node]], first_call[node])
    order = np.lexsort((first_call[:-1], parent))
    start = np.searchsorted(parent[order], np.arange(-1, total + 1)).astype(np.int64)
    old_of_new, end = _depth_first(order, start, total)
    new_of_old = np.full(total + 1, ABSENT, np.int32)
    new_of_old[old_of_new] = np.arange(total, dtype=np.int32)
    new_parent = new_of_old[parent[old_of_new]]

    by_parent = np.argsort(new_parent, kind="stable").astype(np.int32)
    new_start = np.searchsorted(new_parent[by_parent], np.arange(-1, total + 1)).astype(np.int32)
    place = np.empty(total, np.int32)
    place[by_parent] = np.arange(total) - new_start[new_parent[by_parent] + 1]

    node_of_call = new_of_old[call_node]
    node_of_row = node_of_call[call_of_row]
    kinds = len(Category)
    own = np.bincount(node_of_row.astype(np.int64) * kinds + category, minlength=total * kinds)
    sums = np.zeros((total + 1, kinds), np.int64)
    np.cumsum(own.reshape(total, kinds), axis=0, out=sums[1:])
    ends = np.array(end, np.int64)
    counts = (sums[ends] - sums[np.arange(total)]).astype(np.int32)
    worst = (kinds - 1 - np.argmax(counts[:, ::-1] > 0, axis=1)).astype(np.uint8)

    seen = np.zeros((total + 1, 3), np.int64)
    np.cumsum(
        np.bincount(node_of_call.astype(np.int64) * 3 + sides, minlength=total * 3).reshape(total, 3),
        axis=0,
        out=seen[1:],
    )
    by_side = seen[ends] - seen[np.arange(total)]
    side = np.where(
        by_side[:, Side.BOTH] + (by_side[:, Side.TARGET] > 0) * (by_side[:, Side.GOLDEN] > 0) > 0,
        Side.BOTH,
        np.where(by_side[:, Side.TARGET] > 0, Side.TARGET, Side.GOLDEN),
    ).astype(np.uint8)
    return Hierarchy(
        labels=[nodes.labels[old] for old in old_of_new.tolist()],
        names=[nodes.names[old] for old in old_of_new.tolist()],
        parent=new_parent,
        end=ends.astype(np.int32),
        children=by_parent,
        start=new_start,
        place=place,
        category=worst,
        counts=counts,
        side=side,
        node_of_row=node_of_row.astype(np.int32),
        worst_row=_worst_rows(node_of_row, category, worst, ends),
    )


def _depth_first(order: np.ndarray, start: np.ndarray, total: int) -> tuple[np.ndarray, list[int]]:
    """Return old numbers in depth-first order, and for each new number the end of its subtree."""
    children, bounds = order.tolist(), start.tolist()
    visited: list[int] = []
    end = [0] * total
    stack = [(old, False) for old in reversed(children[bounds[0] : bounds[1]])]
    open_nodes: list[int] = []
    while stack:
        old, leaving = stack.pop()
        if leaving:
            end[open_nodes.pop()] = len(visited)
            continue
        open_nodes.append(len(visited))
        visited.append(old)
        stack.append((old, True))
        stack.extend((child, False) for child in reversed(children[bounds[old + 1] : bounds[old + 2]]))
    return np.array(visited, np.int64), end


def _worst_rows(node_of_row: Int32, category: UInt8, worst: UInt8, ends: np.ndarray) -> Int32:
    """Return the first row, in execution order, of the worst category below each node."""
    found = np.full(len(worst), ABSENT, np.int32)
    for kind in Category:
        rows = np.flatnonzero(category == kind)
        nodes = np.flatnonzero(worst == kind)
        if not len(rows) or not len(nodes):
            continue
        first = np.full(len(worst), len(category), np.int64)
        np.minimum.at(first, node_of_row[rows], rows)
        # minimum over n .. end[n] for all n: one pass from the back over each node's parent is not needed,
        # reduceat over interleaved bounds gives it at once
        padded = np.append(first, len(category))
        bounds = np.column_stack([nodes, ends[nodes]]).ravel()
        found[nodes] = np.minimum.reduceat(padded, bounds)[::2]
    return found
