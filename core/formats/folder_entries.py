"""What an entry of a folder is; a link that leads nowhere, or to itself, is neither folder nor file."""

from __future__ import annotations

import os


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
