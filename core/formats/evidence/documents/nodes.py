"""A document as a tree that remembers its lines, whatever it is written in; and as flat settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Scalar, Value

DEEPEST = 60
"""Levels of sections inside sections; configurations have some five."""
_MOST_NODES = 100_000
"""Values that a document may unfold to."""
_LONGEST_LIST = 1000
"""Entries of a list that are kept: longer ones are data, not settings."""


@dataclass(slots=True)
class Leaf:
    """One value."""

    value: Scalar
    line: int = 0


@dataclass(slots=True)
class Row:
    """A list."""

    items: list[Node] = field(default_factory=list)
    line: int = 0


@dataclass(slots=True)
class Table:
    """A section: names in their order; of a name said twice the last one holds."""

    members: dict[str, Node] = field(default_factory=dict)
    line: int = 0
    lines: dict[str, int] = field(default_factory=dict)
    """Of each name, where its line is told apart from its value's."""
    twice: list[tuple[str, int]] = field(default_factory=list)
    """Names that were said again, and in which line."""

    def put(self, name: str, node: Node, line: int = 0) -> None:
        """Add a member; one of the same name is replaced, and noted."""
        if name in self.members:
            self.twice.append((name, line))
            del self.members[name]
        self.members[name] = node
        self.lines[name] = line


Node: TypeAlias = Leaf | Row | Table


class Flat(NamedTuple):
    """One value with the path to it."""

    name: str
    value: Value
    line: int
    whole: bool = True
    """False: the list was too long, and is cut."""


def node_of(value: object, line: int = 0, depth: int = 0) -> Node:
    """Return plain Python data as a tree whose lines are all *line*.

    Raises
    ------
    Unreadable
        If it is nested too deeply.
    """
    if depth > DEEPEST:
        raise Unreadable("settings_deep", line=line)
    if isinstance(value, dict):
        table = Table(line=line)
        for key, item in value.items():
            table.put(str(key), node_of(item, line, depth + 1), line)
        return table
    if isinstance(value, list | tuple | set | frozenset):
        return Row([node_of(item, line, depth + 1) for item in value], line)
    if value is None or isinstance(value, bool | int | float | str):
        return Leaf(value, line)
    return Leaf(str(value), line)


def flat(root: Table) -> Iterator[Flat]:
    """Yield every value of *root*; lists of plain values are one value, others go by their numbers.

    Raises
    ------
    Unreadable
        If it unfolds to more than any configuration: aliases that stand for aliases, or that hold themselves.
    """
    seen = 0
    waiting: list[tuple[str, Node, int, int]] = [("", root, root.line, 0)]
    while waiting:
        name, node, line, depth = waiting.pop()
        if depth > DEEPEST:
            raise Unreadable("settings_deep", line=line)
        seen += 1 + (len(node.items) if isinstance(node, Row) else 0)
        if seen > _MOST_NODES:
            raise Unreadable("evidence_bomb", limit=_MOST_NODES)
        if isinstance(node, Leaf):
            yield Flat(name, node.value, line or node.line)
        elif isinstance(node, Row) and all(isinstance(item, Leaf) for item in node.items):
            values = [item.value for item in node.items[:_LONGEST_LIST] if isinstance(item, Leaf)]
            yield Flat(name, tuple(values), line or node.line, len(values) == len(node.items))
        else:
            if isinstance(node, Row):
                members = [(str(number), item, item.line) for number, item in enumerate(node.items)]
            else:
                members = [
                    (key, item, node.lines.get(key) or item.line) for key, item in node.members.items()
                ]
            below = f"{name}." if name else ""
            waiting += [(below + key, item, at, depth + 1) for key, item, at in reversed(members)]


def said_twice(root: Table) -> Iterator[tuple[str, int]]:
    """Yield name and line of what is said again in one section; each section is looked at once."""
    waiting: list[Node] = [root]
    looked: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in looked or isinstance(node, Leaf):
            continue
        looked.add(id(node))
        if isinstance(node, Table):
            yield from node.twice
        waiting += node.items if isinstance(node, Row) else node.members.values()
