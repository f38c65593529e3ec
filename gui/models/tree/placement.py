"""Which node of the tree each call belongs to: modules one by one, API calls all at once.

A run has a few modules a layer and many calls a module. Modules are found by walking up from the
parents that the dump names; what is left of a call, its module and its name, is an integer key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.records.columns import ABSENT, Int32, Int64
from core.records.dump import Dump
from core.records.names import Direction, OperatorKind, parse_operator_name, without_namespace

_PREFIXES = ("Module.", "Cell.")
_GRADIENTS = ".parameters_grad"


@dataclass(frozen=True)
class Placement:
    """Nodes in order of creation: first the modules, parents before children, then the API calls."""

    parent: Int64
    names: list[str]
    labels: list[str]
    modules: int
    """How many of the nodes are modules; no other node has any below it."""
    call_node: Int64


def place_calls(target: Dump, golden: Dump, on_target: Int32, on_golden: Int32) -> Placement:
    """Return the nodes of the calls that are pairs of *on_target* and *on_golden* (-1: on one side only)."""
    modules = _Modules()
    calls = _Calls(len(on_target))
    mine, theirs = np.flatnonzero(on_target >= 0), np.flatnonzero(on_target < 0)
    sides = [(_Scopes(target, modules), mine, on_target), (_Scopes(golden, modules), theirs, on_golden)]
    for scopes, at, operators in sides:
        calls.read(scopes, at, operators[at])
    calls.resolve([scopes for scopes, _, _ in sides], modules)
    return calls.placed(modules)


class _Modules:
    """Creates the nodes of modules, parents before children."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.names: list[str] = []
        self.labels: list[str] = []
        self._paths: list[str] = []
        self._ids: dict[tuple[int, str], int] = {}
        self._by_stem: dict[str, int] = {}
        self._by_path: dict[str, int] = {}

    def _node(self, parent: int, name: str, path: str, label: str) -> int:
        found = self._ids.get((parent, name))
        if found is None:
            found = self._ids[parent, name] = len(self.parent)
            self.parent.append(parent)
            self.names.append(name)
            self._paths.append(path)
            self.labels.append(label)
        return found

    def find(self, stem: str) -> int:
        """Return the node of module *stem*, -1 where there is none."""
        return self._by_stem.get(stem, ABSENT)

    def module(self, stem: str, parent: int) -> int:
        """Return the node of module *stem*, made under *parent* the first time it is seen."""
        found = self._by_stem.get(stem)
        if found is None:
            path, _, class_name = _bare(stem).rpartition(".")
            if parent == ABSENT:
                parent = self._around(path)
            parent = self._list_node(path, parent)
            below = self._below(path, parent)
            label = f"{below} {class_name}" if below else class_name
            found = self._by_stem[stem] = self._node(parent, stem, path, label)
            self._by_path.setdefault(path, found)
        return found

    def _below(self, path: str, parent: int) -> str:
        """Return what *path* adds to that of its parent: ``h.0`` for ``model.h.0`` in ``model``."""
        above = self._paths[parent] if parent >= 0 else ""
        return path[len(above) + 1 :] if above and path.startswith(above + ".") else path

    def _list_node(self, path: str, parent: int) -> int:
        """Return the node for the list that the module at *path* is an item of (``h``), else *parent*."""
        list_path, _, number = path.rpartition(".")
        if not number.isdigit() or not list_path or (parent >= 0 and list_path == self._paths[parent]):
            return parent
        return self._node(parent, f"{list_path}.", list_path, self._below(list_path, parent))

    def _around(self, path: str) -> int:
        """Return the known module that *path* lies in: for dumps that name no parents."""
        path = path.rpartition(".")[0]
        while path:
            if path in self._by_path:
                return self._by_path[path]
            path = path.rpartition(".")[0]
        return ABSENT


def _bare(stem: str) -> str:
    for prefix in _PREFIXES:
        stem = stem.removeprefix(prefix)
    return stem


def _call_label(name: str) -> str:
    if name.endswith(_GRADIENTS):
        return _GRADIENTS[1:]
    stem, dot, count = name.rpartition(".")
    return f"{without_namespace(stem)}.{count}" if dot and count.isdecimal() else without_namespace(name)


class _Scopes:
    """The modules of one dump."""

    def __init__(self, dump: Dump, modules: _Modules) -> None:
        self.operators = dump.operators
        self.texts: Sequence[str] = list(dump.strings)
        names = dump.operators.name.tolist()
        self._above: dict[int, int] = dict(zip(names, dump.operators.parent.tolist()))
        self._above.update(zip(dump.scopes.name.tolist(), dump.scopes.parent.tolist()))
        self._nodes: dict[int, int] = {}
        self._modules = modules

    def node(self, name: int) -> int:
        """Return the node of the scope whose name has id *name*, making those above it first."""
        chain: dict[int, None] = {}
        while name != ABSENT and name not in self._nodes and name not in chain:
            chain[name] = None
            name = self._above.get(name, ABSENT)
        node = self._nodes.get(name, ABSENT)
        for item in reversed(chain):
            node = self._nodes[item] = self._modules.module(_stem(self.texts[item]), node)
        return node


def _stem(name: str) -> str:
    """Return the stem of the module call *name*: nearly all read the same, and parsing costs more."""
    head, _, count = name.rpartition(".")
    if count.isdecimal() and head.endswith(".forward"):
        return head[:-8]
    return parse_operator_name(name).stem


class _Calls:
    """What is known of each call before its node is."""

    def __init__(self, count: int) -> None:
        self._stems: list[str] = [""] * count
        self._side = np.zeros(count, np.int64)
        self._scope = np.full(count, ABSENT, np.int64)
        """Name of the module that it is, or lies in, as its side's dump numbers it."""
        self._is_module = np.zeros(count, bool)
        self._backward = np.zeros(count, bool)
        self._gradients: dict[int, str] = {}
        self._sides = 0
        self._above = np.empty(0, np.int64)

    def read(self, scopes: _Scopes, at: Int64, operators: Int32) -> None:
        """Take the calls *at* these places, which are *operators* of the next dump."""
        table = scopes.operators
        names = table.name[operators]
        self._side[at] = self._sides
        self._sides += 1
        self._scope[at] = table.parent[operators]
        self._backward[at] = table.direction[operators] == Direction.BACKWARD
        parents = np.zeros(len(scopes.texts) + 1, bool)
        parents[table.parent] = True
        parents[-1] = False
        plain = (table.kind[operators] == OperatorKind.API) & ~parents[names]
        texts = list(map(scopes.texts.__getitem__, names.tolist()))
        for place, text, simple, name in zip(at.tolist(), texts, plain.tolist(), names.tolist()):
            if simple:
                if text.endswith(".forward"):
                    self._stems[place] = text[:-8]
                    continue
                if text.endswith(".backward"):
                    self._stems[place] = text[:-9]
                    continue
            self._read_odd(place, text, name, bool(parents[name]))

    def _read_odd(self, place: int, text: str, name: int, is_parent: bool) -> None:
        parsed = parse_operator_name(text)
        if parsed.kind is OperatorKind.MODULE or is_parent:
            self._is_module[place] = True
            self._scope[place] = name
        elif parsed.kind is OperatorKind.PARAMETERS_GRAD:
            self._stems[place] = parsed.stem + _GRADIENTS
            self._gradients[place] = parsed.stem
            self._backward[place] = False
        else:
            self._stems[place] = (
                parsed.stem if parsed.occurrence < 0 else f"{parsed.stem}.{parsed.occurrence}"
            )
            self._backward[place] = parsed.direction is Direction.BACKWARD

    def resolve(self, sides: list[_Scopes], modules: _Modules) -> None:
        """Find the module of each call, in the order in which the calls name them."""
        wanted = self._scope * len(sides) + self._side
        wanted[self._scope == ABSENT] = ABSENT
        distinct, first, inverse = np.unique(wanted, return_index=True, return_inverse=True)
        nodes = np.full(len(distinct), ABSENT, np.int64)
        for number in np.argsort(first).tolist():
            scope, side = divmod(int(distinct[number]), len(sides))
            if distinct[number] != ABSENT:
                nodes[number] = sides[side].node(scope)
        self._above = nodes[inverse]
        # gradients belong to their module, whatever parent they name
        for place, stem in self._gradients.items():
            known = modules.find(stem)
            self._above[place] = known if known >= 0 else self._above[place]

    def placed(self, modules: _Modules) -> Placement:
        """Return all nodes, those of the API calls behind the *modules*."""
        count = len(modules.parent)
        call_node = self._above.copy()
        at = np.flatnonzero(~self._is_module)
        stems = list(map(self._stems.__getitem__, at.tolist()))
        distinct = list(dict.fromkeys(stems))
        number = dict(zip(distinct, range(len(distinct))))
        stem = np.fromiter(map(number.__getitem__, stems), np.int64, len(stems))
        above = self._above[at]
        # dumps often name no parent for a backward call: it belongs to its forward call
        _, first = np.unique(stem, return_index=True)
        follows = (above == ABSENT) | self._backward[at]
        above = np.where(follows, above[first[stem]], above)
        key = (above + 1) * max(len(distinct), 1) + stem
        _, made, inverse = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(made)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        call_node[at] = count + rank[inverse]
        new = made[order]
        names = list(map(distinct.__getitem__, stem[new].tolist()))
        parent = np.append(np.array(modules.parent, np.int64), above[new])
        labels = modules.labels + [_call_label(name) for name in names]
        return Placement(parent, modules.names + names, labels, count, call_node)
