"""Large results in pieces, so that the window's interpreter is never held long.

Unpickling hundreds of megabytes of columns at once would hold the interpreter lock, and so the window,
for their whole length. A worker therefore pickles its result with the arrays out of band and yields
them as :class:`Piece` after :class:`Piece`; each takes a few milliseconds to receive. A column that is
the same everywhere, as most metrics are where only statistics were dumped, travels and stays as one value.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.progress import Progress, Work
from core.records.columns import is_same_everywhere

PIECE_BYTES = 4 << 20
_WORTH_A_LOOK = 1 << 16
"""Bytes from which a column is looked at for being the same everywhere."""


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


class _Pickler(pickle.Pickler):
    """Sends a column of equal values as one of them."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) is np.ndarray and value.nbytes >= _WORTH_A_LOOK and is_same_everywhere(value):
            return _repeated, (value[:1].copy(), value.shape)
        return NotImplemented


def _repeated(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(value, shape)


@dataclass(frozen=True)
class Head:
    """Ends a transfer: the pickle without its buffers."""

    data: bytes


def in_pieces(function: Callable[..., Work[Any]], *arguments: Any) -> Generator[Progress | Piece, None, Head]:
    """Run ``function(*arguments)``, and hand its result over in pieces; runs in the worker."""
    result = yield from function(*arguments)
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(result)
    head = stream.getvalue()
    for number, buffer in enumerate(buffers):
        raw = buffer.raw()
        for offset in range(0, max(len(raw), 1), PIECE_BYTES):
            yield Piece(number, offset, len(raw), bytes(raw[offset : offset + PIECE_BYTES]))
    return Head(head)
