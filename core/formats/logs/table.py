"""The door: a path in, a training log as columns out. Content decides, not the extension."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import overload

from core.errors import InputError, Problem
from core.formats.logs import dicts
from core.formats.logs.columns import Columns, part_of
from core.formats.logs.delimited import DELIMITERS, TableHead, text_of
from core.formats.logs.delimited_rows import FORM, RowReader, clean_table
from core.formats.logs.event_folders import event_files
from core.formats.logs.event_table import read_event_files
from core.formats.logs.events import looks_like_events
from core.formats.logs.file_table import FileTable, digest_of
from core.formats.logs.line_log import LineReader
from core.formats.logs.lines import blocks_of
from core.formats.logs.packed import Unpacked, open_log
from core.formats.logs.patterns import LinePattern, compiled, matches, parse_by
from core.formats.logs.record import LogRecord
from core.formats.logs.sniffing import SNIFFED, is_binary, is_document, table_head
from core.formats.logs.state import read_document, read_state
from core.formats.logs.text_table import Unread, progress, read_text, table_of
from core.progress import Work
from core.records.log_table import LogTable

_LARGE_TABLE = 4 << 20
"""Bytes of a table from which on it is worth to load what reads it at once."""
_TAIL = 1 << 16


def read_table(
    path: str, pattern: LinePattern | None = None, before: LogTable | None = None
) -> Work[LogTable]:
    """Read the training log at *path*: a file, or a folder of TensorBoard events.

    Parameters
    ----------
    path
        Lines of known forms, a ``trainer_state.json``, a table of text, an event file or a folder of some.
    pattern
        Reads each line in place of the known forms.
    before
        What this log held when it was last read. Of a file of lines only what was added since is read; if it
        is not the same file any more, and for other logs, all of it is.

    Raises
    ------
    InputError
        ``log_unreadable``, ``log_without_steps``, ``log_state_broken``, ``log_state_too_large``,
        ``log_document_too_large``, ``log_document_cut``,
        ``pattern_broken``, ``pattern_no_groups``.
    """
    if pattern is not None:
        compiled(pattern)
    try:
        table = yield from _read(path, pattern, before)
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("log_unreadable", path, {"detail": detail})) from None
    if not len(table.step) and not table.unread:
        raise InputError(Problem("log_without_steps", path))
    return table


def _read(path: str, pattern: LinePattern | None, before: LogTable | None) -> Work[FileTable]:
    if os.path.isdir(path):  # noqa: PTH112 - a path as the user gave it
        return (yield from read_event_files(path, event_files(path)))
    head = b"".join(blocks_of(path, SNIFFED))
    if looks_like_events(head):
        return (yield from read_event_files(path, [path]))
    if is_binary(head):
        raise InputError(Problem("log_without_steps", path))
    if pattern is not None:
        by_pattern = LineReader(partial(parse_by, pattern), partial(matches, pattern), learns=False)
        return (yield from read_text(path, by_pattern, f"pattern {pattern.expression}", before))
    if dicts.looks_like_state(head):
        return (yield from _document(path, read_state))
    if is_document(head):
        whole = yield from _document(path, read_document)
        if whole is not None:
            return whole
    table = table_head(head, path)
    if table is not None:
        return (yield from _rows(path, table, text_of(head)[1], before))
    return (yield from read_text(path, LineReader(), "lines", before))


@overload
def _document(path: str, read: Callable[[str], list[LogRecord]]) -> Work[FileTable]: ...
@overload
def _document(path: str, read: Callable[[str], list[LogRecord] | None]) -> Work[FileTable | None]: ...
def _document(path: str, read: Callable[[str], list[LogRecord] | None]) -> Work[FileTable | None]:
    size = os.path.getsize(path)  # noqa: PTH202
    yield progress(path, 0, size)
    records = read(path)
    if records is None:
        return None
    columns = Columns()
    columns.add([part_of(range(len(records)), records)])
    lines = sum(block.count(b"\n") for block in blocks_of(path))
    return table_of(path, columns.collected(), lines, Unread(), size)


def _rows(path: str, head: TableHead, encoding: str, before: LogTable | None) -> Work[FileTable]:
    name = f"{FORM} {head.titles}"
    size = os.path.getsize(path)  # noqa: PTH202
    again = isinstance(before, FileTable) and before.reader == name
    plain = head.delimiter in DELIMITERS and encoding in ("utf-8-sig", "gb18030")
    if size >= _LARGE_TABLE and not again and plain and not _is_packed(path):
        yield progress(path, 0, size)
        whole = _at_once(path, head, encoding, size, name)
        if whole is not None:
            return whole
    return (yield from read_text(path, RowReader(head), name, before, head.line + 1))


def _is_packed(path: str) -> bool:
    with open_log(path) as stream:
        return isinstance(stream, Unpacked)


def _at_once(path: str, head: TableHead, encoding: str, size: int, name: str) -> FileTable | None:
    """Read a table in which nothing is amiss; ``None`` where something is, or it is being written to."""
    part = clean_table(path, head, encoding)
    with open(path, "rb") as stream:  # noqa: PTH123
        stream.seek(max(size - _TAIL, 0))
        end = max(size - _TAIL, 0) + stream.read(_TAIL).rfind(b"\n") + 1
        if part is None or os.fstat(stream.fileno()).st_size != size or end <= size - _TAIL:
            return None
        digest = digest_of(stream, end)
    columns = Columns()
    columns.add([part])
    trailing = {FORM: 1} if end < size else {}
    lines = head.line + 1 + len(part.line)
    return table_of(
        path, columns.collected(), lines, Unread(), end, digest, trailing, lines - len(trailing), name
    )
