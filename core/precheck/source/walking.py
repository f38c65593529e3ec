"""The source files of a folder."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
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


@dataclass
class SourceFiles:
    """The source files of a side, and what is none."""

    files: dict[str, Found] = field(default_factory=dict)
    """By name; of the same name below two roots the first one counts."""
    problems: list[Problem] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)
    """Files by their ending, or name without one, that are no source; ``build/`` for what was built."""


def files_of(roots: Sequence[str], leave_out: Collection[str] = ()) -> Work[SourceFiles]:
    """Return the source files below *roots*.

    Links are not followed, folders of tools and builds are passed over; a file that is given itself counts
    whatever its ending. *leave_out* are real paths of files that are something else.
    """
    found = SourceFiles()
    for root in roots:
        for entry in _entries(Path(root), found):
            if leave_out and os.path.realpath(entry.path) in leave_out:
                continue
            found.files.setdefault(entry.name, entry)
            count = len(found.files)
            if count % _A_TIME == 0:
                yield Progress(count, 0, Message("progress.source.listing", {"count": count}))
            if count >= MOST_FILES:
                found.problems.append(Problem("source_many_files", root, {"limit": MOST_FILES}))
                return found
    return found


def _entries(root: Path, found: SourceFiles) -> Iterator[Found]:
    try:
        told = root.stat()
    except (OSError, ValueError) as error:
        found.problems.append(_unreadable(root, error))
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
            found.problems.append(_unreadable(folder, error))
            continue
        builds = table.builds if any(entry.name in table.built_by for entry in inside) else frozenset()
        for entry in inside:
            if entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name in builds:
                    found.passed_over[f"{entry.name}/"] += 1
                elif entry.name not in table.folders and not entry.name.endswith(".egg-info"):
                    waiting.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                ending = PurePath(entry.name).suffix.lower()
                if ending in table.suffixes:
                    name = Path(entry.path).relative_to(root).as_posix()
                    yield Found(name, entry.path, entry.stat(follow_symlinks=False).st_size)
                else:
                    found.passed_over[ending or entry.name] += 1


def _unreadable(path: Path, error: Exception) -> Problem:
    detail = getattr(error, "strerror", None) or type(error).__name__
    return Problem("source_unreadable", str(path), {"detail": detail})
