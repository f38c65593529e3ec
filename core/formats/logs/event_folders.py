"""Which event files of TensorBoard make up one run."""

from __future__ import annotations

import re
from pathlib import Path

_STAMP = re.compile(r"tfevents\.(\d+)")
_DEEPEST, _MOST_FOLDERS = 3, 200


def is_event_name(name: str) -> bool:
    """Whether a file is called as TensorBoard's writers call theirs."""
    return "tfevents." in name


def event_files(folder: str) -> list[str]:
    """Return the event files of *folder*, in the order in which the run was started again.

    Where it holds none, but exactly one folder beneath it does, those.
    """
    own = own_event_files(folder)
    if own:
        return own
    found = []
    level = [Path(folder)]
    for _ in range(_DEEPEST):
        level = [inner for outer in level for inner in _folders_of(outer)][:_MOST_FOLDERS]
        found += [files for inner in level if (files := own_event_files(str(inner)))]
    return found[0] if len(found) == 1 else []


def own_event_files(folder: str) -> list[str]:
    """Return the event files that lie in *folder* itself."""
    try:
        files = [entry for entry in Path(folder).iterdir() if is_event_name(entry.name) and entry.is_file()]
    except OSError:
        return []
    return [str(file) for file in sorted(files, key=_order)]


def _order(file: Path) -> tuple[int, str]:
    found = _STAMP.search(file.name)
    return (int(found[1]) if found else 0, file.name)


def _folders_of(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink())
    except OSError:
        return []
