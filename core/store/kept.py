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
from functools import cache
from pathlib import Path
from typing import TypeVar

import core
from core.store.cache import default_directory
from core.store.flat_file import NotThere, check_flat, read_flat, write_flat
from core.store.integrity import read_seal

Value = TypeVar("Value")

_MOST_FILES, _MOST_BYTES = 200, 6 << 30
_PARTS = ("core", "gui", "resources/tables")
"""What results and what is made of them depend on."""


@cache
def program() -> str:
    """Return what tells this state of ulpscope from any other: its version, and the stamps of its files.

    A version is not enough: a working copy changes without one.
    """
    root = Path(core.__file__).parents[1]
    state = hashlib.blake2b(core.__version__.encode(), digest_size=8)
    for part in _PARTS:
        for path in sorted((root / part).rglob("*.*")):
            if path.suffix in (".py", ".toml"):
                status = path.stat()
                state.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return state.hexdigest()


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
    identity = f"{seal.digest} {name} {program()}"
    of = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    place = result_folder() / f"{of}.columns"
    with contextlib.suppress(NotThere):
        check_flat(place, of)
        value = read_flat(place, kind)
        is_kept(place)
        return value, str(place)
    value = make()
    try:
        write_flat(place, value, of)
    except OSError:
        return value, ""
    make_room()
    return value, str(place)
