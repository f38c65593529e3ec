"""A tensor in a packed file; only the chunks that a region touches are read, checked and unpacked."""

from __future__ import annotations

from math import prod
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES
from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.store.schema import DTYPE_ATTRIBUTE, MEANING_ATTRIBUTE

Bits = NDArray[Any]
Shape = tuple[int, ...]

_GATHERED = 64 * 1024
"""Neighbouring elements among which scattered ones are read at once."""


class PackedTensor(TensorHandle):
    """A dataset of a packed file, in *shape*, which may differ from its own by dimensions of size 1."""

    __slots__ = ("_dataset",)

    def __init__(self, dataset: h5py.Dataset, path: str, member: str, shape: Shape | None = None) -> None:
        stored = str(dataset.attrs[DTYPE_ATTRIBUTE])
        super().__init__(
            np.empty(0, dataset.dtype),
            DTYPES[stored],
            dtype=DTYPES[str(dataset.attrs.get(MEANING_ATTRIBUTE, stored))],
            path=path,
            member=member,
        )
        self._dataset: h5py.Dataset | None = dataset
        self.shape = dataset.shape if shape is None else shape
        self.size = int(dataset.size)

    @property
    def grain(self) -> Shape | None:
        """How many elements along each axis are unpacked together."""
        if self._dataset is None or self._dataset.chunks is None:
            return self.shape
        long = iter([chunk for chunk, size in zip(self._dataset.chunks, self._dataset.shape) if size != 1])
        return tuple(next(long) if size != 1 else 1 for size in self.shape)

    def bits(self) -> Bits:
        """Return all elements as stored; unlike a mapped file's, a copy in memory."""
        if self._dataset is None:
            return self._array
        bits = self.part(())
        bits.flags.writeable = False
        return bits

    def part(self, index: Any) -> Bits:
        """Return what *index* (any numpy index) selects, as stored."""
        if self._dataset is None:
            return np.asarray(self._array[index], self._array.dtype)  # numpy gives single numbers natively
        # The broadcast one answers for shape and errors, without memory.
        shape = np.broadcast_to(np.empty((), np.bool_), self.shape)[index].shape
        box = _box(index, self.shape)
        return self._read(box).reshape(shape) if box is not None else self._gathered(index)

    def reshaped(self, shape: Shape) -> TensorHandle:
        """Return the same tensor in another *shape* that differs by dimensions of size 1 only.

        Raises
        ------
        ValueError
            If it differs by more.
        """
        wanted, own = ([size for size in sizes if size != 1] for sizes in (shape, self.shape))
        if self._dataset is None or wanted != own:
            raise ValueError(f"no shape {shape} of a packed tensor of shape {self.shape}")
        return PackedTensor(self._dataset, self.path, self.member, tuple(shape))

    def flat_bits(self, start: int, stop: int) -> Bits:
        """Return elements *start* to *stop* in C order, as stored."""
        if self._dataset is None:
            return self._array[start:stop]
        block = np.empty(max(min(stop, self.size) - start, 0), self.storage)
        if block.size:
            self._gather((), start, start + block.size, block)
        return block

    def close(self) -> None:
        """Let go of the dataset and its unpacked chunks; the file stays open for the next tensor."""
        super().close()
        self._dataset = None

    def _gather(self, prefix: Shape, start: int, stop: int, out: Bits) -> None:
        """Copy elements *start* to *stop* (C order) of the part that *prefix* selects into *out*."""
        shape = self.shape[len(prefix) :]
        if len(shape) <= 1:
            out[:] = self.part((*prefix, slice(start, stop)) if shape else prefix).reshape(-1)
            return
        row = prod(shape[1:])
        done = 0
        while done < len(out):
            index, low = divmod(start + done, row)
            whole = (len(out) - done) // row if not low else 0
            if whole:
                out[done : done + whole * row] = self.part((*prefix, slice(index, index + whole))).reshape(-1)
                done += whole * row
                continue
            high = min(row, low + len(out) - done)
            self._gather((*prefix, index), low, high, out[done : done + high - low])
            done += high - low

    def _gathered(self, index: Any) -> Bits:
        """Return what an *index* of arrays selects, read in C order; memory is that of the answer."""
        flat: NDArray[np.int64] | None = None
        for axis, size in enumerate(self.shape):
            along = np.arange(size).reshape([-1 if other == axis else 1 for other in range(len(self.shape))])
            places = np.broadcast_to(along, self.shape)[index]
            flat = places * 1 if flat is None else flat * size + places
        if flat is None:  # masks of a single number
            return np.asarray(self._read(())[index])
        order, made = np.argsort(flat, axis=None, kind="stable"), np.empty(flat.size, self.storage)
        ordered = flat.reshape(-1)[order]
        bounds = np.flatnonzero(np.diff(ordered // _GATHERED)) + 1
        for places, here in zip(np.split(ordered, bounds), np.split(order, bounds)):
            if len(places):
                first = int(places[0])
                made[here] = self.flat_bits(first, int(places[-1]) + 1)[places - first]
        return made.reshape(flat.shape)

    def _read(self, box: tuple[slice, ...]) -> Bits:
        """Return the elements of *box*, slices of all axes; negative steps are allowed."""
        assert self._dataset is not None
        counts = [len(range(*part.indices(size))) for part, size in zip(box, self.shape)]
        if not all(counts):
            return np.empty(counts, self.storage)
        long = iter([_ascending(part, size) for part, size in zip(box, self.shape) if size != 1])
        index = tuple(next(long) if size != 1 else slice(None) for size in self._dataset.shape)
        try:
            found = np.asarray(self._dataset[index], self.storage)  # h5py gives single numbers natively
        except OSError:  # fletcher32 does not fit
            raise InputError(Problem("store_damaged", self.path)) from None
        turned = tuple(slice(None, None, -1 if (part.step or 1) < 0 else None) for part in box)
        return found.reshape(counts)[(..., *turned)]


def _box(index: Any, shape: Shape) -> tuple[slice, ...] | None:
    """Return the slices of all axes that *index* of numbers and slices means; ``None`` for any other."""
    parts = index if isinstance(index, tuple) else (index,)
    used = [part for part in parts if part is not None]
    if not all(part is Ellipsis or isinstance(part, slice) or _is_number(part) for part in used):
        return None
    at = next((at for at, part in enumerate(used) if part is Ellipsis), len(used))
    rest = used[at + 1 :]
    used = [*used[:at], *[slice(None)] * (len(shape) - at - len(rest)), *rest]
    return tuple(
        part if isinstance(part, slice) else slice(int(part) % size, int(part) % size + 1)
        for part, size in zip(used, shape)
    )


def _is_number(part: Any) -> bool:
    return isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_))


def _ascending(part: slice, size: int) -> slice:
    """Return a slice of the same elements, of which there are some, with a positive step."""
    found = range(*part.indices(size))
    if found.step < 0:
        found = found[::-1]
    return slice(found.start, found.stop, found.step)
