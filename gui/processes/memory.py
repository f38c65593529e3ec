"""Memory that is free goes back to the system: glibc keeps what large columns took, for the next ones."""

from __future__ import annotations

import contextlib
import ctypes
import sys


def give_back() -> None:
    """Return free memory of this process to the system, where the C library can; takes milliseconds."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
            ctypes.CDLL("libc.so.6").malloc_trim(0)
