"""Lines of a file as columns, and on from where they were last read."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Protocol

from core.errors import Problem
from core.formats.logs.columns import Collected, Columns, Part
from core.formats.logs.damage import LONGEST_SAMPLE
from core.formats.logs.file_table import FileTable, digest_of, joined, without_trailing
from core.formats.logs.finishing import finished
from core.formats.logs.line_log import LineReader, ReadBlock
from core.formats.logs.lines import TextBlock, text_blocks
from core.formats.logs.packed import Unpacked, open_log
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
    with open_log(path) as stream:
        packed = stream if isinstance(stream, Unpacked) else None
        size = os.path.getsize(path)  # noqa: PTH202 - a path as the user gave it
        kept = before if isinstance(before, FileTable) and before.reader == name and not packed else None
        if kept and (size < kept.read_bytes or digest_of(stream, kept.read_bytes) != kept.digest):
            kept = None
        lines_reader = reader if isinstance(reader, LineReader) else LineReader(learns=False)
        if kept:
            lines_reader.go_on(kept.sample, kept.heading)
        unread = _unread_before(kept) if kept else Unread()
        end, ended = (kept.read_bytes, kept.ended_lines) if kept else (0, 0)
        goes_on = (kept.sample, kept.heading) if kept else ("", "")
        lines, trailing, trailing_unread, columns = ended, dict[str, int](), 0, Columns()
        for block in text_blocks(stream, end, ended + 1):
            rows = _without_head(block, skipped)
            if block.ended:
                found = reader.read(rows)
                goes_on = lines_reader.sample, lines_reader.heading
                end, ended, lines = block.end, block.last, block.last
            else:
                found = _read_last(rows, reader)
                lines, trailing_unread = lines + 1, len(found.unread)
                for part in found.parts:
                    for form, count in part.forms.items():
                        trailing[form] = trailing.get(form, 0) + count
            unread.add(found.unread)
            columns.add(found.parts)
            yield progress(path, block.end, max(size, block.end) if packed else size)
        digest = b"" if packed else digest_of(stream, end)
    collected = columns.collected()
    if kept:
        collected = joined(without_trailing(kept), collected)
    table = table_of(path, collected, lines, unread, 0 if packed else end, digest, trailing, ended, name)
    problems = (Problem(packed.problem, path),) if packed and packed.problem else ()
    return replace(
        table, trailing_unread=trailing_unread, sample=goes_on[0], heading=goes_on[1], problems=problems
    )


def table_of(
    path: str, collected: Collected, lines: int, unread: Unread, read_bytes: int = 0, digest: bytes = b"",
    trailing: dict[str, int] | None = None, ended_lines: int = 0, reader: str = "",
) -> FileTable:  # fmt: skip
    """Return *collected*, what the lines say, put right as a whole, with all that is known of the file."""
    made = finished(collected)
    return FileTable(
        path, made.forms, made.step, made.rank, made.event, made.columns, lines, unread.count,
        tuple(unread.first), read_bytes, digest=digest, trailing=trailing or {}, ended_lines=ended_lines,
        said=collected, reader=reader,
    )  # fmt: skip


def progress(path: str, done: int, total: int) -> Progress:
    """Return how far reading *path* is, in bytes."""
    return Progress(min(done, total), total, Message("progress.log", {"name": os.path.basename(path)}))  # noqa: PTH119


def _without_head(block: TextBlock, skipped: int) -> TextBlock:
    if not block.numbers or block.numbers[0] > skipped:
        return block
    first = next((at for at, number in enumerate(block.numbers) if number > skipped), len(block.lines))
    return block._replace(lines=block.lines[first:], numbers=block.numbers[first:])


def _unread_before(kept: FileTable) -> Unread:
    """Return the lines of *kept* that could not be read, without a last one that had no end."""
    count = kept.unread - kept.trailing_unread
    return Unread(count, kept.unread_lines[:count])


def _read_last(block: TextBlock, reader: Reader) -> ReadBlock:
    """Read *block*, the end of a file; its last line may be half a one, and is unread if it looks so."""
    if not block.lines or not isinstance(reader, LineReader):
        return reader.read(block)
    found = reader.read(block._replace(lines=block.lines[:-1], numbers=block.numbers[:-1]))
    last, number = block.lines[-1], block.numbers[-1]
    if reader.is_whole(last):
        more = reader.read(block._replace(lines=[last], numbers=[number]))
        return ReadBlock([*found.parts, *(_moved(part, len(block.lines) - 1) for part in more.parts)],
                         [*found.unread, *more.unread])  # fmt: skip
    if reader.looks_like_record(last):
        return ReadBlock(found.parts, [*found.unread, UnreadLine(number, last.strip()[:LONGEST_SAMPLE])])
    return found


def _moved(part: Part, lines: int) -> Part:
    """Return *part* with its lines counted from *lines* on."""
    return part._replace(line=part.line + lines)
