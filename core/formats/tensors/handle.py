"""A tensor on disk as an array of its bits, read region by region.

Here the bits are mapped. A subclass whose bits must be unpacked first overrides what reads them: ``bits``,
``part``, ``reshaped``, ``flat_bits`` and ``grain``. All else goes through these.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from core.dtypes import DType, widen
from core.formats.tensors.mapping import Buffer

Bits = NDArray[Any]


class Proof(NamedTuple):
    """What an archive says of the bytes in it."""

    content: Buffer
    start: int
    size: int
    checksum: int
    """CRC-32."""


class TensorHandle:
    """One tensor: its mapped bits and what they mean.

    Attributes
    ----------
    dtype
        What the numbers are. A dump's own word wins over the file: bf16 often lies in a file as float32.
    stored
        The format of the bits in the file. ``bits()`` has the numpy dtype ``stored.storage`` (or its
        big-endian twin).
    shape, size
        Dimensions, and how many elements that makes (1 for 0-d).
    path, member
        The file, and the entry in it where it holds several.
    """

    __slots__ = (
        "_array",
        "_conjugate",
        "_flat",
        "_negative",
        "_proof",
        "dtype",
        "member",
        "path",
        "shape",
        "size",
        "stored",
    )

    def __init__(
        self,
        array: Bits,
        stored: DType,
        *,
        dtype: DType | None = None,
        path: str = "",
        member: str = "",
        conjugate: bool = False,
        negative: bool = False,
        proof: Proof | None = None,
    ) -> None:
        array.flags.writeable = False
        self._array: Bits = array
        self._flat: Bits | None = array.reshape(-1) if array.flags.c_contiguous else None
        self._conjugate = conjugate
        self._negative = negative
        self._proof = proof
        self.stored = stored
        self.dtype = dtype or stored
        self.shape: tuple[int, ...] = array.shape
        self.size: int = array.size
        self.path = path
        self.member = member

    @property
    def plain(self) -> bool:
        """Whether equal bits mean equal numbers: no pending conjugation or sign change."""
        return not (self._conjugate or self._negative)

    @property
    def storage(self) -> np.dtype[Any]:
        """The numpy dtype of the bits, with their byte order."""
        return self._array.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all elements as stored; for a packed tensor, once they are unpacked."""
        return self.size * self.storage.itemsize

    @property
    def grain(self) -> tuple[int, ...] | None:
        """How many elements along each axis are unpacked together; ``None`` where each can be read alone."""
        return None

    def damaged(self, limit: int) -> bool:
        """Return whether the file's own checksum says that its bytes have changed since they were written.

        Reads all bytes of the tensor's storage, unless it has more than *limit*; False where nothing tells.
        """
        proof = self._proof
        if proof is None or proof.size > limit:
            return False
        with memoryview(proof.content) as content:
            return zlib.crc32(content[proof.start : proof.start + proof.size]) != proof.checksum

    def bits(self) -> Bits:
        """Return all elements as stored: a read-only, possibly strided view of the mapped file.

        Whatever may meet a packed tensor, which must be unpacked for this, reads it by :meth:`part`.
        """
        return self._array

    def part(self, index: Any) -> Bits:
        """Return what *index* (any numpy index) selects, as stored; of a mapped file and slices, a view."""
        return np.asarray(self._array[index], self._array.dtype)  # numpy gives single numbers natively

    def read(self, index: Any = ()) -> NDArray[Any]:
        """Return what *index* (any numpy index, such as slices or numbers of rows) selects, as numbers.

        bf16 and fp8 come as float32, everything else in its own format and native byte order.
        """
        return self.numbers(self.part(index))

    def reshaped(self, shape: tuple[int, ...]) -> TensorHandle:
        """Return the same tensor in another *shape* that differs by dimensions of size 1 only.

        Raises
        ------
        ValueError
            If the elements do not fit.
        """
        return TensorHandle(
            self._array.reshape(shape),
            self.stored,
            dtype=self.dtype,
            path=self.path,
            member=self.member,
            conjugate=self._conjugate,
            negative=self._negative,
            proof=self._proof,
        )

    def flat_bits(self, start: int, stop: int) -> Bits:
        """Return elements *start* to *stop* in C order, as stored; a view where the layout allows it."""
        if self._flat is not None:
            return self._flat[start:stop]
        stop = min(stop, self.size)
        block = np.empty(max(stop - start, 0), self._array.dtype)
        if block.size:
            _gather(self._array, start, stop, block)
        return block

    def flat(self, start: int, stop: int) -> NDArray[Any]:
        """Return elements *start* to *stop* in C order, as numbers."""
        return self.numbers(self.flat_bits(start, stop))

    def chunks(self, elements: int) -> Iterator[NDArray[Any]]:
        """Yield all elements in C order as numbers, *elements* at a time."""
        for start in range(0, self.size, elements):
            yield self.flat(start, min(start + elements, self.size))

    def numbers(self, bits: Bits) -> NDArray[Any]:
        """Turn *bits* of this tensor into numbers: widened, native byte order, conjugated if need be."""
        if not bits.dtype.isnative:
            bits = bits.astype(bits.dtype.newbyteorder("="))
        values = widen(bits, self.stored)
        if self._conjugate:
            values = np.conj(values)
        return np.negative(values) if self._negative else values

    def close(self) -> None:
        """Let go of the file; it is unmapped once no view of it is left."""
        self._array = np.empty(0, self._array.dtype)
        self._flat = self._array
        self._proof = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _gather(view: Bits, start: int, stop: int, out: Bits) -> None:
    """Copy elements *start* to *stop* (C order) of the strided *view* into *out*."""
    if view.ndim <= 1:
        out[:] = view.reshape(-1)[start:stop]
        return
    row = prod(view.shape[1:])
    first, skip = divmod(start, row)
    done = 0
    if skip:
        done = min(row - skip, stop - start)
        _gather(view[first], skip, skip + done, out[:done])
        first += 1
    rows = (stop - start - done) // row
    if rows:
        out[done : done + rows * row].reshape(rows, *view.shape[1:])[...] = view[first : first + rows]
        done += rows * row
    if done < stop - start:
        _gather(view[first + rows], 0, stop - start - done, out[done:])
