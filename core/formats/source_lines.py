"""The source around a line that a call stack names, as it is on this machine. Nothing of it is run."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

MOST_BYTES = 2 << 20
"""Size of a file up to which it is read."""
_ENCODINGS = ("utf-8-sig", "gb18030")
"""Tried in this order; what neither can decode is read as UTF-8 with signs in place of what is wrong."""


class SourceState(IntEnum):
    """What there is to be said of the lines. Its name in lower case is the catalogue code
    ``gui.source.state.<name>``.
    """

    FOUND = 0
    """The line reads as it did when the dump was made, or the dump does not tell how it read."""
    MOVED = 1
    """The line reads as it did then, but stands elsewhere in the file: the file has changed."""
    CHANGED = 2
    """No line reads as it did then: the file has changed."""
    MISSING = 3
    NOT_A_FILE = 4
    TOO_LARGE = 5
    UNREADABLE = 6


@dataclass(frozen=True)
class SourceLines:
    """Some lines of a file, the first of them number ``first`` counted from 1."""

    state: SourceState
    path: str = ""
    """Where the file lies here; empty where it was not found."""
    first: int = 0
    lines: tuple[str, ...] = ()
    marked: int = 0
    """Number of the line that is meant; 0 where the file is too short to have it."""


def source_around(place: Path | None, line: int, code: str, around: int = 6) -> SourceLines:
    """Return the lines around *line* of the file at *place*.

    Parameters
    ----------
    place
        The file; ``None`` where it was not found.
    line
        Number of the line, from 1.
    code
        How the line read when the dump was made, spaces at its ends aside; empty where not known.
    around
        Lines before and after it.
    """
    if place is None:
        return SourceLines(SourceState.MISSING)
    try:
        found = place.stat()
        if not stat.S_ISREG(found.st_mode):  # a device or a pipe would be read for ever
            return SourceLines(SourceState.NOT_A_FILE, str(place))
        if found.st_size > MOST_BYTES:
            return SourceLines(SourceState.TOO_LARGE, str(place))
        with place.open("rb") as file:
            data = file.read(MOST_BYTES)
    except FileNotFoundError:
        return SourceLines(SourceState.MISSING)
    except (OSError, ValueError):
        return SourceLines(SourceState.UNREADABLE, str(place))
    lines = _decoded(data).splitlines()
    state, marked = _looked_up(lines, line, code)
    centre = marked or min(line, len(lines))
    first = max(centre - around, 1)
    return SourceLines(state, str(place), first, tuple(lines[first - 1 : centre + around]), marked)


def _decoded(data: bytes) -> str:
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _looked_up(lines: list[str], line: int, code: str) -> tuple[SourceState, int]:
    """Return the state, and the line that is meant: *line*, or the one nearest to it that reads as *code*."""
    there = 0 < line <= len(lines)
    recorded = [words for part in code.splitlines() if (words := part.split())]
    if there and (not recorded or lines[line - 1].split() in recorded):
        return SourceState.FOUND, line
    same = [number for number, words in enumerate(lines, 1) if words.split() == (recorded or [[]])[0]]
    if recorded and same:
        return SourceState.MOVED, min(same, key=lambda number: abs(number - line))
    return SourceState.CHANGED, line if there else 0
