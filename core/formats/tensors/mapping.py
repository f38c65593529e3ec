"""The bytes of a file, mapped read-only, after a check that it is still the file the dump was read with."""

from __future__ import annotations

import mmap
import os
import stat
from datetime import datetime

from core.formats.tensors.errors import failure

Buffer = bytes | mmap.mmap

# Reading a small file costs less than mapping it: no page faults, nothing to unmap.
_READ_BELOW = 64 * 1024


def map_file(path: str, size: int = -1, mtime_ns: int = -1) -> Buffer:
    """Return the bytes of *path*, mapped unless small.

    *size* (bytes) and *mtime_ns* are what the file had when its dump was read; -1 means not known.

    Raises
    ------
    TensorError
        ``file_missing``, ``file_unreadable``, ``file_empty``, ``file_changed`` (another size) or
        ``file_rewritten`` (another time).
    """
    try:
        # O_NONBLOCK: opening a pipe that nobody writes to must not hang. O_BINARY: Windows only.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise failure("file_missing", path) from None
    except (OSError, ValueError) as error:
        raise failure("file_unreadable", path, detail=_reason(error)) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise failure(
                "file_unreadable", path, detail=os.strerror(21 if stat.S_ISDIR(status.st_mode) else 22)
            )
        if size >= 0 and status.st_size != size:
            raise failure("file_changed", path, expected=size, size=status.st_size)
        if mtime_ns >= 0 and status.st_mtime_ns != mtime_ns:
            raise failure("file_rewritten", path, time=_time(status.st_mtime))
        if status.st_size == 0:
            raise failure("file_empty", path)
        if status.st_size <= _READ_BELOW:
            return _read_all(descriptor, status.st_size)
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise failure("file_unreadable", path, detail=_reason(error)) from None
    finally:
        os.close(descriptor)


def _time(seconds: float) -> str:
    """Return a time of day here, to the second."""
    return datetime.fromtimestamp(seconds).isoformat(sep=" ", timespec="seconds")


def _read_all(descriptor: int, size: int) -> bytes:
    content = os.read(descriptor, size)
    while len(content) < size:
        more = os.read(descriptor, size - len(content))
        if not more:
            break
        content += more
    return content


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
