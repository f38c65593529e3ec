"""What an entry of a folder is; a link that leads nowhere, or to itself, is neither folder nor file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether *entry* is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_file(entry: os.DirEntry[str]) -> bool:
    """Whether *entry* is a file, or a link to one."""
    try:
        return entry.is_file()
    except OSError:
        return False


def files_in(
    folder: Path, most: int, may_be: Callable[[str], bool], largest: int = sys.maxsize
) -> Iterator[Path]:
    """Yield the files among the first *most* entries of *folder* whose names *may_be* what is looked for.

    Empty files and those of more than *largest* bytes are left out. None come where the folder cannot be
    read, no more where an entry cannot.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, most):
                if may_be(entry.name) and is_file(entry) and 0 < entry.stat().st_size <= largest:
                    yield Path(entry.path)
    except OSError:
        return
