"""The source files of a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from core.errors import Problem
from core.messages import Message
from core.precheck.source.table import source_table
from core.progress import Progress, Work

MOST_FILES = 20_000
"""Files of one side; what comes after them is left out, and it is said."""
_A_TIME = 200
"""Files between two tellings of how far it is."""


class Found(NamedTuple):
    """One source file."""

    name: str
    """Path below its folder, with ``/``."""
    path: str
    size: int


def files_of(roots: Sequence[str]) -> Work[tuple[dict[str, Found], list[Problem]]]:
    """Return the source files below *roots* by name; of the same name in two of them the first one counts.

    Links are not followed, folders of tools and builds are passed over; a file that is given itself counts
    whatever its ending.
    """
    found: dict[str, Found] = {}
    problems: list[Problem] = []
    for root in roots:
        for entry in _entries(Path(root), problems):
            found.setdefault(entry.name, entry)
            if len(found) % _A_TIME == 0:
                yield Progress(len(found), 0, Message("progress.source.listing", {"count": len(found)}))
            if len(found) >= MOST_FILES:
                problems.append(Problem("source_many_files", root, {"limit": MOST_FILES}))
                return found, problems
    return found, problems


def _entries(root: Path, problems: list[Problem]) -> Iterator[Found]:
    try:
        told = root.stat()
    except (OSError, ValueError) as error:
        problems.append(_unreadable(root, error))
        return
    if not stat.S_ISDIR(told.st_mode):
        yield Found(root.name, str(root), told.st_size)
        return
    table = source_table()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            problems.append(_unreadable(folder, error))
            continue
        for entry in inside:
            if entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in table.folders and not entry.name.endswith(".egg-info"):
                    waiting.append(Path(entry.path))
            elif PurePath(entry.name).suffix.lower() in table.suffixes and entry.is_file(
                follow_symlinks=False
            ):
                name = Path(entry.path).relative_to(root).as_posix()
                yield Found(name, entry.path, entry.stat(follow_symlinks=False).st_size)


def _unreadable(path: Path, error: Exception) -> Problem:
    detail = getattr(error, "strerror", None) or type(error).__name__
    return Problem("source_unreadable", str(path), {"detail": detail})
