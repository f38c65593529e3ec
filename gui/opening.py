"""What a path is that someone wants to open, by its name alone."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.formats.folder_entries import is_folder

RESULT_SUFFIXES = (".h5", ".hdf5")
_TARGET_WORDS = re.compile(r"(?<![a-z])(npu|ascend|910[a-z]?|target|tgt)(?![a-z])")
_GOLDEN_WORDS = re.compile(
    r"(?<![a-z])(gpu|cuda|cpu|bench|golden|gold|baseline|reference|ref|a100|h100|v100)(?![a-z])"
)
_DUMP_FILE = re.compile(r"(dump|stack|construct|debug|api_stack)[^/]*\.(json|pkl)", re.IGNORECASE)
_EVENTS = ".tfevents."
_LOOKED_AT = 2000
"""Entries of a folder that are looked at."""
_DEPTH = 3
"""Levels of folders that are looked into."""
_OF_MONITORS = (".csv", ".db")
_OF_LOGS = (".log", ".txt", ".out", ".jsonl", ".json", ".csv", ".tsv", "")
"""Endings of training logs, the likeliest first."""
_DUMPS_DEPTH, _MOST_LOGS = 6, 8
"""Levels of folders in which dumps lie, and logs of one folder that are looked into."""
_OFFICIAL_ANSWER = re.compile(r"anomaly_analyze.*\.json", re.IGNORECASE)


def guess_order(first: str, second: str) -> tuple[str, str]:
    """Return (target, golden) by what the names say; as given when they say nothing."""
    return (second, first) if leaning_of(second) > leaning_of(first) else (first, second)


def leaning_of(path: str) -> int:
    """Return :func:`leaning` of *path*, or of its folder where the name itself says nothing."""
    return leaning(path) or leaning(str(Path(path).parent))


def leaning(path: str) -> int:
    """Return whether the name of *path* speaks of a target (above 0) or a golden (below), and how often."""
    name = Path(path).name.lower().replace("_", " ").replace("-", " ")
    return len(_TARGET_WORDS.findall(name)) - len(_GOLDEN_WORDS.findall(name))


def is_result_file(path: str) -> bool:
    """Return whether *path* looks like a file that holds a finished comparison."""
    return path.lower().endswith(RESULT_SUFFIXES) and Path(path).is_file()


def is_official_answer(path: str) -> bool:
    """Return whether *path* looks like what the official overflow analyser wrote."""
    return bool(_OFFICIAL_ANSWER.fullmatch(Path(path).name)) and Path(path).is_file()


def may_be_dump(path: str) -> bool:
    """Return whether the folder or file *path* holds a dump by its name, or that of a file in it."""
    names = [Path(path).name] if Path(path).is_file() else itertools.islice(_names(path, _DEPTH), _LOOKED_AT)
    return any(_DUMP_FILE.fullmatch(name) for name in names)


def may_be_log(path: str) -> bool:
    """Return whether *path* may be a training log.

    A file that is by its name nothing else that is opened, or a folder with files of TensorBoard events.
    """
    if is_official_answer(path) or is_result_file(path) or _DUMP_FILE.fullmatch(Path(path).name):
        return False
    return Path(path).is_file() or holds_events(path)


def goes_with_logs(path: str) -> bool:
    """Return whether *path* is shown among the training logs that it was brought with.

    Any file that is by its name nothing else, and what is not there: the page says what is wrong with each.
    """
    return (Path(path).is_file() and may_be_log(path)) or not Path(path).exists()


def holds_events(path: str) -> bool:
    """Return whether the folder *path* holds files of TensorBoard events, by their names."""
    try:
        return any(_EVENTS in entry.name for entry in _entries(path))
    except OSError:
        return False


def may_be_monitor(path: str) -> bool:
    """Return whether *path* may be a monitor's output: a csv file or database, or a folder with some in it.

    A folder of dumps is none, whatever else lies there.
    """
    if Path(path).is_file():
        return path.lower().endswith(_OF_MONITORS)
    names = list(itertools.islice(_names(path, _DEPTH), _LOOKED_AT))
    if any(_DUMP_FILE.fullmatch(name) for name in names):
        return False
    return any(name.lower().endswith(_OF_MONITORS) for name in names)


def may_hold_evidence(path: str) -> bool:
    """Return whether the folder *path* may hold what a pre-check goes by: files, and no dump among them."""
    names = list(itertools.islice(_names(path, _DEPTH), _LOOKED_AT))
    return bool(names) and not any(_DUMP_FILE.fullmatch(name) for name in names)


def logs_inside(path: str) -> list[str]:
    """Return the files in the folder *path* that are training logs by their names, the likeliest first.

    None where a dump lies in it at any depth, or where there is too much in it to know.
    """
    if not Path(path).is_dir():
        return []
    names = list(itertools.islice(_names(path, _DUMPS_DEPTH), _LOOKED_AT))
    if len(names) == _LOOKED_AT or any(_DUMP_FILE.fullmatch(name) for name in names):
        return []
    try:
        files = [entry for entry in _entries(path) if not is_folder(entry)]
    except OSError:
        return []
    found = [
        (_OF_LOGS.index(ending), entry.path)
        for entry in files
        if (ending := Path(entry.name).suffix.lower()) in _OF_LOGS and may_be_log(entry.path)
    ]
    return [log for _, log in sorted(found)[:_MOST_LOGS]]


def _names(folder: str, depth: int) -> Iterator[str]:
    """Yield the names of files in *folder*, and in the folders in it, *depth* levels in all."""
    try:
        found = _entries(folder)
    except OSError:
        return
    for entry in found:
        if not is_folder(entry):
            yield entry.name
    for entry in found:
        if depth > 1 and is_folder(entry):
            yield from _names(entry.path, depth - 1)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(itertools.islice(entries, _LOOKED_AT))


def stands_alone(path: str) -> bool:
    """Return whether *path* is opened by itself: it is no run that could be one side of a pair."""
    known = is_result_file(path) or is_official_answer(path)
    return known or may_be_log(path) or may_be_monitor(path)
