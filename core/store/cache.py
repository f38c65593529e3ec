"""Dumps already parsed, kept so that the second opening is immediate.

One sealed HDF5 file a cell, in the platform's cache directory (never inside a dump, which may be
read-only). An entry is valid while path, size and time of every source file are what they were; anything
wrong with an entry makes it not there. The directory is bounded: what was used longest ago goes first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs

import core
from core.errors import InputError
from core.records.dump import Dump
from core.records.run import CellSource
from core.store.integrity import sealed_reader, sealed_writer
from core.store.schema import CELLS, SCHEMA_VERSION, TARGET, FileKind
from core.store.tables import read_dump, read_json, write_dump, write_json

DIRECTORY_VARIABLE = "ULPSCOPE_CACHE_DIR"
DEFAULT_LIMIT = 4 << 30
"""Bytes that the cache may occupy."""
_STALE_SECONDS = 24 * 3600


def default_directory() -> Path:
    """Return where caches live: ``ULPSCOPE_CACHE_DIR``, else the platform's place."""
    wish = os.environ.get(DIRECTORY_VARIABLE)
    return Path(wish) if wish else Path(platformdirs.user_cache_dir("ulpscope", appauthor=False))


@dataclass(frozen=True)
class Cache:
    """A directory of parsed dumps, at most *limit* bytes."""

    directory: Path
    limit: int = DEFAULT_LIMIT

    @classmethod
    def default(cls) -> Cache:
        """Return the user's cache."""
        return cls(default_directory() / "dumps")

    def load(self, source: CellSource) -> Dump | None:
        """Return the dump of *source* if it is here, whole, and its files have not changed."""
        path = self._path(source)
        try:
            with sealed_reader(path, (FileKind.CACHE,)) as file:
                if read_json(file, "sources") != fingerprint(source):
                    return None
                dump = read_dump(file[CELLS], TARGET)
            if not tensors_unchanged(dump):
                return None
            os.utime(path)  # used just now: the last to be removed
        except (InputError, OSError):
            return None
        return dump

    def save(self, source: CellSource, dump: Dump) -> None:
        """Keep *dump*; a cache that cannot be written costs time next time and nothing else."""
        with contextlib.suppress(OSError):
            with sealed_writer(self._path(source), FileKind.CACHE) as file:
                write_dump(file.require_group(CELLS), TARGET, dump)
                write_json(file, "sources", fingerprint(source))
            self.prune()

    def prune(self) -> None:
        """Remove what killed writers left behind, and the oldest entries beyond the limit."""
        now = time.time()
        entries = []
        for path in self.directory.iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                if path.suffix == ".tmp":
                    if now - status.st_mtime > _STALE_SECONDS:
                        path.unlink()
                else:
                    entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size

    def _path(self, source: CellSource) -> Path:
        identity = f"{SCHEMA_VERSION}\n{core.__version__}\n{source.format}\n" + "\n".join(
            f"{role}={source.files[role]}" for role in sorted(source.files)
        )
        name = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self.directory / f"{name}.h5"


def tensors_unchanged(dump: Dump) -> bool:
    """Return whether each tensor file that was there has the size and time that it had."""
    slots = dump.slots
    there = np.flatnonzero(slots.file_size >= 0)
    columns = (slots.file[there], slots.file_size[there], slots.file_mtime_ns[there])
    for name, size, time_ns in zip(*(column.tolist() for column in columns)):
        try:
            status = Path(dump.data_dir, dump.strings[name]).stat()
        except (OSError, ValueError):
            return False
        if (status.st_size, status.st_mtime_ns) != (size, time_ns):
            return False
    return True


def fingerprint(source: CellSource) -> dict[str, list[int]]:
    """Return size and modification time (ns) of each file of *source*; for a folder its time alone."""
    found = {}
    for role, name in source.files.items():
        try:
            status = Path(name).stat()
        except OSError:
            found[role] = [-1, -1]
        else:
            found[role] = [-1 if Path(name).is_dir() else status.st_size, status.st_mtime_ns]
    return found
