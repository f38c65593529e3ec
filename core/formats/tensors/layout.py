"""Bytes at an offset as an array, with every number checked before anything is mapped."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from core.dtypes import DType, dtype_named
from core.formats.tensors.errors import failure
from core.formats.tensors.mapping import Buffer

MAX_BYTES = 1 << 62
"""Larger products of dimensions than any file: refused before numpy sees them."""


def array_at(
    content: Buffer, offset: int, available: int, shape: tuple[int, ...], storage: np.dtype[Any], path: str
) -> NDArray[Any]:
    """Return *shape* elements in C order from *offset* on, of *available* bytes.

    Raises
    ------
    TensorError
        ``tensor_truncated``.
    """
    count = prod(shape)
    need = count * storage.itemsize
    if need > available or need > MAX_BYTES:
        raise failure("tensor_truncated", path, need=need, have=max(available, 0))
    if not count:
        return _empty(shape, storage, path)
    return np.frombuffer(content, storage, count, offset).reshape(shape)


def strided_at(
    content: Buffer,
    offset: int,
    available: int,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    first: int,
    storage: np.dtype[Any],
    path: str,
) -> NDArray[Any]:
    """Return a view with *stride* (elements) that begins *first* elements into the bytes at *offset*.

    Raises
    ------
    TensorError
        ``tensor_truncated`` if any element would lie outside the *available* bytes.
    """
    count = prod(shape)
    if not count:
        return _empty(shape, storage, path)
    last = first + sum((size - 1) * step for size, step in zip(shape, stride))
    need = (last + 1) * storage.itemsize
    # A stride of 0 repeats elements: few bytes then claim to be many, which is legal up to a point.
    if need > available or count * storage.itemsize > MAX_BYTES:
        raise failure("tensor_truncated", path, need=need, have=available)
    flat = np.frombuffer(content, storage, last + 1 - first, offset + first * storage.itemsize)
    if stride == contiguous_stride(shape) or count == 1:
        return flat[:count].reshape(shape)
    steps = tuple(step * storage.itemsize for step in stride)
    return as_strided(flat, shape, steps, writeable=False)


def _empty(shape: tuple[int, ...], storage: np.dtype[Any], path: str) -> NDArray[Any]:
    """Return no elements, in a *shape* that numpy takes: a 0 does not excuse any other dimension."""
    need = prod(size for size in shape if size) * storage.itemsize
    if need > MAX_BYTES:
        raise failure("tensor_truncated", path, need=need, have=0)
    return np.empty(shape, storage)


def contiguous_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides in elements of a C-ordered array of *shape*."""
    steps: list[int] = []
    step = 1
    for size in reversed(shape):
        steps.append(step)
        step *= size
    return tuple(reversed(steps))


def meaning(stored: DType, word: str | None) -> DType:
    """Return what the numbers are when the dump calls the dtype *word* and the file stores *stored*.

    The dump's word wins where it can be true of the file: a float tensor saved in a wider float format,
    a bf16 written as its bits. A word of another kind (the dump was edited) is passed over.
    """
    said = dtype_named(word) if word else None
    if said is None or said.kind is not stored.kind:
        return stored
    return said
