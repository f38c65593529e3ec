"""Whether a file is a training log, by some of its content."""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.formats.logs import dicts, printed
from core.formats.logs.delimited import TableHead, head_of, text_of
from core.formats.logs.document import looks_like_document
from core.formats.logs.event_folders import own_event_files
from core.formats.logs.events import looks_like_events
from core.formats.logs.forms import read_line
from core.formats.logs.headings import Headings
from core.formats.logs.lines import blocks_of, lines_of, wide_of
from core.formats.logs.packed import Unpacked, open_log

SNIFFED = 1 << 20
"""Bytes at the beginning that tell a log from other files; they may be all start-up messages."""
_TAIL = 256 << 10
_ARCHIVE = b"ustar"
"""Stands at byte 257 of an archive of tar, whose head is text with NULs."""
_NO_TEXT = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f]")
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
            head = table_head(b"".join(blocks_of(path, SNIFFED)), path)
            return head is not None and head.is_log
        return _is_log(b"".join(blocks_of(path, SNIFFED)), path)
    except (OSError, ValueError):
        return False


def table_head(head: bytes, path: str) -> TableHead | None:
    """Return the head of the table that begins with the bytes *head*; ``None`` where it is none."""
    return None if is_binary(head) else head_of(text_of(head)[0], path)


def is_binary(head: bytes) -> bool:
    """Whether *head*, the beginning of a file, is no text. NULs alone do not tell: a crash leaves some."""
    if b"\0" not in head or wide_of(head) is not None:
        return False
    if head[257:262] == _ARCHIVE or _NO_TEXT.search(head):
        return True
    text = head.replace(b"\0", b"")
    try:
        text[: text.rfind(b"\n") + 1 or None].decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def is_document(head: bytes) -> bool:
    """Whether *head*, the first :data:`SNIFFED` bytes of a file, begins a JSON document with a training."""
    return looks_like_document(head, len(head) < SNIFFED)


def _is_log(head: bytes, path: str) -> bool:
    if looks_like_events(head) or dicts.looks_like_state(head):
        return True
    if is_binary(head):
        return False
    if is_document(head):
        return True
    table = table_head(head, path)
    if (table is not None and table.is_log) or _has_records(head):
        return True
    if len(head) < SNIFFED or wide_of(head) is not None:
        return False
    return _has_records(_tail(path))


def _has_records(content: bytes) -> bool:
    bare = 0
    headings = Headings()
    for line in lines_of([content]):
        record = read_line(headings.line(line))
        if record is not None:
            bare += 1
            if record.form != printed.BARE or bare >= _BARE_ENOUGH:
                return True
    return False


def _tail(path: str) -> bytes:
    with open_log(path) as stream:
        if isinstance(stream, Unpacked):
            return b""  # its end is known only when all is unpacked
        stream.seek(max(os.fstat(stream.fileno()).st_size - _TAIL, 0))
        return stream.read(_TAIL)


def _holds_dump(folder: str) -> bool:
    return any(_DUMPED.fullmatch(entry.name) for entry in Path(folder).iterdir())
