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
    lines = _Lines(layout or file.skip_space())
    ending.position = file.position
    while True:
        cut, closed = _next_cut(file, lines)
        batch, inner = _read_batch(file.text[:cut], lines)
        if batch is None:
            lines.separator = b""  # nested lines look the same: only scanning tells
            continue
        if inner >= 0:  # the quick cut went past the end of the object
            cut, closed = inner, True
        at_end = file.ended and not closed and cut == len(file.text)
        if at_end and batch.broken:
            cut, batch = 0, Batch([], b"")  # a name without its value is cut off, not broken
        stuck = file.ended and cut == 0 and not file.text.startswith(b",")
        file.advance(cut)
        ending.position = file.position
        yield batch
        if closed or at_end or stuck:
            ending.closed = closed
            file.advance(int(closed))
            return
        file.advance(1)


class _Lines:
    """The lines on which members begin: ``separator`` is what ends one member and begins the next, empty
    if the layout has no lines of its own for members.
    """

    def __init__(self, layout: bytes) -> None:
        indentation = layout.rpartition(b"\n")[2]
        self.separator = b"," + layout + b'"' if b"\n" in layout and indentation else b""
        self._closing = re.compile(rb"\n[ \t]{0,%d}\}" % max(len(indentation) - 1, 0))

    def end(self, text: bytes, found: int) -> int:
        """Return where the object ends in *text*, given where counting brackets *found* an end.

        A brace as far in as the members closes one of them; that it seems to close the object is damage.
        """
        if not self.separator or found < 0:
            return found
        start = max(found - len(self.separator), 0)
        line = text.rfind(b"\n", start, found)
        alone = line >= 0 and not text[line:found].strip()
        if not alone or self._closing.match(text, line):
            return found
        later = self._closing.search(text, found)
        return later.end() - 1 if later is not None else -1


def _next_cut(file: JsonFile, lines: _Lines) -> tuple[int, bool]:
    """Return up to where the window holds whole members, and whether the object is closed there."""
    if len(file.text) < file.block:
        file.fill()
    while True:
        if lines.separator and (cut := file.text.rfind(lines.separator)) >= 0:
            return cut, False
        found = scan(file.text)
        end = lines.end(file.text, found.end)
        if end >= 0:
            return end, True
        if len(found.commas) and (not lines.separator or file.ended):
            return int(found.commas[-1]), False
        if not file.fill():
            if len(found.commas):
                continue
            return (len(file.text) if _is_whole(file.text, found) else 0), False


def _is_whole(text: bytes, found: Scan) -> bool:
    """Tell whether *text*, the last bytes of a file, ends with a value that cannot have been longer."""
    closed = text.rstrip().endswith((b"}", b"]", b'"', b"null"))
    return closed and not found.in_string and found.depth == 0 and found.end < 0


def _read_batch(text: bytes, lines: _Lines) -> tuple[Batch | None, int]:
    """Split *text* into members; also return where the object ended inside of it, or -1.

    There is no batch if *text* was cut in the wrong place.
    """
    separator = lines.separator
    marked = text
    if json_text.has_bare_tokens(text):
        marked = json_text.mark_line_tokens(text) if separator else json_text.mark_all_tokens(text)
    members = _try_split(marked)
    if members is None:
        return _take_apart(text, lines)
    expected = text.count(separator) + 1 if separator else len(scan(text).commas) + 1
    if members and expected != len(members):
        return _take_apart(text, lines)  # a dict holds a repeated name once
    return Batch(list(members.items()), marked), -1


def _try_split(text: bytes) -> dict[str, msgspec.Raw] | None:
    try:
        return _split.decode(b"{" + text + b"}")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _take_apart(text: bytes, lines: _Lines) -> tuple[Batch | None, int]:
    found = scan(text)
    end = lines.end(text, found.end)
    if lines.separator and (end != found.end or found.in_string or (end < 0 and found.depth)):
        # Brackets or quotes do not pair up: the text is damaged, or lines are not what they seem.
        pieces = text.split(lines.separator)
        pieces[1:] = [b'"' + piece for piece in pieces[1:]]
        good = sum(_try_split(json_text.mark_line_tokens(piece)) is not None for piece in pieces)
        if good < len(pieces) // 2:
            return None, -1
        end = -1
    else:
        bounds = [-1, *found.commas.tolist(), len(text) if end < 0 else end]
        pieces = [text[start + 1 : stop] for start, stop in pairwise(bounds)]
    members: list[tuple[str, Value]] = []
    broken = 0
    for piece in pieces:
        found_name = _NAME.match(piece)
        name = json_text.string(found_name[1]) if found_name is not None else None
        if found_name is not None and name is not None:
            members.append((name, piece[found_name.end() :]))
        elif piece.strip():
            broken += 1
    return Batch(members, text, broken), end
