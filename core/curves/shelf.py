"""Large values handed from a worker to the window by file: the arrays are mapped, not copied.

Ten logs of a million steps are half a gigabyte of columns. A worker puts them on the shelf, a folder of the
window's own, and sends a small token through its pipe; the window, or another worker, maps the file.
What is unpickled comes through the pipe alone: the file holds plain bytes of arrays.
"""

from __future__ import annotations

import contextlib
import mmap
import pickle
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Shelved:
    """A token for a value on the shelf."""

    head: bytes
    """The pickled value without the bytes of its arrays."""
    path: str
    """File with these bytes; empty where there are none."""
    spans: tuple[tuple[int, int], ...]
    """Where each array begins and ends in it."""


def shelve(value: Any, folder: str) -> Shelved:
    """Put *value* into *folder* and return its token.

    Raises
    ------
    OSError
        If the file cannot be written; it is gone then.
    """
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, 5, buffer_callback=arrays.append)
    raws = [array.raw() for array in arrays]
    if not any(raw.nbytes for raw in raws):
        return Shelved(head, "", tuple((0, 0) for _ in raws))
    spans: list[tuple[int, int]] = []
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".columns", delete=False) as stream:
        try:
            for raw in raws:
                stream.write(b"\0" * (-stream.tell() % _ALIGNMENT))
                start = stream.tell()
                stream.write(raw)
                spans.append((start, start + raw.nbytes))
        except BaseException:
            stream.close()
            Path(stream.name).unlink()
            raise
    return Shelved(head, stream.name, tuple(spans))


def unshelve(shelved: Shelved) -> Any:
    """Return the value of a token; its arrays are mapped and cannot be written to.

    Raises
    ------
    OSError, ValueError
        If the file is gone or cut.
    """
    if not shelved.path:
        return pickle.loads(shelved.head, buffers=[b""] * len(shelved.spans))
    with Path(shelved.path).open("rb") as stream:
        whole = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    if len(whole) < max(end for _, end in shelved.spans):
        raise ValueError(f"{shelved.path} is cut")
    return pickle.loads(shelved.head, buffers=[whole[start:end] for start, end in shelved.spans])


def discard(shelved: Shelved) -> None:
    """Take a value off the shelf; where it is mapped its arrays stay readable until they are let go."""
    if shelved.path:
        with contextlib.suppress(OSError):  # still mapped, on Windows: the folder goes at the end anyway
            Path(shelved.path).unlink()
