"""Evidence that lies in a dump's folder or beside it."""

from __future__ import annotations

import re
from pathlib import Path
from time import perf_counter

from core.formats.evidence.archive import names_in
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.folders import may_be_evidence
from core.formats.evidence.text_kinds import SCRIPTS, read_text
from core.formats.folder_entries import files_in
from core.formats.logs.sniffing import is_binary
from core.formats.search import DUMP_FILES
from core.messages import Message
from core.progress import Progress, Work
from core.records.evidence import EvidenceKind

_MOST_FILES, _MOST_ENTRIES = 300, 5000
"""Files that are looked into, and entries of a folder that are listed, at most."""
_MOST_SECONDS = 5.0
_MOST_BYTES = 16 << 20
"""Of a file that is looked into; a log may be larger, and must be given."""
_LIKELY = (
    *sorted(SCRIPTS), ".yaml", ".yml", ".json", ".toml", ".txt", ".log", ".out", ".env", ".md5", ".info",
    ".zip", ".csv", "",
)  # fmt: skip
_CELL = re.compile(r"(?:step|rank|proc)_?\d*")
"""Folders of a dump in which nobody keeps a script."""


def evidence_beside(path: str) -> Work[tuple[str, ...]]:
    """Return the files in the folder of the dump *path*, and in the one above it, that are evidence.

    A file is known by what it holds; weights, source and data are never looked for. Only so many files are
    looked into, the likeliest first: the answer may not be complete, and nothing in it is wrong.
    """
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    while _CELL.fullmatch(folder.name):
        folder = folder.parent
    candidates = [
        file
        for where in (folder, folder.parent)
        for file in files_in(where, _MOST_ENTRIES, _may_be_evidence, _MOST_BYTES)
    ]
    candidates.sort(key=lambda file: (_LIKELY.index(file.suffix.lower()), str(file)))
    found: dict[str, None] = {}
    began = perf_counter()
    for number, file in enumerate(candidates[:_MOST_FILES]):
        if perf_counter() - began > _MOST_SECONDS:
            break
        yield Progress(
            number, min(len(candidates), _MOST_FILES), Message("progress.evidence", {"path": str(file)})
        )
        if _is_evidence(str(file)):
            found[str(file)] = None
    return tuple(found)


def _is_evidence(path: str) -> bool:
    file = EvidenceFile(path)
    try:
        if file.suffix == ".zip":
            return _is_config_check(path)
        if is_binary(file.head):
            return False
        read = read_text(file)
    except (OSError, ValueError):
        return False
    return read is not None and bool(read.kinds) and read.kinds != (EvidenceKind.SOURCE,)


def _is_config_check(path: str) -> bool:
    return {"env", "pip"} <= set(names_in(path) or ())


def _may_be_evidence(name: str) -> bool:
    path = Path(name)
    return name not in DUMP_FILES and path.suffix.lower() in _LIKELY and may_be_evidence(path)
