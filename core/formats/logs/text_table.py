"""Lines of a file as columns, and on from where they were last read."""

from __future__ import annotations

import os
from typing import Protocol

from core.formats.logs.columns import Collected, Columns
from core.formats.logs.file_table import FileTable, digest_of, joined, without_trailing
from core.formats.logs.line_log import LineReader, ReadBlock
from core.formats.logs.lines import TextBlock, text_blocks
from core.messages import Message
from core.progress import Progress, Work
from core.records.log_table import LogTable, UnreadLine

_MOST_UNREAD = 20


class Reader(Protocol):
    """Reads blocks of lines in order."""

    def read(self, block: TextBlock) -> ReadBlock:
        """Return the records of *block*, and the lines that begin like one and are none."""
        ...


class Unread:
    """Counts lines that could not be read, and keeps the first of them."""

    def __init__(self, count: int = 0, first: tuple[UnreadLine, ...] = ()) -> None:
        self.count = count
        self.first = list(first)

    def add(self, lines: list[UnreadLine]) -> None:
        """Count *lines*."""
        self.count += len(lines)
        self.first += lines[: max(_MOST_UNREAD - len(self.first), 0)]


def read_text(
    path: str, reader: Reader, name: str, before: LogTable | None, skipped: int = 0
) -> Work[FileTable]:
    """Read the lines of the file at *path* by *reader*, called *name*; the first *skipped* ones are its head.

    A last line without an end may be half a line: it is read if it looks whole, and read again next time.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as stream:  # noqa: PTH123 - a path as the user gave it
        size = os.fstat(stream.fileno()).st_size
        kept = before if isinstance(before, FileTable) and before.reader == name else None
        if kept and (size < kept.read_bytes or digest_of(stream, kept.read_bytes) != kept.digest):
            kept = None
        if kept and isinstance(reader, LineReader):
            reader.shape = kept.shape
        unread = Unread(kept.unread, kept.unread_lines) if kept else Unread()
        end, ended = (kept.read_bytes, kept.ended_lines) if kept else (0, 0)
        shape = kept.shape if kept else ""
        lines, trailing, columns = ended, dict[str, int](), Columns()
        for block in text_blocks(stream, end, ended + 1):
            rows = _without_head(block, skipped)
            if block.ended:
                found = reader.read(rows)
                shape = reader.shape if isinstance(reader, LineReader) else ""
                unread.add(found.unread)
                end, ended, lines = block.end, block.last, block.last
            else:
                found = reader.read(_whole(rows, reader))
                lines += 1
                for part in found.parts:
                    for form, count in part.forms.items():
                        trailing[form] = trailing.get(form, 0) + count
            columns.add(found.parts)
            yield progress(path, block.end, size)
        digest = digest_of(stream, end)
    collected = columns.collected()
    if kept:
        collected = joined(without_trailing(kept), collected)
    return table_of(path, collected, lines, unread, end, digest, trailing, ended, shape, name)


def table_of(
    path: str, collected: Collected, lines: int, unread: Unread, read_bytes: int = 0, digest: bytes = b"",
    trailing: dict[str, int] | None = None, ended_lines: int = 0, shape: str = "",
    reader: str = "",
) -> FileTable:  # fmt: skip
    """Return *collected* with all that is known of the file."""
    return FileTable(
        path, collected.forms, collected.step, collected.rank, collected.event, collected.columns, lines,
        unread.count, tuple(unread.first), read_bytes, digest=digest, trailing=trailing or {},
        ended_lines=ended_lines, shape=shape, reader=reader,
    )  # fmt: skip


def progress(path: str, done: int, total: int) -> Progress:
    """Return how far reading *path* is, in bytes."""
    return Progress(min(done, total), total, Message("progress.log", {"name": os.path.basename(path)}))  # noqa: PTH119


def _without_head(block: TextBlock, skipped: int) -> TextBlock:
    if not block.numbers or block.numbers[0] > skipped:
        return block
    first = next((at for at, number in enumerate(block.numbers) if number > skipped), len(block.lines))
    return block._replace(lines=block.lines[first:], numbers=block.numbers[first:])


def _whole(block: TextBlock, reader: Reader) -> TextBlock:
    """Return *block*, the end of a file, without a last line that may be half a one."""
    if block.lines and isinstance(reader, LineReader) and not reader.is_whole(block.lines[-1]):
        return block._replace(lines=block.lines[:-1])
    return block
