"""Large results in pieces, so that the window's interpreter is never held long.

Unpickling hundreds of megabytes of columns at once would hold the interpreter lock, and so the window,
for their whole length. A worker therefore pickles its result with the arrays out of band and yields
them as :class:`Piece` after :class:`Piece`; each takes a few milliseconds to receive.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from core.progress import Progress, Work

PIECE_BYTES = 4 << 20


@dataclass(frozen=True)
class Piece:
    """Some bytes of buffer number *buffer*, from *offset*; *total* is that buffer's length."""

    buffer: int
    offset: int
    total: int
    data: bytes


@dataclass
class Assembly:
    """Collects pieces, then gives the value back."""

    _buffers: list[bytearray] = field(default_factory=list)

    def add(self, piece: Piece) -> None:
        """Put *piece* in its place."""
        while len(self._buffers) <= piece.buffer:
            self._buffers.append(bytearray())
        buffer = self._buffers[piece.buffer]
        if piece.offset == 0 and len(buffer) != piece.total:
            buffer = self._buffers[piece.buffer] = bytearray(piece.total)
        buffer[piece.offset : piece.offset + len(piece.data)] = piece.data

    def value(self, head: bytes) -> Any:
        """Return what was sent: *head* is the pickle, its arrays stand in the pieces."""
        return pickle.loads(head, buffers=self._buffers)


@dataclass(frozen=True)
class Head:
    """Ends a transfer: the pickle without its buffers."""

    data: bytes


def in_pieces(function: Callable[..., Work[Any]], *arguments: Any) -> Generator[Progress | Piece, None, Head]:
    """Run ``function(*arguments)``, and hand its result over in pieces; runs in the worker."""
    result = yield from function(*arguments)
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
    for number, buffer in enumerate(buffers):
        raw = buffer.raw()
        for offset in range(0, max(len(raw), 1), PIECE_BYTES):
            yield Piece(number, offset, len(raw), bytes(raw[offset : offset + PIECE_BYTES]))
    return Head(head)
