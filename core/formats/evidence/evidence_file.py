"""One file of evidence, or one member of an archive: its bytes and lines, within bounds."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import BinaryIO

from core.formats.logs.lines import text_blocks
from core.formats.logs.packed import open_log
from core.records.evidence import Place

SNIFFED = 1 << 16
"""Bytes at the beginning by which a file is told apart."""
MOST_TEXT = 16 << 20
"""Bytes of a document that is parsed as a whole; no configuration is larger."""
LONGEST_LINE = 1 << 16
"""Characters of a line that are looked at; what comes after them is cut off."""


class TooLarge(Exception):
    """The file is larger than any document of its kind."""


@dataclass(frozen=True)
class EvidenceFile:
    """Where the bytes come from; nothing is read before it is asked for."""

    path: str
    member: str = ""
    """Its name inside the archive *path*."""
    content: bytes | None = None
    """The bytes, where they do not lie in a file of their own."""

    @property
    def name(self) -> str:
        """The file's own name, without the ending of gzip."""
        return PurePath(self.member or self.path).name.removesuffix(".gz")

    @property
    def suffix(self) -> str:
        """Ending of the name, in small letters with the dot; empty without one."""
        return PurePath(self.name).suffix.lower()

    def place(self, line: int = 0) -> Place:
        """Return a place in this file."""
        return Place(self.path, line, self.member)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open it for reading; what gzip packed is unpacked.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        if self.content is not None:
            yield io.BytesIO(self.content)
            return
        with open_log(self.path) as stream:
            yield stream

    @cached_property
    def head(self) -> bytes:
        """The first :data:`SNIFFED` bytes.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        with self.opened() as stream:
            return stream.read(SNIFFED)

    def text(self) -> str:
        """Return the whole text, a line feed between lines.

        Raises
        ------
        OSError
            If it cannot be read.
        TooLarge
            If it has more than :data:`MOST_TEXT` bytes.
        """
        with self.opened() as stream:
            raw = stream.read(MOST_TEXT + 1)
        if len(raw) > MOST_TEXT:
            raise TooLarge
        lines: list[str] = []
        for block in text_blocks(io.BytesIO(raw)):
            for number, line in zip(block.numbers, block.lines):
                lines += [""] * (number - 1 - len(lines))  # blank lines between carriage returns
                lines.append(line)
        return "\n".join(lines)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield number, from 1, and text of each line; memory does not grow with the file or its lines.

        Raises
        ------
        OSError
            If it cannot be read.
        """
        with self.opened() as stream:
            for block in text_blocks(stream):
                for number, line in zip(block.numbers, block.lines):
                    yield number, line[:LONGEST_LINE]
