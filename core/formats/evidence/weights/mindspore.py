"""MindSpore's ``.ckpt``: a protobuf message of tensors, one after the other.

Format: ``mindspore/ccsrc/utils/checkpoint.proto``: ``Checkpoint.value`` (1, repeated) holds ``tag`` (1) and
``tensor`` (2), a ``TensorProto`` of ``dims`` (1), ``tensor_type`` (2) and ``tensor_content`` (3). A large
tensor stands in several values of the same tag, one after the other. Wire format: protobuf's encoding
document (varints, and length-delimited fields).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.dtypes import dtype_named
from core.errors import Problem
from core.formats.tensors import TensorError, TensorHandle
from core.formats.tensors.mapping import Buffer, map_file

_LENGTH_DELIMITED = 2
_MOST_DIMENSIONS = 64
_LONGEST_TAG = 4096


class _Broken(Exception):
    """The bytes are no such message."""


def is_mindspore(path: str) -> bool:
    """Return whether the file at *path* begins as a MindSpore checkpoint does."""
    try:
        content = map_file(path)
    except TensorError:
        return False
    return looks_like(content)


def looks_like(content: Buffer) -> bool:
    """Return whether *content* begins with a value that has a tag and a tensor."""
    if content[:1] != b"\x0a":
        return False
    try:
        _, start, end = next(_fields(content, 0, len(content)))
        tag, tensor = _value(content, start, min(end, len(content)))
        return bool(tag) and tensor is not None
    except (_Broken, StopIteration, UnicodeDecodeError):
        return False


def open_mindspore(path: str) -> Iterator[tuple[str, TensorHandle | Problem]]:
    """Yield each tensor of the checkpoint by its name, or why it cannot be opened.

    Raises
    ------
    TensorError
        ``weights_mindspore_broken`` if the file ends before its message does.
    """
    content = map_file(path)
    pieces: dict[str, list[tuple[tuple[int, ...], str, int, int]]] = {}
    try:
        for number, start, end in _fields(content, 0, len(content)):
            if number != 1:
                continue
            tag, tensor = _value(content, start, end)
            if tensor is not None:
                pieces.setdefault(tag, []).append(_tensor(content, *tensor))
    except (_Broken, UnicodeDecodeError):
        raise TensorError(Problem("weights_mindspore_broken", path)) from None
    for tag, parts in pieces.items():
        yield tag, _opened(content, tag, parts, path)


def _opened(
    content: Buffer, tag: str, parts: list[tuple[tuple[int, ...], str, int, int]], path: str
) -> TensorHandle | Problem:
    shape, word = parts[0][:2]
    dtype = dtype_named(word)
    if dtype is None:
        return Problem("tensor_dtype_unsupported", path, {"dtype": word[:100]})
    count, have = 1, sum(size for _, _, _, size in parts)
    for size in shape:
        count *= size
    if not shape and have != dtype.itemsize:
        count, shape = have // dtype.itemsize, (have // dtype.itemsize,)
    if count * dtype.itemsize != have:
        return Problem("tensor_truncated", path, {"need": count * dtype.itemsize, "have": have})
    if len(parts) == 1:
        array = np.frombuffer(content, dtype.storage, count, parts[0][2])
    else:
        blocks = [np.frombuffer(content, np.uint8, size, start) for _, _, start, size in parts]
        array = np.concatenate(blocks).view(dtype.storage)
    return TensorHandle(array.reshape(shape), dtype, path=path, member=tag)


def _fields(content: Buffer, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and end of each length-delimited field in bytes *at* to *end*, no others."""
    while at < end:
        key, at = _varint(content, at, end)
        number, kind = key >> 3, key & 7
        if kind == _LENGTH_DELIMITED:
            size, at = _varint(content, at, end)
            if at + size > end:
                raise _Broken
            yield number, at, at + size
            at += size
        elif kind == 0:
            _, at = _varint(content, at, end)
        else:
            at += {1: 8, 5: 4}.get(kind, end + 1)
            if at > end:
                raise _Broken


def _varint(content: Buffer, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise _Broken
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _Broken


def _value(content: Buffer, start: int, end: int) -> tuple[str, tuple[int, int] | None]:
    tag, tensor = "", None
    for number, first, last in _fields(content, start, end):
        if number == 1 and last - first <= _LONGEST_TAG:
            tag = content[first:last].decode()
        elif number == 2:
            tensor = first, last
    return tag, tensor


def _tensor(content: Buffer, start: int, end: int) -> tuple[tuple[int, ...], str, int, int]:
    """Return shape, dtype, and where the elements lie, with their number of bytes."""
    dims: list[int] = []
    word, first, size, at = "", 0, 0, start
    while at < end:
        key, at = _varint(content, at, end)
        number, kind = key >> 3, key & 7
        if kind == 0:
            held, at = _varint(content, at, end)
            if number == 1:
                dims.append(held)
            continue
        if kind != _LENGTH_DELIMITED:
            raise _Broken
        length, at = _varint(content, at, end)
        if at + length > end or len(dims) > _MOST_DIMENSIONS:
            raise _Broken
        if number == 1:
            inner = at
            while inner < at + length and len(dims) <= _MOST_DIMENSIONS:
                held, inner = _varint(content, inner, at + length)
                dims.append(held)
        elif number == 2:
            word = content[at : at + length][:100].decode()
        elif number == 3:
            first, size = at, length
        at += length
    return tuple(dims), word, first, size
