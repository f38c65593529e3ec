"""Which files lie in a folder, without reading them."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import Int64

_MOST_PROBLEMS = 100
"""Problems that are kept of each kind; the last one says how many there were in all."""
_BETWEEN = 5000
"""Entries between two tellings of progress."""


@dataclass
class ProblemsFound:
    """Problems of many files: the first ones of each kind as they are, and how many more there were."""

    folder: str
    kept: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, problem: Problem) -> None:
        """Take one more."""
        seen = self.counts.get(problem.code, 0)
        self.counts[problem.code] = seen + 1
        if seen < _MOST_PROBLEMS:
            self.kept.append(problem)

    def all(self) -> tuple[Problem, ...]:
        """Return the kept ones, and one that counts those that are not."""
        more = sum(max(count - _MOST_PROBLEMS, 0) for count in self.counts.values())
        left_off = (Problem("dataset_more_problems", self.folder, {"count": more}),) if more else ()
        return (*self.kept, *left_off)


class ScannedFolder(NamedTuple):
    """Files of a folder, sorted by name; arrays have one entry a file."""

    names: list[str]
    """Relative to the folder, with ``/`` between folders."""
    sizes: Int64
    """Bytes."""
    times: Int64
    """When each was changed last, in nanoseconds."""


class _Entry(NamedTuple):
    name: str
    size: int
    time: int


def scan_folder(folder: str, problems: ProblemsFound) -> Work[ScannedFolder]:
    """Return the files below *folder*.

    A link to a folder is not followed: it may lead out, or round in a circle. A link to a file counts as the
    file if that lies in *folder* too; what is no file (a pipe, a device) is left out. Both are told.

    Raises
    ------
    InputError
        ``dataset_no_folder``: it is no folder, or cannot be read at all.
    """
    try:
        os.scandir(folder).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem("dataset_no_folder", folder, {"why": why})) from None
    names: list[str] = []
    sizes, times = array("q"), array("q")
    for entry in _entries(folder, problems):
        names.append(entry.name)
        sizes.append(entry.size)
        times.append(entry.time)
        if len(names) % _BETWEEN == 0:
            yield Progress(0, 0, Message("progress.dataset_scan", {"files": len(names)}))
    order = sorted(range(len(names)), key=names.__getitem__)
    picked = np.array(order, np.int64)
    return ScannedFolder(
        [names[index] for index in order],
        np.frombuffer(sizes, np.int64)[picked] if names else np.zeros(0, np.int64),
        np.frombuffer(times, np.int64)[picked] if names else np.zeros(0, np.int64),
    )


def _entries(root: str, problems: ProblemsFound) -> Iterator[_Entry]:
    inside = os.path.realpath(root)
    open_folders = [(root, "")]
    while open_folders:
        folder, above = open_folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = above + entry.name
                    try:
                        if entry.is_dir(follow_symlinks=False):
                            open_folders.append((entry.path, name + "/"))
                        elif (found := _file(entry, name, inside)) is not None:
                            yield found
                        else:
                            code = "dataset_link_out" if entry.is_symlink() else "dataset_no_file"
                            problems.add(Problem(code, entry.path))
                    except OSError as error:
                        problems.add(Problem("unreadable", entry.path, {"why": error.strerror or str(error)}))
        except OSError as error:
            problems.add(Problem("unreadable", folder, {"why": error.strerror or str(error)}))


def _file(entry: os.DirEntry[str], name: str, inside: str) -> _Entry | None:
    """Return what *entry* is as a file of the folder *inside*, ``None`` if it is none."""
    facts = entry.stat()
    if not stat.S_ISREG(facts.st_mode):
        return None
    if entry.is_symlink() and os.path.commonpath((os.path.realpath(entry.path), inside)) != inside:
        return None
    return _Entry(name, facts.st_size, facts.st_mtime_ns)
