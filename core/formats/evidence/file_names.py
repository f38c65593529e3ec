"""Names of files as lists spell them, gathered into one list."""

from __future__ import annotations

import re
from array import array
from collections import Counter

import numpy as np

from core.errors import Problem
from core.formats.evidence.secrets import mask_value
from core.records.evidence import FileList, Place

ALGORITHMS = {32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}
"""By the number of hexadecimal digits; a checksum of the same length by another name is told by its tag."""
MOST_FILES = 5_000_000
"""Files of a list that are kept."""
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|\.{1,2}\\")


def spelled(name: str) -> str:
    r"""Return *name* with ``/`` between folders: ``C:\data\a`` as ``C:/data/a``.

    A backslash separates where no ``/`` does, or a drive or share begins the name. Of an address, user and
    password are masked.
    """
    if "://" in name:
        return mask_value("", name)
    if "\\" in name and ("/" not in name or _WINDOWS.match(name)):
        return name.replace("\\", "/")
    return name


class FileRows:
    """Rows of a list, one a file, in the order in which they are added."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._sizes = array("q")
        self._digests: list[str] = []
        self._algorithms: list[str] = []

    def __len__(self) -> int:
        return len(self._names)

    def add(self, name: str, size: int = -1, digest: str = "", algorithm: str = "") -> None:
        """Add a file; *size* in bytes, -1 if not told."""
        if self.full:
            return
        self._names.append(name)
        self._sizes.append(size if 0 <= size < 1 << 62 else -1)
        self._digests.append(digest.lower())
        self._algorithms.append((algorithm or ALGORITHMS.get(len(digest), "")) if digest else "")

    @property
    def full(self) -> bool:
        """Whether no more rows are kept."""
        return len(self._names) >= MOST_FILES

    @property
    def mixed(self) -> int:
        """Checksums that are of another algorithm than most."""
        counts = Counter(filter(None, self._algorithms))
        return sum(counts.values()) - max(counts.values(), default=0)

    def problems(self, path: str) -> tuple[Problem, ...]:
        """Return what is wrong with the list, which stands in the file *path*: it may be cut off."""
        return (Problem("files_too_many", path, {"limit": MOST_FILES}),) if self.full else ()

    def table(self, *, ordered: bool, place: Place) -> FileList:
        """Return the list; a checksum of another algorithm than most is left out of it."""
        counts = Counter(filter(None, self._algorithms))
        algorithm = counts.most_common(1)[0][0] if counts else ""
        digests = self._digests
        if len(counts) > 1:
            digests = [digest if of == algorithm else "" for digest, of in zip(digests, self._algorithms)]
        sizes = np.frombuffer(self._sizes, np.int64).copy() if self._names else np.empty(0, np.int64)
        return FileList(tuple(self._names), sizes, tuple(digests), algorithm, ordered, place)
