"""A list of checksums as a file, in the form that ``md5sum -c`` and ``sha256sum -c`` read."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from core.formats.evidence.checksums import escaped
from core.messages import Message
from core.progress import Progress, Work
from core.records.evidence import FileList
from core.store.places import finished_file

_AT_ONCE = 20_000


def write_list(path: str | Path, files: FileList) -> Work[int]:
    r"""Write *files* to *path*; returns how many files it lists.

    With checksums a line is ``digest  name``, a backslash in front where the name is escaped, and a file
    without one, which could not be read, is left out. Without an algorithm a line is ``size name``, under a
    first line ``total size`` as of ``ls``: it says that the order is that of the names and not of reading.
    The file appears when it is whole.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    written = 0
    with finished_file(Path(path)) as place, place.open("wb") as stream:
        if not files.algorithm:
            stream.write(f"total {files.sizes.sum()}\n".encode())
        rows = zip(files.names, files.digests, files.sizes.tolist())
        while block := list(islice(rows, _AT_ONCE)):
            if files.algorithm:
                lines = [_checksum_line(name, digest) for name, digest, _ in block if digest]
            else:
                lines = [f"{size} {escaped(name)}\n" for name, _, size in block]
            stream.write(os.fsencode("".join(lines)))
            written += len(lines)
            yield Progress(written, len(files.names), Message("progress.dataset_write"))
    return written


def _checksum_line(name: str, digest: str) -> str:
    spelled = escaped(name)
    mark = "" if spelled == name else "\\"
    return f"{mark}{digest}  {spelled}\n"
