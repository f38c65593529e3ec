"""Dictionaries that are printed over several lines, as JSON or as Python writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.formats.evidence.documents.dialects import dialect_of, holds_settings
from core.formats.evidence.documents.json_lines import parse_json
from core.formats.evidence.documents.nodes import Table, flat
from core.formats.evidence.printed.values import printed_node
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Dialect, Value

_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'")
_MOST_BRACES = 8000
"""Lines that a printed dictionary may have."""


class Braces:
    """A dictionary that goes over several lines."""

    def __init__(self, number: int, dialect: Dialect | None, name: str = "") -> None:
        self.number, self.dialect, self.name = number, dialect, name
        self.lines: list[str] = []
        self.depth = 0

    def take(self, line: str) -> bool:
        """Add *line*; return whether the dictionary goes on."""
        self.lines.append(line)
        bare = _QUOTED.sub("", line)
        self.depth += bare.count("{") - bare.count("}")
        return self.depth > 0 and len(self.lines) < _MOST_BRACES


def members_of(braces: Braces) -> Iterator[tuple[int, str, Value, Dialect]]:
    """Yield line, name, value and dialect of what *braces* holds, nothing if these are no settings."""
    text = "\n".join(braces.lines)
    try:
        node = parse_json(text)
    except Unreadable:
        node = printed_node(text)
    if not isinstance(node, Table) or not holds_settings(node):
        return
    dialect = braces.dialect
    if dialect is None:
        names = [
            *node.members,
            *(name for item in node.members.values() if isinstance(item, Table) for name in item.members),
        ]
        dialect = dialect_of(node.members)
        sections = sum(isinstance(item, Table) for item in node.members.values())
        if dialect is Dialect.PLAIN and not (sections > 1 and len(names) > 20):
            return
    try:
        for item in flat(node):
            name = f"{braces.name}.{item.name}" if braces.name else item.name
            yield braces.number + max(item.line - 1, 0), name, item.value, dialect
    except Unreadable:
        return
