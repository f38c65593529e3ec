"""Flat files: frozen dataclasses of columns, to be mapped instead of read.

A result as HDF5 takes a second to read, and the window must not open HDF5 at all. What a worker has made
ready is therefore kept as its arrays end to end, aligned, and a small tree behind them that says which
array is which field. Nothing in such a file is ever unpickled: it is decoded by the declared types of the
dataclass that the reader asks for. A column with the same bytes everywhere, as most metrics are where
only statistics were dumped, is kept as one value.

These files are caches of one version of ulpscope: one of another version, of another length or with
another checksum is not there.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec
import numpy as np

import core
from core.records.columns import is_same_everywhere

Value = TypeVar("Value")

_HEAD = 512
_KIND = "columns"
_ALIGNMENT = 64
_PIECE = 8 << 20
_WORTH_A_LOOK = 1 << 12
"""Bytes from which a column is looked at for being the same everywhere."""


class _Head(msgspec.Struct, frozen=True):
    """The first line: what the file is, where its tree lies, and what all behind it and this adds up to."""

    ulpscope: str
    version: str
    of: str
    """What it was made of, in the words of whoever wrote it."""
    tree: int
    length: int
    crc32: int

    def sealed(self, behind: int) -> _Head:
        """Return this with the sum of all *behind* the line, carried on over what else stands in it."""
        plain = msgspec.structs.replace(self, crc32=0)
        return msgspec.structs.replace(self, crc32=zlib.crc32(msgspec.json.encode(plain), behind))


class _Array(msgspec.Struct, frozen=True):
    """Where one array lies; *same* for one value that stands for all."""

    at: int
    dtype: str
    shape: tuple[int, ...]
    same: bool = False


class NotThere(Exception):
    """There is no such file, or none that this version can use."""


class _Writer:
    """Puts arrays into a stream one after the other, and sums up what it wrote."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.sum = 0
        self.at = _HEAD

    def put(self, data: memoryview | bytes) -> int:
        """Write *data* at the next aligned place and return it."""
        self._write(memoryview(b"\0" * (-self.at % _ALIGNMENT)))
        start = self.at
        whole = memoryview(data)
        for first in range(0, len(whole), _PIECE):
            self._write(whole[first : first + _PIECE])
        return start

    def _write(self, data: memoryview) -> None:
        self._stream.write(data)
        self.sum = zlib.crc32(data, self.sum)
        self.at += len(data)

    def encode(self, value: Any) -> Any:
        """Return what stands in the tree for an array; called for what has no form of its own."""
        if isinstance(value, np.generic):
            return value.item()
        if not isinstance(value, np.ndarray) or value.dtype.hasobject:
            raise NotImplementedError(f"no flat file holds a {type(value).__name__}")
        same = value.nbytes >= _WORTH_A_LOOK and is_same_everywhere(value)
        kept = np.ascontiguousarray(value[:1] if same else value)
        place = self.put(kept.reshape(-1).view(np.uint8).data if kept.size else b"")
        return _Array(place, value.dtype.str, value.shape, same)


def write_flat(path: Path, value: Any, of: str = "") -> None:
    """Write *value*, a dataclass of arrays, dataclasses and plain values; it appears at *path* when whole.

    *of* says what it was made of.

    Raises
    ------
    OSError
        If the file cannot be written.
    NotImplementedError
        If *value* holds something else.
    ValueError
        If *of* is longer than the first line.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w+b") as stream:
            stream.write(b" " * _HEAD)
            writer = _Writer(stream)
            tree = msgspec.msgpack.encode(value, enc_hook=writer.encode)  # JSON has no NaN
            place = writer.put(tree)
            head = _Head(_KIND, core.__version__, of, place, writer.at, 0).sealed(writer.sum)
            line = msgspec.json.encode(head)
            if len(line) >= _HEAD:
                raise ValueError(f"{of!r} is too long to stand in the first line")
            stream.seek(0)
            stream.write(line.ljust(_HEAD - 1) + b"\n")
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def check_flat(path: Path, of: str = "") -> None:
    """Look whether the file at *path* is whole, and was made *of* this: its bytes add up to what it says.

    Raises
    ------
    NotThere
        If it is not.
    """
    with _mapped(path) as (head, whole):
        if head.of != of or head.sealed(zlib.crc32(whole[_HEAD:])) != head:
            raise NotThere(f"{path} is damaged, or of something else")


def read_flat(path: Path, kind: type[Value]) -> Value:
    """Return the value at *path*; its arrays are mapped, and cannot be written to.

    Raises
    ------
    NotThere
        If there is no file of this version, or it holds something else than a *kind*.
    """
    with _mapped(path) as (head, whole):

        def decode(wanted: type, said: Any) -> Any:
            if wanted is object:
                return said
            if getattr(wanted, "__origin__", wanted) is not np.ndarray:
                raise NotImplementedError(f"no flat file holds a {wanted}")
            return _array(msgspec.convert(said, _Array), whole)

        try:
            return msgspec.msgpack.decode(whole[head.tree : head.length], type=kind, dec_hook=decode)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            raise NotThere(f"{path} does not hold a {kind.__name__}: {error}") from None


@contextmanager
def _mapped(path: Path) -> Iterator[tuple[_Head, memoryview]]:
    try:
        with path.open("rb") as stream:
            whole = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        head = msgspec.json.decode(bytes(whole[:_HEAD]).rstrip(), type=_Head)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise NotThere(f"{path}: {error}") from None
    fits = head.length == len(whole) and _HEAD <= head.tree <= head.length
    if head.ulpscope != _KIND or head.version != core.__version__ or not fits:
        raise NotThere(f"{path} is of another kind, version or length")
    yield head, whole


def _array(where: _Array, whole: memoryview) -> np.ndarray:
    dtype = np.dtype(where.dtype)
    count = 1 if where.same else int(np.prod(where.shape, dtype=np.int64))
    if dtype.hasobject or count < 0 or where.at < _HEAD or where.at + count * dtype.itemsize > len(whole):
        raise ValueError("an array lies outside the file")
    flat = np.frombuffer(whole, dtype, count, where.at)
    return np.broadcast_to(flat, where.shape) if where.same else flat.reshape(where.shape)
