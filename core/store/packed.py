"""Packed files: a run with its tensors in one portable, compressed HDF5 file that opens like a dump.

Tensors are plain datasets, ``/tensors/<cell>/<operator>/<slot>``, in the numpy dtype of their bits, so that
h5py, HDFView or silx read them. bf16 and fp8 keep their bits in an integer dtype; the attribute ``dtype``
says what they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from core.dtypes import DTYPES
from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.progress import Progress, Work
from core.records.dump import Dump
from core.records.run import CellKey, CellSource, Run
from core.store.integrity import sealed_reader
from core.store.schema import CELLS, DTYPE_ATTRIBUTE, TARGET, FileKind
from core.store.tables import read_dump, read_json

PACKED_FORMAT = "packed"


def find_packed_run(path: Path) -> Run:
    """Return the run in the packed file *path*."""
    with sealed_reader(path, (FileKind.PACKED,)) as file:
        keys = [CellKey(*key) for key in read_json(file, "keys")]
        origin = str(read_json(file, "format"))
    files = {"file": str(path.resolve())}
    return Run(str(path), origin, {key: CellSource(key, PACKED_FORMAT, files) for key in keys})


def read_packed_cell(source: CellSource) -> Work[Dump]:
    """Return the dump of one cell of a packed file."""
    path = Path(source.files["file"])
    yield Progress(0, 1, Message("progress.read", {"path": path.name}))
    with sealed_reader(path, (FileKind.PACKED,)) as file:
        return replace(read_dump(file[f"{CELLS}/{source.key.label()}"], TARGET), data_dir=str(path))


def open_packed_tensor(path: str, name: str) -> TensorHandle:
    """Return the tensor that dataset *name* of the packed file *path* holds."""
    try:
        dataset = _opened(path)[name]
    except (OSError, KeyError):
        raise InputError(Problem("store_damaged", path)) from None
    return PackedTensor(dataset, path, name)


@lru_cache(maxsize=4)
def _opened(path: str) -> h5py.File:
    return h5py.File(path, "r")


class PackedTensor(TensorHandle):
    """A tensor in a packed file; only the chunks that a region touches are read and checked."""

    __slots__ = ("_dataset",)

    def __init__(self, dataset: h5py.Dataset, path: str, member: str) -> None:
        super().__init__(
            np.empty(0, dataset.dtype), DTYPES[dataset.attrs[DTYPE_ATTRIBUTE]], path=path, member=member
        )
        self._dataset = dataset
        self.shape = dataset.shape
        self.size = int(dataset.size)

    def bits(self) -> NDArray[Any]:
        """Return all elements as stored; unlike a mapped file's, a copy in memory."""
        return self._read(())

    def read(self, index: Any = ()) -> NDArray[Any]:
        """Return the region that *index* selects, as numbers."""
        return self.numbers(np.asarray(self._read(index)))

    def flat_bits(self, start: int, stop: int) -> NDArray[Any]:
        """Return elements *start* to *stop* in C order, as stored."""
        block = np.empty(max(min(stop, self.size) - start, 0), self._dataset.dtype)
        if block.size:
            self._gather((), start, start + block.size, block)
        return block

    def _gather(self, prefix: tuple[int, ...], start: int, stop: int, out: NDArray[Any]) -> None:
        """Copy elements *start* to *stop* (C order) of the part that *prefix* selects into *out*."""
        shape = self.shape[len(prefix) :]
        if len(shape) <= 1:
            out[:] = np.ravel(self._read((*prefix, slice(start, stop)) if shape else prefix))
            return
        row = int(np.prod(shape[1:]))
        first, last = start // row, -(-stop // row)
        if start == first * row and stop == last * row:
            out[:] = self._read((*prefix, slice(first, last))).reshape(-1)
            return
        done = 0
        for index in range(first, last):
            low, high = max(start - index * row, 0), min(stop - index * row, row)
            self._gather((*prefix, index), low, high, out[done : done + high - low])
            done += high - low

    def _read(self, index: Any) -> NDArray[Any]:
        try:
            return np.asarray(self._dataset[index])
        except OSError:  # fletcher32 does not fit
            raise InputError(Problem("store_damaged", self.path)) from None

    def close(self) -> None:
        """Nothing to let go: the file stays open for the next tensor."""
