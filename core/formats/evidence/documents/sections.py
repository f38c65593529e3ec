"""TOML and ini as trees; their parsers tell no lines, so that these are looked up in the text."""

from __future__ import annotations

import configparser
import re
import tomllib

from core.formats.evidence.documents.nodes import DEEPEST, Leaf, Node, Row, Table, node_of
from core.formats.evidence.documents.scalars import yaml_scalar
from core.formats.evidence.unreadable import Unreadable

_SECTION = re.compile(r"\s*\[{1,2}\s*(?P<name>[^\[\]]{1,200}?)\s*\]{1,2}\s*(?:[#;].*)?", re.S)
_KEY = re.compile(r"\s*(?P<name>\"[^\"]{1,200}\"|'[^']{1,200}'|[\w.\- ]{1,200}?)\s*[=:]", re.A)
_DEEP = re.compile(rf"(?<![\w\-\"'])(?:[\w\-\"']++[ \t]*+\.[ \t]*+){{{DEEPEST}}}")
"""A dotted key: each part is a section, and the parser takes memory by the square of their number."""
_WHERE = re.compile(r"line +(\d+)")


def parse_toml(text: str) -> Table:
    """Return what TOML says.

    Raises
    ------
    Unreadable
        If it is no TOML, or nested too deeply.
    """
    if found := _DEEP.search(text):
        raise Unreadable("settings_deep", line=text.count("\n", 0, found.start()) + 1)
    try:
        table = node_of(tomllib.loads(text))
    except RecursionError:
        raise Unreadable("settings_deep", line=0) from None
    except ValueError as error:
        raise Unreadable("settings_broken", form="TOML", line=_line_in(error), reason=str(error)) from None
    assert isinstance(table, Table)
    _find_lines(table, text)
    return table


def parse_ini(text: str) -> Table:
    """Return what an ini file says; values are understood as in yaml.

    Raises
    ------
    Unreadable
        If it is no ini file.
    """
    parser = configparser.RawConfigParser(strict=False, inline_comment_prefixes=("#", ";"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as error:
        reason = " ".join(str(error).split())
        raise Unreadable("settings_broken", form="INI", line=_line_in(error), reason=reason) from None
    table = Table()
    for section in parser.sections():
        below = Table()
        for name, value in parser.items(section):
            below.put(name, Leaf(yaml_scalar(value) if value is not None else True))
        table.put(section, below)
    _find_lines(table, text)
    return table


def _line_in(error: Exception) -> int:
    found = _WHERE.search(str(error))
    return int(found[1]) if found else 0


def _find_lines(table: Table, text: str) -> None:
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 10_000:
            continue
        if found := _SECTION.fullmatch(line):
            section = _parts(found["name"])
        elif found := _KEY.match(line):
            _put_line(table, (*section, *_parts(found["name"])), number)


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in name.split("."))


def _put_line(table: Table, path: tuple[str, ...], line: int) -> None:
    node: Node | None = table
    for part in path[:-1]:
        node = node.members.get(part) if isinstance(node, Table) else None
        if isinstance(node, Row):
            node = node.items[-1] if node.items else None
    if isinstance(node, Table) and path[-1] in node.members:
        node.lines[path[-1]] = line
