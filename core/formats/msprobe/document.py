"""The outer object of a dump.json: header keys in any order around the map of operators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.formats import json_text
from core.formats.json_file import JsonFile
from core.formats.json_members import Batch, Ending, read_members
from core.formats.json_scan import scan
from core.records.names import OperatorKind, classify_name

_NAME = re.compile(rb'("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*', re.S)
_ATOM = re.compile(rb'("(?:[^"\\]|\\.)*"|[^,{}\[\]"\s]+)[ \t\r\n]*(?=[,}])', re.S)
_BODY = re.compile(
    rb'\{\s*"(?:input|output|input_args|input_kwargs|args|kwargs|grad_input|grad_output)"|\[\s*\{\s*"type"'
)


@dataclass
class Document:
    """What a walk over the file found; complete only afterwards.

    ``complete`` says whether the outer object was closed; ``position`` is up to where the file could
    be used; ``trailing`` whether something stands behind the end.
    """

    header: dict[str, Any] = field(default_factory=dict)
    has_operators: bool = False
    complete: bool = False
    position: int = 0
    trailing: bool = False


class NotAnObject(Exception):
    """The file does not begin with a brace."""


def read_document(file: JsonFile, document: Document) -> Iterator[Batch]:
    """Yield the operators of a dump.json, and fill *document*.

    The map of operators is the value of ``data``; a file without that key may itself be the map.

    Raises
    ------
    NotAnObject
        At the first step, if the file is no JSON object.
    """
    file.skip_space()
    if not file.text.startswith(b"{"):
        raise NotAnObject
    file.advance(1)
    while True:
        space = file.skip_space()
        document.position = file.position
        if file.text.startswith(b","):
            file.advance(1)
            continue
        if file.text.startswith(b"}"):
            file.advance(1)
            document.complete = True
            file.skip_space()
            document.trailing = bool(file.text)
            return
        name = _match(file, _NAME)
        if name is None:
            return
        key = json_text.string(name[1])
        if key is None:  # damaged, and so of no known meaning
            key = name[1].decode(errors="replace")
        value = file.text[name.end() : name.end() + 1]
        ending = Ending()
        if value == b"{" and key == "data":
            document.has_operators = True
            file.advance(name.end() + 1)
            yield from read_members(file, ending)
        elif value in (b"{", b"[") and _is_operator(key, file.text[name.end() :]):
            document.has_operators = True
            yield from read_members(file, ending, space)
            document.complete = ending.closed
        elif _read_value(file, document, key, name.end()):
            continue
        else:
            return
        document.position = ending.position
        if not ending.closed or document.complete:
            return


def _match(file: JsonFile, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """Match *pattern* at the start of the window, reading on as long as it might fit with more."""
    while True:
        found = pattern.match(file.text)
        # A match that touches the end of the window may stop short of the value that follows.
        if (found is not None and found.end() < len(file.text)) or not file.fill():
            return found


def _is_operator(key: str, text: bytes) -> bool:
    return classify_name(key)[0] is not OperatorKind.OTHER or _BODY.match(text) is not None


def _read_value(file: JsonFile, document: Document, key: str, start: int) -> bool:
    """Put the value at *start* of the window into the header; return whether it was whole."""
    file.advance(start)
    if file.text[:1] in (b"{", b"["):
        while True:
            found = scan(file.text)
            stops = [*found.commas[:1].tolist(), *([found.end] if found.end >= 0 else [])]
            if stops or not file.fill():
                break
        end = min(stops, default=-1)
    else:
        atom = _match(file, _ATOM)
        end = atom.end() if atom is not None else -1
    if end < 0:
        return False
    try:
        document.header[key] = json_text.loads(file.text[:end])
    except ValueError:
        return False
    file.advance(end)
    return True
