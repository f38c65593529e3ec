"""Logs packed by gzip, read as they are unpacked."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import BinaryIO, cast

_MAGIC = b"\x1f\x8b\x08"
_MOST = 8 << 30
"""Bytes of a packed log that are read: a small file may unpack to any size."""


class Unpacked(io.RawIOBase):
    """What a file of gzip holds, up to a limit; what is missing of a cut file is left out.

    Raises
    ------
    OSError
        If it is broken in its midst, or no file of gzip.
    """

    def __init__(self, path: str, most: int) -> None:
        self._stream = gzip.open(path, "rb")  # noqa: SIM115 - closed with this one
        self._most = most
        self.problem = ""
        """``log_packed_cut``, ``log_packed_too_large`` or ``""``: why something is missing."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True; going back unpacks from the beginning."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to byte *offset* of what is unpacked."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return where in what is unpacked it stands."""
        return self._stream.tell()

    def read(self, size: int = -1) -> bytes:
        """Return the next *size* bytes, fewer only at the end; a negative *size* reads to it."""
        pieces: list[bytes] = []
        wanted = self._most if size < 0 else size
        while wanted > 0:
            if self._stream.tell() >= self._most:
                self.problem = "log_packed_too_large"
                break
            try:
                piece = self._stream.read1(min(wanted, self._most - self._stream.tell(), 1 << 20))
            except (EOFError, zlib.error):
                self.problem = "log_packed_cut"
                break
            if not piece:
                break
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file too."""
        self._stream.close()
        super().close()


def open_log(path: str) -> BinaryIO:
    """Open the log at *path* to be read as bytes, unpacked if it is of gzip.

    Raises
    ------
    OSError
        If it cannot be opened.
    """
    stream = open(path, "rb")  # noqa: PTH123, SIM115 - a path as the user gave it; the caller closes it
    head = stream.read(len(_MAGIC))
    if head != _MAGIC:
        stream.seek(0)
        return stream
    stream.close()
    return cast(BinaryIO, Unpacked(path, _MOST))
