"""Dumps that are no longer where a result says: where they lie now, and whether they are still the same.

What was found once is kept in the platform's data directory, so that every reader of a result finds the
tensors again: pictures, replay, headroom, overflow.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from core.formats.path_mapping import PathMapping
from core.records.columns import constant
from core.records.dump import Dump
from core.store.notes import data_directory, write_whole
from core.store.schema import PACKED_PREFIX


@dataclass(frozen=True)
class Moved:
    """What lay under the folder ``old`` lies under ``new`` now."""

    old: str
    new: str
    exact: bool
    """Whether sizes and times agreed; else the user took it by the sizes, and times are not looked at."""


@dataclass(frozen=True)
class TensorFile:
    """One file of a dump, as it was when the dump was read."""

    name: str
    size: int
    mtime_ns: int


class Likeness(StrEnum):
    """What the files at a place are to those that a dump was read with."""

    SAME = "same"
    SIZES = "sizes"
    """The same sizes, but other times: copied without them, or written anew."""
    OTHER = "other"
    """A file is missing or has another size."""
    MISSING = "missing"
    """None of the files is there."""


@dataclass(frozen=True)
class Look:
    """What was seen at a place."""

    likeness: Likeness
    file: str = ""
    """The first file that does not agree."""
    expected: int = -1
    size: int = -1
    """Its size there; -1 if it is missing."""

    @property
    def same(self) -> bool:
        """Whether all agree."""
        return self.likeness is Likeness.SAME


def load_moved() -> tuple[Moved, ...]:
    """Return what is known of moved dumps, the latest last; nothing where nothing readable is kept."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        said = json.loads(_file().read_text("utf-8"))
        return tuple(Moved(str(one["old"]), str(one["new"]), bool(one["exact"])) for one in said["moved"])
    return ()


def save_moved(rules: Sequence[Moved]) -> None:
    """Keep *rules* as all that is known of moved dumps.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    write_whole(_file(), {"moved": [asdict(rule) for rule in rules]})


def with_rule(rules: Sequence[Moved], rule: Moved) -> tuple[Moved, ...]:
    """Return *rules* with *rule* for its folder, whatever was known of that before."""
    return (*(other for other in rules if other.old != rule.old), rule)


def placed(dump: Dump, rules: Sequence[Moved]) -> Dump:
    """Return *dump* with the folder of its tensors where it lies now; it stays where it is if it is there."""
    if not dump.data_dir or not rules or look_at(dump.data_dir, tensor_files(dump, 1)).same:
        return dump
    for rule in sorted(rules, key=lambda rule: -len(rule.old)):
        place = place_by(rule, dump.data_dir)
        if place and Path(place).exists():
            return moved_to(dump, place, rule.exact)
    return dump


def moved_to(dump: Dump, place: str, exact: bool) -> Dump:
    """Return *dump* with its tensors in the folder *place*; not *exact*: whatever the times of the files."""
    slots = dump.slots
    if not exact:
        slots = replace(slots, file_mtime_ns=constant(-1, np.int64, len(slots)))
    return replace(dump, data_dir=place, slots=slots)


def tensor_files(dump: Dump, most: int) -> tuple[TensorFile, ...]:
    """Return at most *most* of the tensor files of *dump*, from all over it; the first one always."""
    slots = dump.slots
    there = np.flatnonzero((slots.file_size >= 0) & (slots.file >= 0))
    chosen = there[np.unique(np.linspace(0, max(len(there) - 1, 0), min(most, len(there))).astype(np.int64))]
    return tuple(
        TensorFile(dump.strings.alone(name), size, time)
        for name, size, time in zip(
            slots.file[chosen].tolist(),
            slots.file_size[chosen].tolist(),
            slots.file_mtime_ns[chosen].tolist(),
        )
    )


def path_now(path: str, rules: Sequence[Moved]) -> str:
    """Return where the run at *path* lies now; *path* itself where it is there, or nothing else is known."""
    if Path(path).exists():
        return path
    places = (place_by(rule, path) for rule in sorted(rules, key=lambda rule: -len(rule.old)))
    return next((place for place in places if place and Path(place).exists()), path)


def place_by(rule: Moved, folder: str) -> str:
    """Return where *rule* says that *folder* lies now; empty where it says nothing of it."""
    found = next(PathMapping([(rule.old, rule.new)]).candidates(folder), None)
    return "" if found is None or str(found) == folder else str(found)


def look_at(folder: str, files: Sequence[TensorFile]) -> Look:
    """Compare *files* of a dump with what lies in *folder*, by size and time."""
    if files and files[0].name.startswith(PACKED_PREFIX):  # all in one file, which says itself what it is
        there = Path(folder).is_file()
        return Look(Likeness.SAME) if there else Look(Likeness.MISSING, folder)
    missing, other, later = [], [], []
    for file in files:
        try:
            status = os.stat(os.path.join(folder, file.name))  # noqa: PTH116, PTH118 - names may be odd
        except (OSError, ValueError):
            missing.append(Look(Likeness.OTHER, file.name, file.size))
            continue
        if status.st_size != file.size:
            other.append(Look(Likeness.OTHER, file.name, file.size, status.st_size))
        elif file.mtime_ns >= 0 and status.st_mtime_ns != file.mtime_ns:
            later.append(Look(Likeness.SIZES, file.name, file.size, status.st_size))
    if missing and len(missing) == len(files):
        return replace(missing[0], likeness=Likeness.MISSING)
    return next(iter((*other, *missing, *later)), Look(Likeness.SAME))


def rule_for(folder: str, files: Sequence[TensorFile], new: str) -> tuple[Moved, Look] | None:
    """Return how *folder* of a dump lies in the folder *new*, and what was seen there; ``None``: nowhere."""
    guess = PathMapping.guess(folder, new)
    if guess is None:
        return None
    rule = Moved(guess.old, guess.new, True)
    seen = look_at(place_by(rule, folder) or folder, files)
    return replace(rule, exact=seen.likeness is Likeness.SAME), seen


def _file() -> Path:
    return data_directory() / "moved.json"
