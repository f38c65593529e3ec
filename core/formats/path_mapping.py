"""Where files lie now that a dump names by where they lay when it was made.

A dump comes from another machine: its paths may be a Windows path read on Linux, or the other way round,
and what they lead to may have been moved. Rules say which folder stands for which.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|[^/]*\\")
"""How a Windows path begins: a drive, a share, or a name before the first backslash."""


class Rule(NamedTuple):
    """What lay under the folder ``old``, as a dump spells it, lies under ``new`` here."""

    old: str
    new: str


class _Parts(NamedTuple):
    """A path taken apart, ``.`` and ``..`` resolved by their spelling alone."""

    windows: bool
    anchor: str
    """``/``, ``C:\\`` ...; empty for a relative path."""
    names: tuple[str, ...]

    def is_under(self, folder: _Parts) -> bool:
        """Whether this is *folder* or lies under it; Windows does not tell capitals from small letters."""
        count = len(folder.names)
        if self.windows != folder.windows and (self.anchor or folder.anchor):
            return False
        mine, theirs = (self.anchor, *self.names[:count]), (folder.anchor, *folder.names)
        if self.windows:
            return tuple(map(str.lower, mine)) == tuple(map(str.lower, theirs))
        return mine == theirs

    def folder(self, count: int) -> str:
        """Return the path's first *count* names, spelled as on its system."""
        return self.anchor + ("\\" if self.windows else "/").join(self.names[:count])


def _parts(path: str) -> _Parts | None:
    """Take *path* apart; ``None`` where it leads out of an unknown folder, or nowhere."""
    windows = _WINDOWS.match(path) is not None
    if windows:
        drive, rest = ntpath.splitdrive(ntpath.normpath(path))
        anchor = drive + "\\" if rest.startswith("\\") else drive
        names = tuple(name for name in rest.split("\\") if name and name != ".")
    else:
        plain = posixpath.normpath(path)
        anchor = "/" if plain.startswith("/") else ""
        names = tuple(name for name in plain.split("/") if name and name != ".")
    return None if ".." in names or "\0" in path else _Parts(windows, anchor, names)


def is_there(place: Path) -> bool:
    """Whether a file or folder is at *place*; one that no system could have is not."""
    try:
        return place.exists()
    except (OSError, ValueError):
        return False


class PathMapping:
    """Finds files by rules; of the rules that match a path, the longest counts first, then the last told.

    Parameters
    ----------
    rules
        Pairs of an old folder, as dumps spell it, and the folder that stands for it here.
    """

    def __init__(self, rules: Iterable[tuple[str, str] | list[str]] = ()) -> None:
        self.rules = tuple(Rule(str(old), str(new)) for old, new in rules)
        told = [(parts, rule.new) for rule in self.rules if (parts := _parts(rule.old)) is not None]
        told.reverse()
        self._folders = sorted(told, key=lambda item: -len(item[0].names))

    def candidates(self, path: str) -> Iterator[Path]:
        """Yield the places where *path* may lie here, the likeliest first, without looking."""
        parts = _parts(path) if path else None
        if parts is None:
            return
        for folder, new in self._folders:
            if parts.is_under(folder):
                yield Path(new, *parts.names[len(folder.names) :])
        if parts.anchor and parts.windows == (os.name == "nt"):
            yield Path(path)

    def find(self, path: str) -> Path | None:
        """Return the file or folder that *path* leads to here, ``None`` when there is none."""
        return next((place for place in self.candidates(path) if is_there(place)), None)

    def with_rule(self, old: str, new: str) -> PathMapping:
        """Return a mapping in which *new* stands for *old*, whatever stood for it before."""
        return PathMapping([*(rule for rule in self.rules if rule.old != old), Rule(old, new)])

    @staticmethod
    def guess(old: str, new: str) -> Rule | None:
        """Return the rule by which *old*, a file or folder of a dump, lies in the folder *new*.

        The longest tail of *old* that is there under *new* counts; none of it need be there where *new*
        has the name of *old*: then it is *old* itself.

        Returns
        -------
        The shortest such rule, so that it holds for the neighbours of *old* too; ``None`` when nothing of
        *old* is found there.
        """
        parts = _parts(old) if old else None
        if parts is None or not parts.names:
            return None
        for cut in range(len(parts.names)):
            if is_there(Path(new, *parts.names[cut:])):
                return Rule(parts.folder(cut), new)
        if Path(new).name == parts.names[-1] and is_there(Path(new)):
            return Rule(parts.folder(len(parts.names)), new)
        return None
