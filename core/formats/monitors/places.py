"""Find the files of a monitor: one file, a rank's folder, or the whole output."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from core.errors import Problem
from core.formats.folder_entries import is_folder
from core.formats.monitors.cells import SMALL_BOUND
from core.formats.monitors.layout import Form, header_of
from core.formats.natural import natural_key
from core.formats.search import DATA_FOLDERS

_MAX_DEPTH = 4
_MAX_FOLDERS = 20_000
_HEAD = 64 << 10
"""Bytes in which the header of a csv file ends."""
_SQLITE = b"SQLite format 3\0"
_RANK = re.compile(r"(?:^|.*-)rank_?(?P<rank>\d{1,10})(?:-.*)?", re.S)
_BEGAN = re.compile(
    r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?P<rest>\d\d_\d\d-\d\d-\d\d)-rank\d.*", re.S
)
"""``Dec03_21-34-40-rank0-1a2b3c4d``: when the run began, without a year (msprobe's ``module_hook.py``)."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NO_TIME = (0, "")


class MonitorFile(NamedTuple):
    """One file to be read."""

    path: str
    form: Form
    rank: int
    """0 where no folder says."""
    size: int
    """Bytes."""


@dataclass
class Places:
    """Files in the order in which they were written, as far as names tell, and what was wrong on the way."""

    files: list[MonitorFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    folders: int = 0


def form_of(path: str) -> Form | None:
    """Return the form of the file *path* by its first bytes, ``None`` if it is none of a monitor.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as stream:  # noqa: PTH123 - a path as the user gave it
        head = stream.read(_HEAD)
    if head.startswith(_SQLITE):
        return Form.TREND_DB
    line, end, _ = head.partition(b"\n")
    layout = header_of(line) if end else None
    return None if layout is None else layout.form


def files_below(root: str) -> Iterator[str]:
    """Yield the csv files and databases in *root* and some levels below, those of each folder together."""
    yield from _walk(root, Places())


def find_files(root: str) -> Places:
    """Find the files of a monitor in the folder *root*.

    Those of an earlier run come before those of a later one, by the times in the names of folders; windows of
    steps come in their order.
    """
    places = Places()
    for path in _walk(root, places):
        try:
            form = form_of(path)
            size = os.path.getsize(path)  # noqa: PTH202
        except OSError as error:
            places.problems.append(_denied(path, error))
            continue
        if form is not None:
            places.files.append(MonitorFile(path, form, rank_of(path), size))
    began = {file.path: _began(file.path) for file in places.files}
    first = _first_time(sorted(set(began.values()) - {_NO_TIME}))
    places.files.sort(key=lambda file: (_turned(began[file.path], first), natural_key(file.path)))
    return places


def rank_of(path: str) -> int:
    """Return the rank that the nearest folder above *path* names; 0 where none does, as of dumps."""
    for part in reversed(Path(path).absolute().parts[:-1]):
        if (found := _RANK.fullmatch(part)) and int(found["rank"]) < SMALL_BOUND:
            return int(found["rank"])
    return 0


def _walk(root: str, places: Places) -> Iterator[str]:
    seen: set[tuple[int, int]] = set()
    pending = [(root, 0)]
    while pending:
        folder, depth = pending.pop()
        if places.folders >= _MAX_FOLDERS:
            places.problems.append(Problem("search_stopped", root, {"count": _MAX_FOLDERS}))
            return
        try:
            facts = os.stat(folder)  # noqa: PTH116
            if (facts.st_dev, facts.st_ino) in seen:
                continue
            seen.add((facts.st_dev, facts.st_ino))
            with os.scandir(folder) as entries:
                shown = [entry for entry in entries if not entry.name.startswith(".")]
                names = [(entry.name, is_folder(entry)) for entry in shown]
        except OSError as error:
            places.problems.append(_denied(folder, error))
            continue
        places.folders += 1
        names.sort(key=lambda entry: natural_key(entry[0]))
        for name, enter in names:
            if not enter and name.lower().endswith((".csv", ".db")):
                yield os.path.join(folder, name)  # noqa: PTH118
        below = [name for name, enter in names if enter and name not in DATA_FOLDERS]
        if depth < _MAX_DEPTH:
            pending += [(os.path.join(folder, name), depth + 1) for name in reversed(below)]  # noqa: PTH118


def _denied(path: str, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        return Problem("not_there", path)
    if isinstance(error, PermissionError):
        return Problem("no_permission", path)
    return Problem("not_readable", path, {"reason": error.strerror or type(error).__name__})


def _began(path: str) -> tuple[int, str]:
    for part in reversed(Path(path).parts[:-1]):
        if found := _BEGAN.fullmatch(part):
            return _MONTHS.index(found["month"]) + 1, found["rest"]
    return _NO_TIME


def _day(time: tuple[int, str]) -> int:
    """Return about how many days of the year lie before *time*."""
    return time[0] * 31 + int(time[1][:2])


def _first_time(times: list[tuple[int, str]]) -> tuple[int, str]:
    """Return the earliest of *times*, sorted: names hold no year, so the longest pause lies before it."""
    if not times:
        return _NO_TIME
    pauses = [_day(later) - _day(time) for time, later in pairwise([*times, (times[0][0] + 12, times[0][1])])]
    return times[(pauses.index(max(pauses)) + 1) % len(times)]


def _turned(time: tuple[int, str], first: tuple[int, str]) -> tuple[int, str]:
    return (time[0] + 12, time[1]) if _NO_TIME != time < first else time
