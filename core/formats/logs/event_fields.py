"""TensorBoard's events on the wire: protocol buffers, of which only the scalars are read.

Field numbers are those of tensorflow/core/util/event.proto (``Event``: 1 wall_time, 2 step, 5 summary),
tensorflow/core/framework/summary.proto (``Summary``: 1 value; ``Value``: 1 tag, 2 simple_value, 8 tensor) and
tensor.proto (``TensorProto``: 1 dtype, 4 tensor_content, 5 float_val, 6 double_val). How they are encoded is
described at https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_VARINT, _EIGHT, _LENGTH, _FOUR = 0, 1, 2, 5
_FLOAT, _DOUBLE = 1, 2
"""``DataType`` of types.proto."""


class Scalar(NamedTuple):
    """One number of an event, and where it lies."""

    tag: str
    value: float
    start: int
    size: int
    """Bytes: 4 or 8, little-endian IEEE 754."""


class Event(NamedTuple):
    """What a record says."""

    step: int
    step_place: tuple[int, int]
    """Where its digits lie; empty where step 0 is left out."""
    time_place: tuple[int, int]
    scalars: list[Scalar]


class BadEvent(ValueError):
    """The bytes are no event."""


def read_event(data: bytes) -> Event:
    """Return the scalars of the event *data*.

    Raises
    ------
    BadEvent
        If it is no protocol buffer of that kind.
    """
    step, step_place, time_place = 0, (0, 0), (0, 0)
    scalars: list[Scalar] = []
    try:
        for number, wire, start, end, value in _fields(data, 0, len(data)):
            if (number, wire) == (1, _EIGHT):
                time_place = start, end
            elif (number, wire) == (2, _VARINT):
                step, step_place = value - (1 << 64) if value >> 63 else value, (start, end)
            elif (number, wire) == (5, _LENGTH):
                for inner, kind, first, last, _ in _fields(data, start, end):
                    if (inner, kind) == (1, _LENGTH):
                        scalars += _scalars(data, first, last)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise BadEvent from error
    return Event(step, step_place, time_place, scalars)


def _scalars(data: bytes, start: int, end: int) -> Iterator[Scalar]:
    """Yield the number of the ``Summary.Value`` between *start* and *end*, if it holds one."""
    tag, place = "", None
    for number, wire, first, last, _ in _fields(data, start, end):
        if (number, wire) == (1, _LENGTH):
            tag = data[first:last].decode("utf-8")
        elif (number, wire) == (2, _FOUR):
            place = first, 4
        elif (number, wire) == (8, _LENGTH):
            place = _tensor(data, first, last)
    if place is not None:
        at, size = place
        yield Scalar(tag, struct.unpack_from("<f" if size == 4 else "<d", data, at)[0], at, size)


def _tensor(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return where the only element of a float tensor lies, and its size."""
    kind, places = 0, []
    for number, wire, first, last, value in _fields(data, start, end):
        if (number, wire) == (1, _VARINT):
            kind = value
        elif (number in (4, 5, 6) and wire == _LENGTH) or (number, wire) in ((5, _FOUR), (6, _EIGHT)):
            places.append((number, first, last - first))
    size = {_FLOAT: 4, _DOUBLE: 8}.get(kind)
    wanted = {4: (4, 5), 8: (4, 6)}.get(size or 0, ())
    found = [(at, length) for number, at, length in places if number in wanted]
    return (found[0][0], size) if size and len(found) == 1 and found[0][1] == size else None


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield number, wire type, where the content lies, and the value of a varint."""
    while at < end:
        key, at = _varint(data, at, end)
        number, wire = key >> 3, key & 7
        start, value = at, 0
        if wire == _VARINT:
            value, at = _varint(data, at, end)
        elif wire == _LENGTH:
            size, start = _varint(data, at, end)
            at = start + size
        elif wire in (_EIGHT, _FOUR):
            at += 8 if wire == _EIGHT else 4
        else:
            raise BadEvent
        if at > end or not number:
            raise BadEvent
        yield number, wire, start, at, value


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value & (1 << 64) - 1, at
    raise BadEvent
