"""Lines of a log file as clean text, streaming: any encoding, colours, carriage returns."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

_BLOCK = 1 << 20
"""Bytes read at a time; a longer line is cut there."""
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_BREAKS = re.compile(rb"[\r\n]+")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_RANK = re.compile(r"\[(?:default|rank)\s?(\d{1,6})\]:?|^\s*(\d{1,6}):\s", re.I)


def lines_of(blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines that *blocks*, pieces of a file in order, make up; empty ones are left out.

    A carriage return ends a line as a line feed does: progress bars redraw themselves with it. UTF-8 with or
    without a mark and UTF-16 with one are read; a line that is no UTF-8 is taken for GB 18030.
    """
    for number, raw in enumerate(_pieces(blocks)):
        text = _decoded(raw[3:] if not number and raw[:3] == codecs.BOM_UTF8 else raw)
        clean = _ESCAPES.sub("", text).strip()
        if clean:
            yield clean


def blocks_of(path: str, limit: int | None = None) -> Iterator[bytes]:
    """Yield the file at *path* in blocks, at most *limit* bytes of it."""
    left = limit
    with open(path, "rb") as stream:  # noqa: PTH123 - a path as the user gave it
        while block := stream.read(_BLOCK if left is None else min(_BLOCK, left)):
            yield block
            if left is not None:
                left -= len(block)


def rank_of(line: str) -> int:
    """Return the rank that a launcher put before *line* (``[default3]:``, ``[rank3]:``, ``3: ``), else -1."""
    found = _RANK.search(line[:200])
    return int(found[1] or found[2]) if found else -1


def _pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield bytes between line breaks."""
    rest = b""
    decoder: codecs.IncrementalDecoder | None = None
    for number, block in enumerate(blocks):
        if not number and block[:2] in _WIDE:
            decoder = codecs.getincrementaldecoder("utf-16")("replace")
        if decoder is not None:
            block = decoder.decode(block).encode("utf-8", "surrogatepass")
        *whole, rest = _BREAKS.split(rest + block)
        yield from whole
        if len(rest) > _BLOCK:
            yield rest
            rest = b""
    yield rest


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", "replace")
