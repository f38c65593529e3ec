"""The text of one source file: any encoding, any line ends, within bounds. Nothing of it is run."""

from __future__ import annotations

import hashlib
import json
import stat
from dataclasses import replace
from pathlib import Path

from core.formats.evidence.secrets import mask_lines
from core.formats.logs.lines import decoded, wide_of
from core.precheck.source.records import SourceState, SourceText

MOST_BYTES = 4 << 20
"""Size of a file up to which it is read."""
_LOOKED_AT = 1 << 16
"""Bytes at the beginning by which text is told."""


def read_source(path: str) -> SourceText:
    """Return the lines of the file at *path*; an empty *path* is a file that the side does not have.

    UTF-8 and UTF-16 with or without a mark are read; what is no UTF-8 is taken for GB 18030. Of a notebook
    the lines are those of its cells of code, one after the other.
    """
    if not path:
        return SourceText("", SourceState.ABSENT)
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):  # a device or a pipe would be read for ever
            return SourceText(path, SourceState.UNREADABLE)
        if found.st_size > MOST_BYTES:
            return SourceText(path, SourceState.TOO_LARGE)
        with Path(path).open("rb") as stream:
            data = stream.read(MOST_BYTES)
    except FileNotFoundError:
        return SourceText(path, SourceState.ABSENT)
    except (OSError, ValueError):
        return SourceText(path, SourceState.UNREADABLE)
    digest = hashlib.blake2b(data, digest_size=16).digest()
    wide = wide_of(data[:_LOOKED_AT])
    if wide is None and b"\0" in data[:_LOOKED_AT]:
        return SourceText(path, SourceState.BINARY, digest=digest)
    content = _decoded(data, wide)
    lines = _cells(content) if path.lower().endswith(".ipynb") else None
    return SourceText(path, SourceState.READ, tuple(lines_of(content) if lines is None else lines), digest)


def lines_of(content: str) -> list[str]:
    """Return the lines of *content*; a carriage return, with or without a feed, ends one."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _cells(content: str) -> list[str] | None:
    """Return the code of the notebook *content*; ``None`` if it is none as Jupyter writes them since 2015."""
    try:
        cells = json.loads(content)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return [line for source in sources for line in lines_of("".join(source))]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def without_secrets(source: SourceText) -> SourceText:
    """Return *source* as it may be shown."""
    return replace(source, lines=tuple(mask_lines(source.lines)))


def _decoded(data: bytes, wide: str | None) -> str:
    return (decoded(data) if wide is None else data.decode(wide, "replace")).removeprefix("\ufeff")
