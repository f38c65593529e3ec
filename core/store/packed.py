"""Packed files: a run with its tensors in one portable, compressed HDF5 file that opens like a dump.

Tensors are plain datasets, ``/tensors/<cell>/<operator>/<slot>``, in the numpy dtype of their bits, so that
h5py, HDFView or silx read them. bf16 and fp8 keep their bits in an integer dtype; the attribute ``dtype``
says what the bits are, ``meaning`` what the numbers are, which may have been saved in a wider format.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import h5py

from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.progress import Progress, Work
from core.records.dump import Dump
from core.records.run import CellKey, CellSource, Run
from core.store.integrity import sealed_reader
from core.store.packed_tensor import PackedTensor
from core.store.schema import CELLS, TARGET, FileKind
from core.store.tables import read_dump, read_json

PACKED_FORMAT = "packed"

_CACHE, _SLOTS = 16 << 20, 4001
"""Bytes of unpacked chunks that HDF5 keeps for each open tensor, and places to find them by (a prime)."""


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
        status = Path(path).stat()
        dataset = _opened(path, (status.st_ino, status.st_size, status.st_mtime_ns))[name]
    except (OSError, KeyError):
        raise InputError(Problem("store_damaged", path)) from None
    return PackedTensor(dataset, path, name)


@lru_cache(maxsize=4)
def _opened(path: str, _state: tuple[int, int, int]) -> h5py.File:
    """Return the open file; another one once its state (inode, size, time of change) is another."""
    return h5py.File(path, "r", rdcc_nbytes=_CACHE, rdcc_nslots=_SLOTS)
