"""Whether two paths name the same place of a project that only stands elsewhere."""

from __future__ import annotations

import re

_HOME = re.compile(r"\A(?:/(?:home|Users)/[^/]+|/root|~|[A-Za-z]:/Users/[^/]+)(?=/|\Z)")
_ABSOLUTE = re.compile(r"\A(?:/|~|[A-Za-z]:/)")
_FEWEST = 2
"""Parts at the end that paths below other roots share: a file alone may be that of another data set."""


def same_below_another_root(one: str, other: str) -> bool:
    """Return whether *one* and *other* differ only in where their common part stands.

    The homes of two people are one place. Else both must be absolute, begin with different folders and share
    the last two parts at least: ``/data/a/x.bin`` and ``/data/b/x.bin`` are two choices within one place, and
    ``adam/w`` and ``lamb/w`` no paths at all.
    """
    paths = [_HOME.sub("~", path.replace("\\", "/")) for path in (one, other)]
    if paths[0] == paths[1]:
        return True
    if not all(map(_ABSOLUTE.match, paths)):
        return False
    left, right = (path.strip("/").split("/") for path in paths)
    shared = 0
    while shared < min(len(left), len(right)) and left[-1 - shared] == right[-1 - shared]:
        shared += 1
    return shared >= _FEWEST and left[0] != right[0]
