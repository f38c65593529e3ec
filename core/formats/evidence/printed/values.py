"""Values as Python prints them."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from core.formats.evidence.documents.nodes import Node, Row, Table, node_of
from core.formats.evidence.documents.scalars import python_scalar
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Value

_LONGEST = 20_000
_MEMBER = re.compile(r"<\w[\w.]*: (?P<value>'[^'<>]*'|[^<>']+)>")
"""How an enumeration's member is printed: ``<IntervalStrategy.STEPS: 'steps'>``."""
_NAME = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)=")
_OPEN, _CLOSE = "([{", ")]}"


def printed_node(text: str) -> Node:
    """Return what *text* is: a number, a truth, a list, a dictionary; else itself."""
    text = text.strip()
    if found := _MEMBER.fullmatch(text[:500]):
        text = found["value"]
    if text[:1] in ("[", "(", "{") and len(text) <= _LONGEST:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return node_of(ast.literal_eval(text))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, Unreadable):
            pass
    return node_of(python_scalar(text[:_LONGEST]))


def printed_values(name: str, text: str) -> Iterator[tuple[str, Value]]:
    """Yield name and value of what is printed as *text*: several where it is a dictionary."""
    from core.formats.evidence.documents.nodes import flat

    table = Table()
    table.put(name, printed_node(text))
    node = table.members[name]
    if isinstance(node, Row) and not node.items:
        yield name, ()
        return
    try:
        for item in flat(table):
            yield item.name, item.value
    except Unreadable:
        return


def keywords(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and texts of ``a=1, b=[2, 3], c=device(type='npu')`` up to the bracket that closes it.

    One pass; quotes and brackets are respected, and a text that is cut off ends where it is cut.
    """
    at, begin, depth = 0, 0, 0
    quote = ""
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            if not depth:
                break
            depth -= 1
        elif char == "," and not depth:
            if found := _NAME.match(text, begin, at):
                yield found["name"], text[found.end() : at]
                begin = at + 1
            else:
                begin = at + 1
        at += 1
    if found := _NAME.match(text, begin, min(at, len(text))):
        yield found["name"], text[found.end() : at]
