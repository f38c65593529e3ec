"""``.safetensors``: a length, a JSON header, and the raw bytes of each tensor.

Format: the README of the safetensors project (8 bytes little-endian header length, at most 100 MB;
``data_offsets`` count from the end of the header).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import msgspec

from core.dtypes import DTYPES
from core.errors import Problem
from core.formats.tensors.errors import TensorError, choice_failure, failure
from core.formats.tensors.handle import TensorHandle
from core.formats.tensors.layout import array_at, meaning
from core.formats.tensors.mapping import Buffer

MAX_HEADER = 100_000_000
_WORDS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "C64": "complex64", "I8": "int8", "I16": "int16", "I32": "int32",
    "I64": "int64", "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64", "BOOL": "bool",
}  # fmt: skip


class Entry(msgspec.Struct):
    """One tensor of the header."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def looks_like(content: Buffer) -> bool:
    """Return whether *content* begins with a length and a JSON object."""
    return len(content) >= 10 and content[8:9] == b"{" and int.from_bytes(content[:8], "little") <= MAX_HEADER


def open_safetensors(content: Buffer, path: str, word: str | None, member: str | None) -> TensorHandle:
    """Return the tensor *member* (``None``: the only one).

    Raises
    ------
    TensorError
        ``safetensors_header``, ``tensor_no_member``, ``tensor_choice``, ``tensor_dtype_unsupported``,
        ``tensor_truncated``.
    """
    entries, start = _header(content, path)
    if member is None:
        if len(entries) != 1:
            raise choice_failure(path, len(entries))
        member = next(iter(entries))
    if member not in entries:
        raise failure("tensor_no_member", path, member=member)
    return _handle(content, start, entries[member], path, word, member)


def open_all(content: Buffer, path: str) -> Iterator[tuple[str, TensorHandle | Problem]]:
    """Yield each tensor of the file by its name, or why it cannot be opened; the header is read once.

    Raises
    ------
    TensorError
        ``safetensors_header``.
    """
    entries, start = _header(content, path)
    for name, entry in entries.items():
        try:
            yield name, _handle(content, start, entry, path, None, name)
        except TensorError as error:
            yield name, error.problem


def _handle(
    content: Buffer, start: int, entry: Entry, path: str, word: str | None, member: str
) -> TensorHandle:
    stored = DTYPES.get(_WORDS.get(entry.dtype, ""))
    if stored is None:
        raise failure("tensor_dtype_unsupported", path, dtype=entry.dtype[:100])
    first, end = entry.data_offsets
    if first < 0 or end < first or any(size < 0 for size in entry.shape) or len(entry.shape) > 64:
        raise failure("safetensors_header", path)
    if end - first > prod(entry.shape) * stored.itemsize:
        raise failure("safetensors_header", path)  # as the format has it, offsets say what the shape says
    available = min(end, len(content) - start) - first
    array = array_at(content, start + first, available, entry.shape, stored.storage, path)
    return TensorHandle(array, stored, dtype=meaning(stored, word), path=path, member=member)


def names_in(content: Buffer, path: str) -> list[str]:
    """Return the names of the file's tensors, in the header's order."""
    return list(_header(content, path)[0])


def _header(content: Buffer, path: str) -> tuple[dict[str, Entry], int]:
    length = int.from_bytes(content[:8], "little")
    if length > MAX_HEADER or 8 + length > len(content):
        raise failure("safetensors_header", path)
    try:
        fields: dict[str, Any] = msgspec.json.decode(content[8 : 8 + length], type=dict[str, msgspec.Raw])
        fields.pop("__metadata__", None)
        return {name: _entry(raw) for name, raw in fields.items()}, 8 + length
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise failure("safetensors_header", path) from None


def _entry(raw: msgspec.Raw) -> Entry:
    return msgspec.json.decode(raw, type=Entry)
