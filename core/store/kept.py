"""The folder of results that the window keeps, and of what is made ready of any result.

What is made of a result is kept in flat files under the digest of the result, wherever that lies, so that it
is found again for the same bytes and for no others. The folder is bounded: what was used longest ago
goes first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from core.store.cache import default_directory
from core.store.flat_file import NotThere, check_flat, read_flat, write_flat
from core.store.integrity import read_seal

Value = TypeVar("Value")

_MOST_FILES, _MOST_BYTES = 200, 6 << 30


def result_folder() -> Path:
    """Return the folder."""
    return default_directory() / "results"


def is_kept(path: Path) -> bool:
    """Return whether *path* is there; it is then the last to be removed."""
    try:
        os.utime(path)
    except OSError:
        return False
    return True


def make_room() -> None:
    """Remove what was used longest ago beyond what may stay."""
    found = []
    with contextlib.suppress(OSError):
        for path in result_folder().iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
    size = 0
    for count, (_, length, path) in enumerate(sorted(found, reverse=True)):
        size += length
        if count >= _MOST_FILES or size > _MOST_BYTES:
            with contextlib.suppress(OSError):
                path.unlink()


def made_of_result(result: str, name: str, kind: type[Value], make: Callable[[], Value]) -> tuple[Value, str]:
    """Return what *make* makes of the result at *result*, from the last time if that is kept.

    Parameters
    ----------
    name
        Tells apart what is made of one result.
    kind
        A dataclass that a flat file can hold.

    Returns
    -------
    tuple
        The value, and the path of the flat file that holds it; empty where it could not be written.

    Raises
    ------
    InputError
        If the result cannot be read.
    """
    seal = read_seal(Path(result))
    if seal is None:
        return make(), ""
    identity = f"{seal.digest} {name}"
    place = result_folder() / f"{hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()}.columns"
    with contextlib.suppress(NotThere):
        check_flat(place, identity)
        value = read_flat(place, kind)
        is_kept(place)
        return value, str(place)
    value = make()
    try:
        write_flat(place, value, identity)
    except OSError:
        return value, ""
    make_room()
    return value, str(place)
