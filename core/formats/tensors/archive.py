"""Members of a zip file as byte ranges: just enough of the format for torch's and numpy's archives.

Both write members *stored*, so a member is a range of the mapped file. Layout: .ZIP File Format
Specification (PKWARE APPNOTE 6.3), sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14-16
(zip64 and end records).
"""

from __future__ import annotations

import zlib
from struct import Struct, error
from typing import NamedTuple

from core.formats.tensors.errors import failure
from core.formats.tensors.mapping import Buffer

_END = b"PK\x05\x06"
_END64_LOCATOR = b"PK\x06\x07"
_END64 = b"PK\x06\x06"
_CENTRAL = b"PK\x01\x02"
_LOCAL = b"PK\x03\x04"

_end = Struct("<8xHH LL").unpack_from  # entries on this disk and in all, directory size, offset
_end64 = Struct("<24xQQQQ").unpack_from
_central = Struct(
    "<8xHH4xLLLHHH8xL"
).unpack_from  # flags, method, CRC-32, sizes, lengths of name/extra/comment, offset
_lengths = Struct("<26xHH").unpack_from
_HALF = 0xFFFF
_WORD = 0xFFFFFFFF
_ENCRYPTED = 1
STORED, DEFLATED = 0, 8


class Member(NamedTuple):
    """Where a member lies; ``header`` is the offset of its local header."""

    header: int
    packed: int
    """Bytes in the archive."""
    size: int
    """Bytes after inflating."""
    method: int
    encrypted: bool
    checksum: int = 0
    """CRC-32 of the inflated bytes; torch writes 0 when it was told not to take any."""


def read_directory(content: Buffer, path: str) -> dict[str, Member]:
    """Return the members of the archive *content* by name.

    Raises
    ------
    TensorError
        ``zip_no_directory`` (cut off), ``zip_broken``.
    """
    end = content.rfind(_END, max(0, len(content) - 65557))
    if end < 0 or end + 22 > len(content):
        raise failure("zip_no_directory", path)
    try:
        _, entries, size, position = _end(content, end)
        if entries == _HALF or size == _WORD or position == _WORD:
            entries, position = _end64_of(content, end, path, entries, position)
        members = {}
        for _ in range(entries):
            if content[position : position + 4] != _CENTRAL:
                raise failure("zip_broken", path, member="")
            flags, method, checksum, packed, size, name_size, extra_size, comment_size, header = _central(
                content, position
            )
            start = position + 46
            name = content[start : start + name_size].decode("utf-8", "replace")
            if packed == _WORD or size == _WORD or header == _WORD:
                extra = content[start + name_size : start + name_size + extra_size]
                size, packed, header = _zip64_extra(extra, size, packed, header)
            members[name] = Member(header, packed, size, method, bool(flags & _ENCRYPTED), checksum)
            position = start + name_size + extra_size + comment_size
    except (error, OverflowError):
        raise failure("zip_broken", path, member="") from None
    return members


def _end64_of(content: Buffer, end: int, path: str, entries: int, position: int) -> tuple[int, int]:
    """Return number of members and offset of the directory from the zip64 end record, if there is one."""
    if end < 20 or content[end - 20 : end - 16] != _END64_LOCATOR:
        return entries, position
    record = int.from_bytes(content[end - 12 : end - 4], "little")
    if content[record : record + 4] != _END64:
        raise failure("zip_broken", path, member="")
    _, entries, _, position = _end64(content, record)
    return entries, position


def _zip64_extra(extra: bytes, size: int, packed: int, header: int) -> tuple[int, int, int]:
    """Return the 64-bit numbers that stand in the zip64 field for those that are all ones."""
    position = 0
    while position + 4 <= len(extra):
        tag = int.from_bytes(extra[position : position + 2], "little")
        length = int.from_bytes(extra[position + 2 : position + 4], "little")
        if tag == 1:
            field = extra[position + 4 : position + 4 + length]
            numbers = [int.from_bytes(field[at : at + 8], "little") for at in range(0, len(field) - 7, 8)]
            wide = iter(numbers)
            return tuple(next(wide, item) if item == _WORD else item for item in (size, packed, header))  # type: ignore[return-value]
        position += 4 + length
    return size, packed, header


def locate(content: Buffer, member: Member, name: str, path: str) -> int:
    """Return the offset of a *stored* member's first byte, checked to lie inside the file.

    Raises
    ------
    TensorError
        ``zip_compressed`` or ``zip_broken``.
    """
    if member.method != STORED or member.encrypted:
        raise failure("zip_compressed", path, member=name)
    return _data_offset(content, member, name, path)


def _data_offset(content: Buffer, member: Member, name: str, path: str) -> int:
    at = member.header
    if content[at : at + 4] != _LOCAL or at + 30 > len(content):
        raise failure("zip_broken", path, member=name)
    name_size, extra_size = _lengths(content, at)
    offset: int = at + 30 + name_size + extra_size
    if offset + member.packed > len(content) or (member.method == STORED and member.packed != member.size):
        raise failure("zip_broken", path, member=name)
    return offset


def inflate(content: Buffer, member: Member, name: str, path: str, limit: int) -> bytes:
    """Return the bytes of a stored or deflated member, never more than *limit*.

    Raises
    ------
    TensorError
        ``zip_compressed`` (another method, or encrypted), ``zip_too_large``, ``zip_broken``.
    """
    if member.method not in (STORED, DEFLATED) or member.encrypted:
        raise failure("zip_compressed", path, member=name)
    if member.size > limit:
        raise failure("zip_too_large", path, member=name, size=member.size, limit=limit)
    offset = _data_offset(content, member, name, path)
    packed = content[offset : offset + member.packed]
    if member.method == STORED:
        return packed
    machine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        # One byte more than promised: a member that inflates to more than its header says is refused.
        data = machine.decompress(packed, member.size + 1)
    except zlib.error:
        raise failure("zip_broken", path, member=name) from None
    if len(data) != member.size:
        raise failure("zip_broken", path, member=name)
    return data
