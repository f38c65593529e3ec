"""What runs in other processes for the curves page: the core's jobs, by way of the shelf.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from core.formats.folder_entries import is_file
from core.progress import Work
from core.records.curves import Axis
from gui.training.work import FoundLog

if TYPE_CHECKING:
    from core.curves.shelf import Shelved
    from core.formats.logs.patterns import LinePattern
    from core.records.curves import LoggedRun


class Reading(NamedTuple):
    """What was read."""

    token: Shelved
    """Of the :class:`LoggedRun`."""
    table: Shelved | None
    """What is needed to read on; not for the window."""
    size: tuple[int, int]
    """:func:`size_of` the log before it was read."""


def read(path: str, pattern: LinePattern | None, before: Shelved | None, folder: str) -> Work[Reading]:
    """Read the log at *path*, on from what was read *before*."""
    from core.curves import jobs
    from core.curves.shelf import shelve, unshelve

    size = size_of(path)
    table = unshelve(before) if before is not None else None
    found = yield from jobs.read_run(path, pattern, table)
    kept = shelve(found.table, folder) if found.table is not None else None
    return Reading(shelve(found.run, folder), kept, size)


def read_result(path: str, golden: bool, folder: str) -> Work[Reading]:
    """Read the loss of one side that the result file *path* holds."""
    from core.curves import jobs
    from core.curves.shelf import shelve

    found = yield from jobs.read_result(path, golden)
    return Reading(shelve(found.run, folder), None, (-1, 0))


def run_of(token: Shelved) -> LoggedRun:
    """Return a run from the shelf."""
    from core.curves.shelf import unshelve

    found: LoggedRun = unshelve(token)
    return found


def judge(
    target: Shelved, golden: Shelved | None, repeats: Sequence[Shelved], axis: Axis | None,
    shift: int | None, folder: str,
) -> Work[Shelved]:  # fmt: skip
    """Judge *target* by *golden*, or alone, and shelve the :class:`CurvesReport`."""
    from core.curves import jobs
    from core.curves.engine import CurveOptions
    from core.curves.shelf import shelve

    options = CurveOptions(shift=shift, axis=axis)
    if golden is None:
        return shelve((yield from jobs.judge_alone(run_of(target), options)), folder)
    others = [run_of(repeat) for repeat in repeats]
    report = yield from jobs.judge(run_of(target), run_of(golden), others, options)
    return shelve(report, folder)


def export(path: str, report: Shelved) -> Work[str]:
    """Write the numbers of *report* to *path*, as csv or json by its ending."""
    from core.curves.shelf import unshelve
    from core.report.curves_report import write_curves

    yield from ()
    write_curves(path, unshelve(report))
    return path


class NearLogs(NamedTuple):
    """Training logs in and beside the dumps that are open."""

    target: str
    """The target's own; empty where there is none."""
    golden: str
    every: tuple[FoundLog, ...]


def find_logs(target: str, golden: str) -> Work[NearLogs]:
    """Look for the logs of the dumps *target* and *golden* (empty for none)."""
    from core.formats.logs.nearby import logs_near
    from gui.opening import leaning

    near = yield from logs_near([target])
    other = (yield from logs_near([golden])) if golden else []
    mine = [path for path in near if path not in other and leaning(path) >= 0]
    theirs = [path for path in other if path not in near and leaning(path) <= 0]
    both = [path for path in near if path in other]
    mine += [path for path in both if leaning(path) > 0]
    theirs += [path for path in both if leaning(path) < 0]
    every = tuple(FoundLog(path, size_of(path)[0]) for path in dict.fromkeys([*near, *other]))
    if not golden:
        return NearLogs((mine or near or [""])[0], "", every)
    return NearLogs((mine or [""])[0], (theirs or [""])[0], every)


def size_of(path: str) -> tuple[int, int]:
    """Return bytes and time of change of a log, or of all files of a folder; (-1, 0) where there is none."""
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - every two seconds for every log
            found = os.stat(path)  # noqa: PTH116
            return found.st_size, found.st_mtime_ns
        with os.scandir(path) as entries:
            stats = [entry.stat() for entry in entries if is_file(entry)]
        return sum(each.st_size for each in stats), max((each.st_mtime_ns for each in stats), default=0)
    except OSError:
        return -1, 0


def sizes_of(paths: Sequence[str]) -> list[tuple[int, int]]:
    """Return :func:`size_of` all *paths*."""
    return [size_of(path) for path in paths]


class TriedLine(NamedTuple):
    """A line of a log under a pattern that is being typed."""

    number: int
    text: str
    values: dict[str, float] | None
    """What the pattern reads; ``None`` where it does not match."""
    spans: tuple[tuple[str, int, int], ...]
    """Which signs of the text each of its groups matches."""


def try_expression(expression: str, path: str) -> list[TriedLine]:
    """Try *expression* on the first lines of the log at *path*.

    Raises
    ------
    InputError
        If it is no regular expression, or the log cannot be read.
    """
    import re

    from core.formats.logs.patterns import LinePattern, try_pattern

    tried = try_pattern(LinePattern("", expression), path)
    compiled = re.compile(expression)
    made = []
    for number, words, values in tried:
        found = compiled.search(words) if values is not None else None
        spans = [(name, *found.span(name)) for name in compiled.groupindex] if found is not None else []
        inside = tuple(span for span in spans if span[1] >= 0)
        made.append(TriedLine(number, words, values, inside))
    return made
