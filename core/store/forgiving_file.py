"""A file for HDF5 to write to that never fails while HDF5 looks.

HDF5 crashes the process when a write fails while it closes a file (seen with HDF5 1.14 on a full disk). So a
failed write is remembered and reported as done; the writer asks :meth:`ForgivingFile.check` and throws the
file away.
"""

from __future__ import annotations

import io
from typing import IO


class ForgivingFile(io.RawIOBase):
    """Passes everything on to the unbuffered *stream* until something fails, and nothing after that."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._error: OSError | None = None

    def check(self) -> None:
        """Raise what went wrong.

        Raises
        ------
        OSError
            The first failure, a full disk for one.
        """
        if self._error is not None:
            raise self._error

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move, even beyond the end."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._stream.tell()

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Read back what was written; zeros once something has failed."""
        if self._error is None:
            block = self._stream.read(len(buffer))
            buffer[: len(block)] = block
            return len(block)
        buffer[:] = bytes(len(buffer))
        return len(buffer)

    def write(self, data: memoryview, /) -> int:  # type: ignore[override]
        """Write *data*, or do as if."""
        if self._error is None:
            rest = memoryview(data).cast("B")
            try:
                while rest:
                    rest = rest[self._stream.write(rest) :]
            except OSError as error:
                self._error = error
        return len(data)

    def truncate(self, size: int | None = None, /) -> int:
        """Set the length, or do as if."""
        wanted = self.tell() if size is None else size
        if self._error is None:
            try:
                self._stream.truncate(wanted)
            except OSError as error:
                self._error = error
        return wanted

    def flush(self) -> None:
        """Send what is buffered to the disk, or do as if."""
        if self._error is None and not self._stream.closed:
            try:
                self._stream.flush()
            except OSError as error:
                self._error = error

    def readable(self) -> bool:
        """Yes."""
        return True

    def writable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True
