"""Lines of a log file as clean text, streaming: any encoding, colours, carriage returns."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from core.formats.logs.packed import open_log

_BLOCK = 1 << 20
"""Bytes read at a time; a longer line is cut there."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_BREAKS = re.compile(rb"[\r\n]+")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_LOOKED_AT = 4096
"""Bytes at the beginning that tell UTF-16 without a mark."""
_RANK = re.compile(
    r"\[(?:default|rank)\s*+(\d{1,6})\]|^\s*+(\d{1,6}):\s|"
    r"(?<![\w.\-/])(?<!lora )rank\s*+[=:]?\s*+(\d{1,6})(?![\w.])",
    re.I,
)


def lines_of(blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines that *blocks*, pieces of a file in order, make up; empty ones are left out.

    A carriage return ends a line as a line feed does: progress bars redraw themselves with it. UTF-8 and
    UTF-16 with or without a mark are read; a line that is no UTF-8 is taken for GB 18030. NUL bytes, which a
    crash or a copy leaves, are skipped.
    """
    for number, raw in enumerate(_pieces(blocks)):
        text = decoded(raw[3:] if not number and raw[:3] == codecs.BOM_UTF8 else raw)
        clean = _ESCAPES.sub("", text).strip()
        if clean:
            yield clean


def wide_of(head: bytes) -> str | None:
    """Return which UTF-16 a file is in that begins with *head*; ``None``: it is of single bytes.

    Without a mark it is told by the NULs that every other byte of Latin text is.
    """
    if head[:2] in _MARKS:
        return _MARKS[head[:2]]
    head = head[: min(len(head) // 2 * 2, _LOOKED_AT)]
    if b"\0" not in head:
        return None
    first, second = head[::2].count(0), head[1::2].count(0)
    if second * 4 > len(head) // 2 and first * 50 < second:
        return "utf-16-le"
    return "utf-16-be" if first * 4 > len(head) // 2 and second * 50 < first else None


def blocks_of(path: str, limit: int | None = None) -> Iterator[bytes]:
    """Yield the file at *path*, unpacked if it is of gzip, in blocks, at most *limit* bytes of it."""
    left = limit
    with open_log(path) as stream:
        while block := stream.read(_BLOCK if left is None else min(_BLOCK, left)):
            yield block
            if left is not None:
                left -= len(block)


class TextBlock(NamedTuple):
    """Some lines of a file, clean but for blanks at their ends."""

    lines: list[str]
    numbers: Sequence[int]
    """Of each line, from 1; pieces between carriage returns have the number of their line."""
    end: int
    """Where in the file it ends."""
    ended: bool
    """Its last line has a line feed; False: the file ends, and may still grow."""
    last: int
    """Line feeds up to there."""


def text_blocks(stream: BinaryIO, start: int = 0, first_number: int = 1) -> Iterator[TextBlock]:
    """Yield the lines of *stream* from byte *start* on, the beginning of a line, with their numbers.

    Encodings, colours and carriage returns are understood as in :func:`lines_of`.
    """
    stream.seek(0)
    head = stream.read(_LOOKED_AT)
    wide = wide_of(head)
    mark = 2 if head[:2] in _MARKS else 3 if head[:3] == codecs.BOM_UTF8 else 0
    at, number, rest = max(start, mark), first_number, b""
    stream.seek(at)
    read = at
    while block := stream.read(_BLOCK):
        read += len(block)
        feed = read - len(block) + block.rfind(b"\n") + 1
        if wide is None and b"\0" in block:
            block = block.replace(b"\0", b"")
            if not block and not rest:
                at = read
                yield TextBlock([], (), at, True, number - 1)
        rest += block
        cut = _last_feed(rest, wide)
        if not cut and len(rest) <= _BLOCK:
            continue
        at = feed if cut and wide is None else at + cut
        if not cut:
            cut = (0 if wide else rest.rfind(b"\r") + 1) or len(rest) // 2 * 2
            at = read - len(rest) + cut
        lines = _text(rest[:cut], wide).split("\n")
        if not lines[-1]:
            lines.pop()
        feeds = len(lines) if _last_feed(rest[:cut], wide) == cut else len(lines) - 1
        yield TextBlock(*_clean(lines, number), at, True, number - 1 + feeds)
        number += feeds
        rest = rest[cut:]
    if rest:
        yield TextBlock(*_clean([_text(rest, wide)], number), read, False, number - 1)


def _last_feed(raw: bytes, wide: str | None) -> int:
    """Return where the last whole line of *raw* ends, 0 where none does."""
    if wide is None:
        return raw.rfind(b"\n") + 1
    feed, at = "\n".encode(wide), len(raw)
    while (at := raw.rfind(feed, 0, at)) >= 0:
        if at % 2 == 0:
            return at + 2
        at += 1
    return 0


def _text(raw: bytes, wide: str | None) -> str:
    if wide:
        return raw.decode(wide, "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "\n".join(map(decoded, raw.split(b"\n")))


def _clean(lines: list[str], first: int) -> tuple[list[str], Sequence[int]]:
    """Return *lines* without colours, split at carriage returns, with their numbers."""
    numbers: Sequence[int] = range(first, first + len(lines))
    if any("\r" in line for line in lines):
        pieces = [
            (number, piece) for number, line in zip(numbers, lines) for piece in line.split("\r") if piece
        ]
        lines, numbers = [piece for _, piece in pieces], [number for number, _ in pieces]
    if any("\x1b" in line for line in lines):
        lines = [_ESCAPES.sub("", line) if "\x1b" in line else line for line in lines]
    return lines, numbers


def rank_of(line: str) -> int:
    """Return the rank that *line* names (``[default3]:``, ``[rank3]:``, ``3: ``, ``rank=3``), else -1."""
    found = _RANK.search(line)
    return int(found[1] or found[2] or found[3]) if found else -1


def _pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield bytes between line breaks."""
    rest = b""
    decoder: codecs.IncrementalDecoder | None = None
    for number, block in enumerate(blocks):
        if not number and (wide := wide_of(block)) is not None:
            decoder = codecs.getincrementaldecoder(wide)("replace")
            block = block[2:] if block[:2] in _MARKS else block
        if decoder is not None:
            block = decoder.decode(block).encode("utf-8", "surrogatepass")
        elif b"\0" in block:
            block = block.replace(b"\0", b"")
        *whole, rest = _BREAKS.split(rest + block)
        yield from whole
        if len(rest) > _BLOCK:
            yield rest
            rest = b""
    yield rest


def decoded(raw: bytes) -> str:
    """Return *raw* as text; what is no UTF-8 is taken for GB 18030."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", "replace")
