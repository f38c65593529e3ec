"""Which file of one list is which file of another, although their folders stand in different places."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

_VOTERS = 4096
"""Names, spread evenly, by which the folders that correspond are found."""
_CANDIDATES = 16
"""Files of one own name that are looked at; names that all folders have tell nothing."""
_MOST_FOLDERS = 16
"""Pairs of folders that are tried: data on several disks."""
_DRIVE = re.compile(r"[A-Za-z]:/")


class Folders(NamedTuple):
    """A folder of the target's list and the one of the golden's that corresponds; with ``/`` at the end."""

    target: str
    golden: str


class PairedNames(NamedTuple):
    """Which names of two lists, each without repetitions, are the same file."""

    golden_of: dict[str, str]
    """By the target's name."""
    folders: tuple[Folders, ...]
    """By which the names were laid on each other."""


def plain(name: str) -> str:
    """Return *name* without what means nothing: ``./`` and doubled ``/``."""
    if "//" in name or "/./" in name:
        name = re.sub("/(?:\\.?/)+", "/", name)
    while name.startswith("./"):
        name = name[2:]
    return name


def pair_names(target: Sequence[str], golden: Sequence[str]) -> PairedNames:
    """Return which names of *target* and *golden* are the same file.

    Of the pairs of folders that make names alike, what files of one own name differ in, the one that most
    files ask for is taken, and what lies below either is paired by the rest of its path. Names that are left
    are tried again with their own folders if they are absolute, for data may lie on several disks; a file
    that was moved within the data set is none of these and stays unpaired.
    """
    left_target, left_golden = dict.fromkeys(target), dict.fromkeys(golden)
    golden_of: dict[str, str] = {}
    used: list[Folders] = []
    while left_target and left_golden and len(used) < _MOST_FOLDERS:
        folders = _most_asked_for(list(left_target), list(left_golden))
        if folders is None:
            break
        found = {
            name: other
            for name in left_target
            if name.startswith(folders.target)
            and (other := folders.golden + name[len(folders.target) :]) in left_golden
        }
        golden_of |= found
        used.append(folders)
        left_target = {name: None for name in left_target if name not in found and _absolute(name)}
        taken = set(found.values())
        left_golden = {name: None for name in left_golden if name not in taken and _absolute(name)}
    return PairedNames(golden_of, tuple(used))


def _absolute(name: str) -> bool:
    return name.startswith("/") or _DRIVE.match(name) is not None


def _most_asked_for(target: list[str], golden: list[str]) -> Folders | None:
    """Return the pair of folders that most names of *target* ask for; of several the shortest."""
    known = set(golden)
    by_ending = _by_ending(golden)
    votes: Counter[Folders] = Counter()
    for name in target[:: max(len(target) // _VOTERS, 1)]:
        others = by_ending.get(_ending(name, 1), ())
        if len(others) > _CANDIDATES:
            others = by_ending.get(_ending(name, 2), ())
        asked = {_folders(name, other) for other in others[:_CANDIDATES]}
        if name in known:
            asked.add(Folders("", ""))
        votes.update(asked)
    if not votes:
        return None
    return min(votes, key=lambda pair: (-votes[pair], len(pair.target) + len(pair.golden), pair))


def _by_ending(names: Sequence[str]) -> dict[str, list[str]]:
    """Return *names* by their own name; those of a name that many have by that of their folder too."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[_ending(name, 1)].append(name)
    for many in [several for several in found.values() if len(several) > _CANDIDATES]:
        for name in many:
            if (ending := _ending(name, 2)) != _ending(name, 1):
                found[ending].append(name)
    return found


def _ending(name: str, parts: int) -> str:
    return "/".join(name.rsplit("/", parts)[-parts:])


def _folders(name: str, other: str) -> Folders:
    """Return what is left in front of the parts at the end that both have."""
    mine, theirs = name.split("/"), other.split("/")
    same = 0
    while same < min(len(mine), len(theirs)) and mine[-1 - same] == theirs[-1 - same]:
        same += 1
    if same == len(mine) == len(theirs):
        return Folders("", "")
    return Folders(_before(mine, same), _before(theirs, same))


def _before(parts: Sequence[str], same: int) -> str:
    before = parts[: len(parts) - same]
    return "/".join(before) + "/" if before else ""
