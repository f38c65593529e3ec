"""Reports as csv: UTF-8 with a byte order mark, as Excel wants it and the official tool reads it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from core.messages import Message
from core.progress import Progress, Work
from core.records.result import CellResult
from core.report.official import Mode
from core.report.table import Report, holds_text

ROWS_A_FILE = 1_000_000
"""More rows go to ``_part_1``, ``_part_2`` ... as the official tool splits them."""
ROWS_A_BLOCK = 20_000
"""Rows that are texts in memory at a time."""

Chosen = NDArray[np.int64]


def write_csv(path: str | Path, cells: Iterable[CellResult], rows: Chosen | None = None) -> Work[list[str]]:
    """Write the report of *cells* (of one cell's *rows* where given) below one header.

    Returns
    -------
    list of str
        The files written: *path*, or its parts when there are more than a million rows.
    """
    output = _Parts(Path(path))
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        for cell, report, block, done, total in report_blocks(cells, rows):
            yield Progress(done, total, Message("progress.report", {"cell": cell.key.label()}))
            columns = report.block(block)
            quoted_columns = [quoted(texts) if holds_text(name) else texts for name, texts in columns.items()]
            output.write(report.names, list(map(",".join, zip(*quoted_columns))))
        return output.finish()
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        output.discard()


def report_blocks(
    cells: Iterable[CellResult], rows: Chosen | None
) -> Iterator[tuple[CellResult, Report, Chosen, int, int]]:
    """Yield cell, report, a block of row numbers, and how many rows of the cell are done and to do.

    All cells take the columns of the first one: they stand below one header.
    """
    mode: Mode | None = None
    for cell in cells:
        report = Report(cell, mode)
        mode = report.mode
        chosen = np.arange(len(cell.rows)) if rows is None else rows
        for start in range(0, max(len(chosen), 1), ROWS_A_BLOCK):
            yield cell, report, chosen[start : start + ROWS_A_BLOCK], start, len(chosen)


_SPECIAL = re.compile(r'[",\r\n\0]')


def quoted(texts: list[str]) -> list[str]:
    """Return *texts* as cells of a csv file, in quotes where they need them."""
    if _SPECIAL.search("".join(texts)) is None:
        return texts
    known: dict[str, str] = {}
    for text in texts:
        if text not in known:
            known[text] = _quote(text) if _SPECIAL.search(text) else text
    return [known[text] for text in texts]


def _quote(text: str) -> str:
    """Return *text* as a quoted cell. NUL ends a text for many readers: it becomes an escape."""
    return '"' + text.replace('"', '""').replace("\0", "\\x00") + '"'


class _Parts:
    """Writes lines; opens another file when one is full. All get their names when the last is whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: IO[str] | None = None
        self._written: list[Path] = []
        self._left = 0

    def write(self, header: tuple[str, ...], lines: list[str]) -> None:
        if self._stream is None:
            self._open(header)
        while lines:
            if self._left == 0:
                self._open(header)
            part, lines = lines[: self._left], lines[self._left :]
            self._left -= len(part)
            assert self._stream is not None
            self._stream.write("\r\n".join(part) + "\r\n")

    def _open(self, header: tuple[str, ...]) -> None:
        self.close()
        place = self._path.with_name(f".{self._path.name}.{os.getpid()}.{len(self._written)}.tmp")
        # a lone surrogate is no UTF-8: readers would make three signs of it, or refuse the file
        self._stream = place.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="")
        self._written.append(place)
        self._stream.write(",".join(header) + "\r\n")
        self._left = ROWS_A_FILE

    def finish(self) -> list[str]:
        """Give the parts their names; only a finished report appears under its own."""
        self.close()
        finished = []
        for number, place in enumerate(self._written, 1):
            stem = self._path.stem if len(self._written) == 1 else f"{self._path.stem}_part_{number}"
            final = self._path.with_name(stem + self._path.suffix)
            place.replace(final)
            finished.append(str(final))
        return finished

    def close(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            stream.close()

    def discard(self) -> None:
        """Remove what was not finished."""
        with contextlib.suppress(OSError):
            self.close()
        for place in self._written:
            place.unlink(missing_ok=True)
