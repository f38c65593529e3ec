"""The door: a path in, the records of a training log out. Content decides, not the extension.

A further form of line is one more module with ``NAME``, ``HINTS`` (one of them stands in every such line)
and ``parse``, named in :data:`FORMS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from core.errors import InputError, Problem
from core.formats.logs import deepspeed, dicts, megatron, mindformers, scalers
from core.formats.logs.lines import blocks_of, lines_of, rank_of
from core.formats.logs.record import LogRecord

_LARGEST_STATE = 512 << 20
"""Bytes of a ``trainer_state.json``, which has to be in memory as a whole."""
_SNIFF_HEAD, _SNIFF_TAIL = 1 << 20, 256 << 10
"""Bytes looked at to tell a log from other files: the head may be all arguments and start-up messages."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class LineForm(NamedTuple):
    """One form of line."""

    name: str
    hints: tuple[str, ...]
    parse: Callable[[str], LogRecord | None]


FORMS = tuple(
    LineForm(module.NAME, module.HINTS, module.parse)
    for module in (megatron, mindformers, deepspeed, scalers, dicts)
)


def read_line(line: str) -> LogRecord | None:
    """Return what *line* says, ``None`` if it is of no known form."""
    for form in FORMS:
        if any(hint in line for hint in form.hints) and (record := form.parse(line)) is not None:
            return record if record.rank >= 0 else replace(record, rank=rank_of(line))
    return None


def read_log(path: str) -> Iterator[LogRecord]:
    """Yield the records of the log at *path* in the order of its lines, streaming.

    Raises
    ------
    InputError
        ``log_unreadable``, ``log_state_broken``, ``log_state_too_large``.
    """
    try:
        head = b"".join(blocks_of(path, _SNIFF_HEAD))
        if dicts.looks_like_state(head):
            yield from dicts.records_of_state(_state(path))
            return
        for line in lines_of(blocks_of(path)):
            if (record := read_line(line)) is not None:
                yield record
    except OSError as error:
        raise InputError(_unreadable(path, error)) from None


def is_training_log(path: str) -> bool:
    """Whether the file at *path* is a training log, by some of its content; False for what cannot be read."""
    try:
        if not os.path.isfile(path):  # noqa: PTH113 - a path as the user gave it
            return False
        head = b"".join(blocks_of(path, _SNIFF_HEAD))
        if dicts.looks_like_state(head):
            return True
        if b"\0" in head[:4096] and head[:2] not in _UTF16:
            return False
        if any(read_line(line) is not None for line in lines_of([head])):
            return True
        if len(head) < _SNIFF_HEAD or head[:2] in _UTF16:
            return False
        return any(read_line(line) is not None for line in lines_of([_tail(path)]))
    except (OSError, ValueError):
        return False


def _tail(path: str) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123
        stream.seek(max(os.fstat(stream.fileno()).st_size - _SNIFF_TAIL, 0))
        return stream.read(_SNIFF_TAIL)


def _state(path: str) -> object:
    size = os.path.getsize(path)  # noqa: PTH202
    if size > _LARGEST_STATE:
        raise InputError(
            Problem("log_state_too_large", path, {"size": size >> 20, "most": _LARGEST_STATE >> 20})
        )
    try:
        return dicts.parse_state(b"".join(blocks_of(path)))
    except (ValueError, RecursionError) as error:
        detail = str(error) or type(error).__name__
        raise InputError(Problem("log_state_broken", path, {"detail": detail})) from None


def _unreadable(path: str, error: OSError) -> Problem:
    return Problem("log_unreadable", path, {"detail": error.strerror or type(error).__name__})
