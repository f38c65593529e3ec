"""Whether a file is a training log, by some of its content."""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.formats.logs import dicts, printed
from core.formats.logs.delimited import TableHead, head_of, text_of
from core.formats.logs.event_folders import own_event_files
from core.formats.logs.events import looks_like_events
from core.formats.logs.forms import read_line
from core.formats.logs.lines import blocks_of, lines_of

SNIFFED = 1 << 20
"""Bytes at the beginning that tell a log from other files; they may be all start-up messages."""
_TAIL, _HEAD_OF_TABLE = 256 << 10, 64 << 10
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BARE_ENOUGH = 3
"""Lines that say a loss and nothing else from which on a file of them is a log."""
_TABLES = (".csv", ".tsv")
_DUMPED = re.compile(r"(?:step|rank|proc)\d*|dump\.json|debug\.json")
"""What lies in the folder of a dump."""


def is_training_log(path: str) -> bool:
    """Whether the file, or the folder of TensorBoard events, at *path* is a training log.

    A folder is one if events lie in it and no dump. False for what cannot be read.
    """
    try:
        if os.path.isdir(path):  # noqa: PTH112 - a path as the user gave it
            return bool(own_event_files(path)) and not _holds_dump(path)
        if not os.path.isfile(path):  # noqa: PTH113
            return False
        if path.lower().endswith(_TABLES):
            head = table_head(b"".join(blocks_of(path, _HEAD_OF_TABLE)), path)
            return head is not None and head.is_log
        return _is_log(b"".join(blocks_of(path, SNIFFED)), path)
    except (OSError, ValueError):
        return False


def table_head(head: bytes, path: str) -> TableHead | None:
    """Return the head of the table that begins with the bytes *head*; ``None`` where it is none."""
    return None if is_binary(head) else head_of(text_of(head[:_HEAD_OF_TABLE])[0], path)


def is_binary(head: bytes) -> bool:
    """Whether *head*, the beginning of a file, is no text."""
    return b"\0" in head[:4096] and head[:2] not in _UTF16


def _is_log(head: bytes, path: str) -> bool:
    if looks_like_events(head) or dicts.looks_like_state(head):
        return True
    if is_binary(head):
        return False
    table = table_head(head, path)
    if (table is not None and table.is_log) or _has_records(head):
        return True
    if len(head) < SNIFFED or head[:2] in _UTF16:
        return False
    return _has_records(_tail(path))


def _has_records(content: bytes) -> bool:
    bare = 0
    for line in lines_of([content]):
        record = read_line(line)
        if record is not None:
            bare += 1
            if record.form != printed.BARE or bare >= _BARE_ENOUGH:
                return True
    return False


def _tail(path: str) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123
        stream.seek(max(os.fstat(stream.fileno()).st_size - _TAIL, 0))
        return stream.read(_TAIL)


def _holds_dump(folder: str) -> bool:
    return any(_DUMPED.fullmatch(entry.name) for entry in Path(folder).iterdir())
