"""What a folder of evidence is: a dump, a checkpoint, source, data, or files of evidence."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError
from core.formats.evidence.weights.layout import ENDINGS, Checkpoint, find_checkpoint
from core.formats.folder_entries import is_file, is_folder
from core.formats.logs.sniffing import is_training_log
from core.formats.natural import natural_key
from core.formats.registry import find_run
from core.records.evidence import Evidence, EvidenceKind

MOST_FILES, MOST_LEVELS = 300, 2
"""Files that are looked into, and levels of folders below the given one."""
_MOST_ENTRIES = 20_000
_DATA = frozenset(
    (
        ".bin", ".idx", ".parquet", ".arrow", ".tfrecord", ".tfrecords", ".mindrecord", ".jsonl", ".tar",
        ".npy", ".db", ".lmdb", ".jpg", ".jpeg", ".png", ".wav", ".mp3", ".mp4", ".zst", ".rec",
    )
)  # fmt: skip
"""Endings of files that training reads."""
_PROJECT = frozenset((".git", "setup.py", "pyproject.toml", "setup.cfg", "__init__.py"))
"""What the folder of a project holds: scripts and lists in it are examples, not what was run."""
_MANY_SOURCES = 8
"""Python files from which on a folder is one of source."""
_NO_EVIDENCE = frozenset(
    (
        ".pyc", ".so", ".o", ".a", ".whl", ".pdf", ".docx", ".xlsx", ".md", ".rst", ".html", ".c", ".cpp",
        ".cu", ".h", ".hpp", ".ipynb", ".lock",
    )
)  # fmt: skip
_WORDS = re.compile(
    r"(?:readme|change(?:s|log)|licen[cs]e|notice|authors|contributing|copying|install)\b", re.I
)
_CONFIGURATION = re.compile(r"conf|cfg|arg|setting|param|hparam", re.I)
_LEFT_OUT = frozenset((".git", "__pycache__", ".idea", ".vscode", "node_modules", ".ipynb_checkpoints"))


@dataclass(frozen=True)
class Folder:
    """What lies in a folder."""

    whole: Evidence | None = None
    """The folder is one piece of evidence."""
    checkpoints: tuple[tuple[str, Checkpoint], ...] = ()
    """Path and files of each."""
    files: tuple[str, ...] = ()
    """Files that may be evidence, in natural order."""
    source: bool = False
    """It holds Python files."""
    data: bool = False
    """It holds files as training reads them."""


def look_into(path: str, kind: EvidenceKind | None) -> Folder:
    """Return what lies in the folder *path*, of which *kind* is wanted; nothing in it is read for good.

    Never raises for what is wrong with the folder.
    """
    if kind is None:
        whole = _whole(path)
        if whole is not None:
            return Folder(whole=whole)
    checkpoint = find_checkpoint(path) if kind in (None, EvidenceKind.WEIGHTS) else None
    if checkpoint is not None:
        return Folder(checkpoints=((path, checkpoint),))
    files, folders = _entries(path)
    if kind is EvidenceKind.WEIGHTS:
        return Folder(
            files=tuple(file for file in files if file.lower().endswith(ENDINGS) or file.endswith(".json"))
        )
    endings = Counter(Path(file).suffix.lower() for file in files)
    data = sum(endings[ending] for ending in _DATA)
    if kind is None and data * 10 >= len(files) * 9 and data:
        return Folder(whole=Evidence(path, (EvidenceKind.DATA,)))
    names = {Path(place).name for place in (*files, *folders) if Path(place).parent == Path(path)}
    if kind is None and endings[".py"] and (names & _PROJECT or endings[".py"] >= _MANY_SOURCES):
        return Folder(whole=Evidence(path, (EvidenceKind.SOURCE,)))
    inner: list[tuple[str, Checkpoint]] = []
    for place in folders:
        # The folders of ranks in one of a step are parts of it; folders come before those in them.
        within = any(place.startswith(f"{above}{os.sep}") for above, _ in inner)
        if not within and (found := find_checkpoint(place)) is not None:
            inner.append((place, found))
    of_weights = {part for _, found in inner for part, _ in found.files}
    heads = tuple(f"{place}{os.sep}" for place, _ in inner)
    readable = [
        file
        for file in files
        if file not in of_weights and not file.startswith(heads) and may_be_evidence(Path(file))
    ]
    chosen = sorted(readable, key=natural_key)[:MOST_FILES]
    return Folder(None, tuple(inner), tuple(chosen), bool(endings[".py"]), bool(data))


def may_be_evidence(file: Path) -> bool:
    """Return whether *file*, which nobody named, is worth looking into: its name says nothing against it."""
    ending = file.suffix.lower()
    if ending in _DATA or ending in _NO_EVIDENCE or ending in ENDINGS or _WORDS.match(file.name):
        return False
    # Of source only what is called a configuration: other modules hold constants, not what a run was told.
    return ending != ".py" or _CONFIGURATION.search(file.stem) is not None


def _whole(path: str) -> Evidence | None:
    """Return the folder as a dump, or as a log of TensorBoard; ``None`` where it is neither."""
    if is_training_log(path):
        return Evidence(path, (EvidenceKind.LOG,))
    try:
        find_run(path)
    except InputError:
        return None
    return Evidence(path, (EvidenceKind.DUMP,))


def _entries(path: str) -> tuple[list[str], list[str]]:
    """Return files and folders in *path*, down to :data:`MOST_LEVELS` levels below it."""
    files: list[str] = []
    folders: list[str] = []
    level = [path]
    for _ in range(MOST_LEVELS + 1):
        below: list[str] = []
        for place in level:
            for entry in _listed(place):
                if len(files) + len(folders) >= _MOST_ENTRIES:
                    return files, folders
                if is_file(entry):
                    files.append(entry.path)
                elif is_folder(entry) and not entry.is_symlink():
                    folders.append(entry.path)
                    if entry.name not in _LEFT_OUT:
                        below.append(entry.path)
        level = below
    return files, folders


def _listed(path: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            yield from entries
    except OSError:
        return
