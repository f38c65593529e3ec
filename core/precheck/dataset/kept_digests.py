"""Checksums that an unfinished listing already has: files that are only ever appended to.

A line is ``digest size time name``: of a file with another size or time the checksum is taken anew. A process
that is killed leaves whole lines and at most a piece of one, which does not count.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from core.formats.evidence.checksums import escaped, unescaped
from core.precheck.dataset.folder_scan import ScannedFolder

_HEAD = b"ulpscope checksums 1"
_SUFFIX = ".digests"


def partial_of(output: str) -> str:
    """Return the folder that the unfinished list *output* keeps its checksums in."""
    return f"{output}.partial"


def kept_file(folder: str | Path, number: int) -> Path:
    """Return the file that process *number* of a listing appends to."""
    return Path(folder) / f"{number}{_SUFFIX}"


def begin(folder: str | Path, algorithm: str, *, resume: bool) -> None:
    """Make *folder* ready to hold checksums; without *resume* those that are there are thrown away."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    about = place / "algorithm"
    same = about.is_file() and about.read_bytes() == _head(algorithm)
    if not (resume and same):
        for old in place.glob(f"*{_SUFFIX}"):
            old.unlink()
        about.write_bytes(_head(algorithm))


def forget(folder: str | Path) -> None:
    """Remove *folder* and what a listing keeps in it, and nothing else."""
    place = Path(folder)
    for old in (*place.glob(f"*{_SUFFIX}"), place / "algorithm"):
        old.unlink(missing_ok=True)
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()


def _head(algorithm: str) -> bytes:
    return _HEAD + b" " + algorithm.encode() + b"\n"


def opened(path: Path) -> BinaryIO:
    """Open *path* for appending; a piece of a line that a killed process left is ended first."""
    stream = path.open("ab")
    if stream.tell():
        with path.open("rb") as before:
            before.seek(-1, os.SEEK_END)
            if before.read(1) != b"\n":
                stream.write(b"\n")
    return stream


def line_of(digest: str, size: int, time: int, name: bytes) -> bytes:
    """Return the line that says that the file *name*, as the system spells it, has this *digest*.

    *time* is when it was changed last, in nanoseconds.
    """
    if b"\\" in name or b"\n" in name or b"\r" in name:
        name = os.fsencode(escaped(os.fsdecode(name)))
    return b"%b %d %d %b\n" % (digest.encode(), size, time, name)


def kept_digests(folder: str | Path, scanned: ScannedFolder, length: int) -> Iterator[tuple[int, str]]:
    """Yield, of the files of *scanned* that are still as they were, position and checksum.

    Checksums have *length* hexadecimal digits.
    """
    names, sizes, times = scanned.names, scanned.sizes, scanned.times
    for path in sorted(Path(folder).glob(f"*{_SUFFIX}")):
        with path.open("rb") as stream:
            for line in stream:
                digest, size, time, spelled = _parts(line)
                name = os.fsdecode(spelled) if b"\\" not in spelled else unescaped(os.fsdecode(spelled))
                index = bisect_left(names, name)
                if (
                    len(digest) == length
                    and index < len(names)
                    and names[index] == name
                    and (size, time) == (b"%d" % sizes[index], b"%d" % times[index])
                ):
                    yield index, digest.decode("ascii", "replace")


def _parts(line: bytes) -> list[bytes]:
    """Return digest, size, time and name of *line*; empty ones of a line that was not written to its end."""
    parts = line[:-1].split(b" ", 3)
    return parts if len(parts) == 4 and line.endswith(b"\n") else [b""] * 4
