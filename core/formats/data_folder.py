"""The folder of tensor files beside a dump: which are there, how large, how old."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple

from core.formats.natural import natural_key

TENSOR_SUFFIXES = (".pt", ".npy", ".npz", ".safetensors")


class FileFacts(NamedTuple):
    """One tensor file: its name inside the folder as the file system spells it, bytes, and time."""

    name: str
    size: int
    mtime_ns: int


@dataclass
class DataFolder:
    """One listing of the folder *path*; an absent folder has no files."""

    path: str
    files: dict[str, FileFacts] = field(init=False)
    _folded: dict[str, FileFacts] = field(init=False, default_factory=dict)
    _listed: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.files = {}
        self._list("")

    @property
    def exists(self) -> bool:
        """Whether the folder is there and could be listed."""
        return "" in self._listed

    def find(self, name: str) -> FileFacts | None:
        """Return the facts of file *name*, by exact spelling, else in any case (copies through Windows)."""
        inner = name.rpartition("/")[0]
        if inner and inner not in self._listed:
            self._list(inner)
        found = self.files.get(name)
        if found is None:
            if len(self._folded) != len(self.files):
                self._folded = {key.casefold(): facts for key, facts in self.files.items()}
            found = self._folded.get(name.casefold())
        return found

    def in_written_order(self) -> list[str]:
        """Return the names of the files in the order in which they were written."""
        return sorted(self.files, key=lambda name: (self.files[name].mtime_ns, natural_key(name)))

    def _list(self, inner: str) -> None:
        prefix = f"{inner}/" if inner else ""
        try:
            with os.scandir(os.path.join(self.path, inner)) as entries:  # noqa: PTH118 - hot and plain
                for entry in entries:
                    if entry.name.endswith(TENSOR_SUFFIXES):
                        facts = entry.stat()
                        name = prefix + entry.name
                        self.files[name] = FileFacts(name, facts.st_size, facts.st_mtime_ns)
        except OSError:
            return
        self._listed.add(inner)


def safe_name(name: str) -> str | None:
    """Return *name* as a path inside the folder with ``/`` between parts; ``None`` if it would leave it."""
    windows = PureWindowsPath(name)
    plain = PurePosixPath(name.replace("\\", "/"))
    if windows.drive or windows.root or plain.is_absolute() or ".." in plain.parts or "\0" in name:
        return None
    return str(plain) if plain.parts else None
