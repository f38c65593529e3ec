r"""Read a huge JSON object member by member, in memory that does not grow with the file.

The object is cut into batches of whole members:

* ``json.dump(indent=...)`` starts each member on a line of its own with one fixed indentation, and no
  string holds a raw line end; so ``,\n  "`` is a place to cut that costs one ``rfind``.
* Any other layout is cut by :func:`core.formats.json_scan.scan`.

A batch that does not parse is taken apart, so that only broken members are lost. An object that ends early
gives all members before its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from core.formats import json_text
from core.formats.json_file import JsonFile
from core.formats.json_scan import Scan, scan

Value = msgspec.Raw | bytes
"""Bytes of a member's value, for :func:`core.formats.json_text.decode`."""

_NAME = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:', re.S)
_split = msgspec.json.Decoder(dict[str, msgspec.Raw], strict=False)


@dataclass(slots=True)
class Batch:
    """Some neighbouring members in their order, a repeated name each time.

    ``text`` is the JSON text they come from; ``broken`` counts members without a readable name.
    """

    members: list[tuple[str, Value]]
    text: bytes
    broken: int = 0


@dataclass(slots=True)
class Ending:
    """How the object ended: ``closed`` or cut off. ``position`` is where whole members end in the file."""

    closed: bool = False
    position: int = 0


def read_members(file: JsonFile, ending: Ending, layout: bytes = b"") -> Iterator[Batch]:
    """Yield the members of the object whose opening brace lies just before the window, or that begins
    with the member at the window's start and the white space *layout* before it.

    Afterwards *ending* tells how it ended; if it was closed, the window starts behind the closing brace.
    """
    layout = layout or file.skip_space()
    separator = b"," + layout + b'"' if b"\n" in layout else b""
    ending.position = file.position
    while True:
        cut, closed = _next_cut(file, separator)
        batch, inner = _read_batch(file.text[:cut], separator)
        if inner >= 0:  # the quick cut went past the end of the object
            cut, closed = inner, True
        if file.ended and not closed and cut == len(file.text) and batch.broken:
            cut, batch = 0, Batch([], b"")  # a name without its value is cut off, not broken
        done = closed or (file.ended and cut in (0, len(file.text)) and file.text[cut : cut + 1] != b",")
        file.advance(cut)
        ending.position = file.position
        yield batch
        if done:
            ending.closed = closed
            file.advance(int(closed))
            return
        file.advance(1)


def _next_cut(file: JsonFile, separator: bytes) -> tuple[int, bool]:
    """Return up to where the window holds whole members, and whether the object is closed there."""
    if len(file.text) < file.block:
        file.fill()
    while True:
        if separator and (cut := file.text.rfind(separator)) >= 0:
            return cut, False
        found = scan(file.text)
        if found.end >= 0:
            return found.end, True
        if len(found.commas):
            return int(found.commas[-1]), False
        if not file.fill():
            return (len(file.text) if _is_whole(file.text, found) else 0), False


def _is_whole(text: bytes, found: Scan) -> bool:
    """Tell whether *text*, the last bytes of a file, ends with a value that cannot have been longer."""
    return not found.in_string and found.depth == 0 and text.rstrip().endswith((b"}", b"]", b'"', b"null"))


def _read_batch(text: bytes, separator: bytes) -> tuple[Batch, int]:
    """Split *text* into members; also return where the object ended inside of it, or -1."""
    marked = text
    if json_text.has_bare_tokens(text):
        if json_text.may_collide(text):
            return _take_apart(text, separator)
        marked = json_text.mark_line_tokens(text) if separator else json_text.mark_all_tokens(text)
    try:
        members = _split.decode(b"{" + marked + b"}")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _take_apart(text, separator)
    expected = text.count(separator) + 1 if separator else len(scan(text).commas) + 1
    if members and expected != len(members):
        return _take_apart(text, separator)  # a dict holds a repeated name once
    return Batch(list(members.items()), marked), -1


def _take_apart(text: bytes, separator: bytes) -> tuple[Batch, int]:
    found = scan(text)
    if separator and (found.in_string or found.depth):  # damaged inside: only lines can be trusted
        pieces = text.split(separator)
        pieces[1:] = [b'"' + piece for piece in pieces[1:]]
    else:
        bounds = [-1, *found.commas.tolist(), len(text) if found.end < 0 else found.end]
        pieces = [text[start + 1 : stop] for start, stop in pairwise(bounds)]
    members: list[tuple[str, Value]] = []
    broken = 0
    for piece in pieces:
        name = _NAME.match(piece)
        if name is not None:
            members.append((json_text.loads(name[1]), piece[name.end() :]))
        elif piece.strip():
            broken += 1
    return Batch(members, text, broken), found.end
