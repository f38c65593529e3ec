"""TensorBoard's event files: TFRecord framing, checked and read in bulk.

A record is: length (uint64), masked CRC-32C of it (uint32), data, masked CRC-32C of the data (uint32).
All is little-endian (tensorflow/core/lib/io/record_writer.h). A record whose data are damaged costs itself;
after a damaged length nothing is known of what follows.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.errors import Problem
from core.formats.logs.columns import Part
from core.formats.logs.crc32c import crc32c, crc32c_of, masked
from core.formats.logs.event_records import Bytes, EventReader
from core.formats.logs.line_log import ReadBlock
from core.records.columns import Int64
from core.records.log_table import UnreadLine

_HEADER, _FOOTER = 12, 4
_CHUNK = 4 << 20
"""Bytes looked at together."""
_LONG = 4096
"""Bytes of a record from which on it is looked at alone: no plain scalar is as long."""
_SHOWN = 40
"""Bytes shown of a record that cannot be read."""


class EventBlock(NamedTuple):
    """What some records of a file say."""

    read: ReadBlock
    records: int
    end: int
    """Where in the file they end."""


class _Frames(NamedTuple):
    """Records that lie whole in some bytes."""

    starts: Int64
    """Where the length of each stands."""
    lengths: Int64
    end: int


def looks_like_events(head: bytes) -> bool:
    """Whether *head*, the beginning of a file, is the frame of a record."""
    if len(head) < _HEADER:
        return False
    (length,) = struct.unpack_from("<Q", head)
    return 0 < length < 1 << 32 and _header_holds(head)


def read_events(path: str, first: int, problems: list[Problem]) -> Iterator[EventBlock]:
    """Yield the scalars of the event file at *path* by tag; records are numbered from *first* on.

    What is wrong with the file is added to *problems*.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as stream:  # noqa: PTH123 - a path as the user gave it
        yield from _read(stream, path, first, problems)


def _read(stream: BinaryIO, path: str, number: int, problems: list[Problem]) -> Iterator[EventBlock]:
    reader = EventReader()
    rest, offset, damaged, more = b"", 0, 0, True
    while more:
        chunk = stream.read(max(_CHUNK, min(_missing(rest), _left(stream))))
        buffer = rest + chunk
        frames = _frames(buffer)
        data = np.frombuffer(buffer, np.uint8)
        good = _lengths_hold(data, frames.starts)
        end = frames.end if good == len(frames.starts) else int(frames.starts[good])
        parts, broken = _parts(reader, data, frames.starts[:good], frames.lengths[:good])
        damaged += len(broken)
        unread = [UnreadLine(number + at, _sample(data, frames, at)) for at in broken]
        rest, offset = buffer[end:], offset + end
        lost = good < len(frames.starts) or (len(rest) >= _HEADER and not _header_holds(rest))
        more = bool(chunk) and not lost
        if lost or (rest and not more):
            unread.append(UnreadLine(number + good, rest[:_SHOWN].hex(" ")))
            problems.append(Problem("events_stopped" if lost else "events_cut", path, {"offset": offset}))
        yield EventBlock(ReadBlock(parts, unread), good, offset)
        number += good
    if damaged:
        problems.append(Problem("events_damaged", path, {"count": damaged}))


def _left(stream: BinaryIO) -> int:
    return os.fstat(stream.fileno()).st_size - stream.tell()


def _missing(rest: bytes) -> int:
    """Return how many bytes the record that begins with *rest* still lacks."""
    if len(rest) < _HEADER:
        return 0
    length: int = struct.unpack_from("<Q", rest)[0]
    return max(length + _HEADER + _FOOTER - len(rest), 0)


def _frames(buffer: bytes) -> _Frames:
    """Return the records that lie whole in *buffer*, taking their lengths as they are."""
    starts, lengths = [], []
    length_at = struct.Struct("<Q").unpack_from
    at, size = 0, len(buffer)
    while at + _HEADER + _FOOTER <= size:
        (length,) = length_at(buffer, at)
        after = at + _HEADER + length + _FOOTER
        if after > size:
            break
        starts.append(at)
        lengths.append(length)
        at = after
    return _Frames(np.array(starts, np.int64), np.array(lengths, np.int64), at)


def _header_holds(raw: bytes) -> bool:
    row = np.frombuffer(raw[:8], np.uint8)[np.newaxis]
    stored: int = struct.unpack_from("<I", raw, 8)[0]
    return int(masked(crc32c(row))[0]) == stored


def _lengths_hold(data: Bytes, starts: Int64) -> int:
    """Return up to which record the lengths are as their check sums say."""
    if not len(starts):
        return 0
    headers = sliding_window_view(data, _HEADER)[starts]
    wrong = masked(crc32c(headers[:, :8])) != _stored(headers[:, 8:])
    return int(np.argmax(wrong)) if wrong.any() else len(starts)


def _stored(sums: Bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    return np.ascontiguousarray(sums).view("<u4")[:, 0].astype(np.uint32)


def _parts(reader: EventReader, data: Bytes, starts: Int64, lengths: Int64) -> tuple[list[Part], list[int]]:
    """Return the scalars of the records, and which of them are damaged."""
    parts: list[Part] = []
    broken: list[int] = []
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length)
        groups = [places] if length < _LONG else [places[at : at + 1] for at in range(len(places))]
        for group in groups:
            rows = sliding_window_view(data, length + _FOOTER)[starts[group] + _HEADER]
            content, sums = rows[:, :length], _stored(rows[:, length:])
            found = crc32c(content) if length < _LONG else np.array([crc32c_of(content[0])], np.uint32)
            holds = masked(found) == sums
            broken += group[~holds].tolist()
            read, odd = reader.read(group[holds], np.ascontiguousarray(content[holds]))
            parts += read
            broken += odd
    return parts, sorted(broken)


def _sample(data: Bytes, frames: _Frames, at: int) -> str:
    start = int(frames.starts[at]) + _HEADER
    return data[start : start + min(int(frames.lengths[at]), _SHOWN)].tobytes().hex(" ")
