"""Packed tensors laid out flat, so that any order of their elements can be tried without unpacking twice."""

from __future__ import annotations

import tempfile

import numpy as np

from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.messages import Message
from core.progress import Progress, Work

_IN_MEMORY = 32 * 1024 * 1024
"""Bytes up to which a tensor is unpacked into memory; larger ones go to a temporary file that is mapped."""
_STEP = 1024 * 1024
"""Elements unpacked between two reports."""


def unpacked(handle: TensorHandle) -> Work[TensorHandle]:
    """Return *handle* itself if it is mapped, else the same tensor unpacked.

    Raises
    ------
    InputError
        ``no_room_to_unpack``: the temporary folder cannot hold it.
    """
    if handle.grain is None:
        return handle
    if handle.nbytes <= _IN_MEMORY:
        bits = handle.bits()
    else:
        try:
            bits = yield from _in_a_file(handle)
        except OSError as error:
            detail = {"detail": error.strerror or str(error)}
            raise InputError(Problem("no_room_to_unpack", tempfile.gettempdir(), detail)) from None
    return TensorHandle(bits, handle.stored, dtype=handle.dtype, path=handle.path, member=handle.member)


def _in_a_file(handle: TensorHandle) -> Work[np.ndarray]:
    """Return the bits of *handle* in a file that is gone once nothing maps it any more."""
    with tempfile.TemporaryFile(prefix="ulpscope-") as file:
        for start in range(0, handle.size, _STEP):
            yield Progress(start, handle.size, Message("progress.unpack"))
            file.write(handle.flat_bits(start, min(start + _STEP, handle.size)).data)
        file.flush()
        mapped = np.memmap(file, handle.storage, "r", shape=(handle.size,))
    return mapped.reshape(handle.shape)
