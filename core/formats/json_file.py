"""A window that moves over a JSON file."""

from __future__ import annotations

import re
from pathlib import Path
from types import TracebackType
from typing import Self

BLOCK = 1 << 20
"""Bytes read at once."""

LONGEST = 1 << 28
"""Bytes that the window may hold: no member of a dump is longer, only what a lost quote leaves open."""

_SPACE = re.compile(rb"[ \t\r\n]*")
_BOM = b"\xef\xbb\xbf"


class JsonFile:
    """A window over a file: :attr:`text` starts at byte :attr:`position` of it.

    Raises
    ------
    OSError
        If the file cannot be opened or read.
    """

    def __init__(self, path: str, block: int = 0) -> None:
        self.size = Path(path).stat().st_size
        self.block = block or BLOCK
        self.text = b""
        self.position = 0
        self.ended = False
        # A file system that lost power leaves zeros where the end was allocated and not written; so
        # zeros are given out only when something else follows.
        self._zeros = 0
        self._stream = Path(path).open("rb")  # noqa: SIM115 - closed by __exit__
        self.fill()
        if self.text.startswith(_BOM):
            self.advance(len(_BOM))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def fill(self) -> bool:
        """Read on, at least as much again as is held. Return whether there was more.

        A window of :data:`LONGEST` bytes counts as the end.
        """
        self.ended |= len(self.text) >= LONGEST
        while not self.ended:
            more = self._stream.read(max(self.block, len(self.text)))
            if not more:
                self.ended = True
            elif written := more.rstrip(b"\0"):
                self.text += b"\0" * self._zeros + written
                self._zeros = len(more) - len(written)
                return True
            else:
                self._zeros += len(more)
        return False

    def advance(self, count: int) -> None:
        """Move the start of the window by *count* bytes."""
        self.text = self.text[count:]
        self.position += count

    def skip_space(self) -> bytes:
        """Move to the next byte that is no white space; return the white space."""
        while True:
            space = _SPACE.match(self.text)
            assert space is not None  # it matches nothing, too
            if space.end() < len(self.text) or not self.fill():
                self.advance(space.end())
                return space[0]
