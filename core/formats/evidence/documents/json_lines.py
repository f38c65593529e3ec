"""JSON as people write it: with comments, trailing commas and bare words; every name with its line."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.formats.evidence.documents.nodes import DEEPEST, Leaf, Node, Row, Table
from core.formats.evidence.documents.scalars import number_of
from core.formats.evidence.unreadable import Unreadable
from core.formats.json_text import loads
from core.records.evidence import Scalar

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\f\v\ufeff]++|//[^\n]*+|\#[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)|(?P<feed>\n)
    |(?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|(?P<mark>[{}\[\],:])
    |(?P<word>[^\s"'{}\[\],:\#/]++(?:/(?!/)[^\s"'{}\[\],:\#/]*+)*+|.)""",
    re.X | re.S,
)
_WORDS: dict[str, Scalar] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def parse_json(text: str) -> Node:
    """Return the value that *text* holds; what comes after it is left.

    Raises
    ------
    Unreadable
        If it is no JSON, or nested too deeply.
    """
    return _Parser(text).value()


class _Parser:
    """A stack of what is open; no recursion, whatever the nesting."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1

    def _next(self) -> _Token:
        while found := _TOKEN.match(self._text, self._at):
            self._at, line = found.end(), self._line
            kind, piece = found.lastgroup or "", found[0]
            self._line += piece.count("\n")
            if kind not in ("blank", "feed"):
                return _Token(kind, piece, line)
        return _Token("end", "", self._line)

    def value(self) -> Node:
        opened: list[tuple[Row | Table, str, int]] = []
        """What is open, with the name that it has in what is around it."""
        name, name_line = "", 0
        while True:
            above = opened[-1][0] if opened else None
            token = self._next()
            if token.text == "," and above is not None and _filled(above):
                continue
            closing = "}" if isinstance(above, Table) else "]"
            if above is not None and token.text == closing and token.kind == "mark":
                node: Node = above
                _, name, name_line = opened.pop()
            else:
                if isinstance(above, Table):
                    name, name_line, token = self._named(token)
                if token.kind == "mark" and token.text in "{[":
                    if len(opened) >= DEEPEST:
                        raise Unreadable("settings_deep", line=token.line)
                    below = Table(line=token.line) if token.text == "{" else Row(line=token.line)
                    opened.append((below, name, name_line))
                    continue
                node = Leaf(_scalar(token), token.line)
            if not opened:
                return node
            above = opened[-1][0]
            if isinstance(above, Table):
                above.put(name, node, name_line)
            else:
                above.items.append(node)

    def _named(self, token: _Token) -> tuple[str, int, _Token]:
        """Return the name that *token* is, its line, and the token of its value."""
        colon = self._next()
        if token.kind not in ("text", "word") or colon.text != ":":
            wrong = token if token.kind not in ("text", "word") else colon
            raise Unreadable("settings_broken", form="JSON", line=wrong.line, reason=repr(wrong.text[:40]))
        return str(_unquoted(token.text)), token.line, self._next()


def _filled(node: Row | Table) -> bool:
    return bool(node.items if isinstance(node, Row) else node.members)


def _scalar(token: _Token) -> Scalar:
    if token.kind == "text":
        return _unquoted(token.text)
    if token.kind == "word":
        if token.text in _WORDS:
            return _WORDS[token.text]
        number = number_of(token.text)
        if number is not None:
            return number
        # A variable of the script that writes the document, or a number too long to be one.
        if token.text[0] == "$" or token.text.lstrip("+-").isdigit():
            return token.text
    raise Unreadable("settings_broken", form="JSON", line=token.line, reason=repr(token.text[:40]))


def _unquoted(text: str) -> str:
    if text[:1] == '"':
        try:
            return str(loads(text))
        except ValueError:  # an escape that JSON does not know
            return text[1:-1]
    return text[1:-1] if text[:1] == "'" else text
