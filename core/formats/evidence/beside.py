"""Files that a script or a document names, where they lie beside it."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath

from core.formats.evidence.evidence_file import EvidenceFile

_MOST_LEVELS = 3
"""Folders above the file from which its names may count: scripts name files from the top of their project."""
_MOST_PARTS = 12


def named_beside(file: EvidenceFile, named: str) -> EvidenceFile | None:
    """Return the plain file called *named* that lies by *file*, ``None`` if there is none.

    Sought in the folder of *file*, then up to three folders above it. An absolute name, one from another
    machine, counts by its end only; nothing outside these folders is opened.
    """
    if file.content is not None or file.member or not named or "\0" in named or len(named) > 1000:
        return None
    parts = [part for part in PurePosixPath(named.replace("\\", "/")).parts if part not in ("/", ".", "..")]
    parts = [part for part in parts if ":" not in part][-_MOST_PARTS:]
    folder = Path(file.path).absolute().parent
    folders = [folder, *folder.parents[:_MOST_LEVELS]]
    candidates = [place.joinpath(*parts) for place in folders] if parts else []
    candidates += [folder.joinpath(*parts[first:]) for first in range(1, len(parts))]
    for candidate in candidates:
        if _is_plain(candidate) and not _same(candidate, file.path):
            return EvidenceFile(str(candidate))
    return None


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _same(candidate: Path, path: str) -> bool:
    try:
        return candidate.samefile(path)
    except OSError:
        return False
