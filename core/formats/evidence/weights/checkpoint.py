"""A checkpoint's weights, each with a checksum over its elements; nothing of it is unpickled."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.dtypes import Kind
from core.errors import Problem
from core.formats.evidence.weights.layout import ENDINGS, Checkpoint, step_in
from core.formats.evidence.weights.mindspore import is_mindspore, open_mindspore
from core.formats.evidence.weights.model_tensors import model_keys
from core.formats.evidence.weights.parts import rank_of
from core.formats.evidence.weights.rows import WeightRows
from core.formats.tensors import TensorError, TensorHandle, open_tensors
from core.messages import Message, Parameter
from core.progress import Progress, Work
from core.records.evidence import Evidence, EvidenceKind, Place

_PIECE = 1 << 20
"""Bytes that are hashed at a time."""
_BFLOAT16_INFINITY = 0x7F80
_REPEATED, _SMALL = 16, 64 << 20
"""A tensor of more bytes than the second number, and so many times its whole file, repeats few elements by
strides of 0 without end; hashing it would take for ever. No weights are stored so.
"""
_TOLD_EACH = 16
"""Pieces between two tellings of the progress."""


def read_checkpoint(path: str, checkpoint: Checkpoint) -> Work[Evidence]:
    """Return the weights of *checkpoint*, which lies at *path*.

    Memory is bounded by one piece of a tensor and the rows. A file or tensor that cannot be read is a problem
    and costs itself: one problem a file and reason. So is a tensor that two files hold with other numbers.
    """
    rows = WeightRows()
    problems = list(checkpoint.problems)
    special: set[str] = set()
    empty = 0
    for file, head in checkpoint.files:
        try:
            named = dict(_tensors(file))
        except TensorError as error:
            problems.append(error.problem)
            continue
        keys = model_keys(list(named))
        whole = Path(file).stat().st_size
        total = sum(handle.nbytes for name in keys if isinstance(handle := named[name], TensorHandle))
        done = 0
        lost: dict[str, list[Problem]] = {}
        twice: dict[str, list[str]] = {}
        for name, key in keys.items():
            handle = named[name]
            if not isinstance(handle, Problem) and handle.nbytes > max(_REPEATED * whole, _SMALL):
                handle = Problem("weights_expanded", file, {"name": name})
            if isinstance(handle, Problem):
                lost.setdefault(handle.code, []).append(handle)
                continue
            digest, finite = yield from _digest(handle, done, total, file)
            done += handle.nbytes
            empty += not handle.size
            other = rows.add(
                head + key, dtype=handle.dtype.name, shape=handle.shape, digest=digest, file=file, member=name
            )
            if not finite:
                special.add(head + key)
            if other is not None:
                twice.setdefault(other, []).append(head + key)
        for found in lost.values():
            problems += _lost(found, len(keys))
        problems += [twice_told(file, other, names) for other, names in twice.items()]
    if len(rows) and empty == len(rows):
        # Stage 3 of ZeRO leaves empty tensors here; the numbers are in the optimizer's files, in pieces.
        problems.append(Problem("weights_partitioned", path))
        rows = WeightRows()
    if not len(rows):
        # What is named as weights are, and says why there are none: a row that needs them is to tell it.
        named_so = path.endswith(ENDINGS) or not checkpoint.files or checkpoint.files[0][0] != path
        kinds = (EvidenceKind.WEIGHTS,) if problems and named_so else ()
        return Evidence(path, kinds, problems=tuple(problems) or (Problem("weights_none", path),))
    table = rows.table(checkpoint.step, Place(path), frozenset(special))
    return Evidence(path, (EvidenceKind.WEIGHTS,), weights=table, problems=tuple(problems))


def read_weight_file(path: str) -> Work[Evidence]:
    """Return the weights in the one file *path*."""
    place = Path(path)
    rank = rank_of(place)
    return (
        yield from read_checkpoint(path, Checkpoint(((path, f"{rank}/" if rank else ""),), step_in(place)))
    )


def twice_told(file: str, other: str, names: Sequence[str]) -> Problem:
    """Return that *file* holds the tensors *names* with other numbers than *other*, of the same side."""
    return Problem("weights_twice", file, {"count": len(names), "first": names[0], "other": other})


def _lost(found: list[Problem], total: int) -> list[Problem]:
    """Return what to say of all tensors of a file that cannot be read for the same reason."""
    told: dict[str, Parameter] = {"count": len(found), "total": total}
    if found[0].code == "tensor_truncated":
        return [Problem("weights_truncated", found[0].path, told)]
    return found if len(found) == 1 else [found[0], Problem("weights_lost", found[0].path, told)]


def _tensors(path: str) -> Iterator[tuple[str, TensorHandle | Problem]]:
    if is_mindspore(path):
        return open_mindspore(path)
    return open_tensors(path)


def _digest(handle: TensorHandle, done: int, total: int, path: str) -> Work[tuple[str, bool]]:
    """Return the SHA-256 over the elements, in C order and little endian, in the dtype of the file.

    And whether all of them are finite.
    """
    digest, finite = hashlib.sha256(), True
    step = max(_PIECE // max(handle.storage.itemsize, 1), 1)
    for number, start in enumerate(range(0, handle.size, step)):
        if number % _TOLD_EACH == 0:
            read = done + start * handle.storage.itemsize
            yield Progress(read, total, Message("progress.weights", {"path": path}))
        stop = min(start + step, handle.size)
        # A pending conjugation or sign is part of the numbers; where there is none, bits are as good.
        bits = handle.flat_bits(start, stop)
        finite = finite and _all_finite(handle, bits)
        block = bits if handle.plain else handle.numbers(bits)
        if block.dtype.byteorder == ">":
            block = block.astype(block.dtype.newbyteorder("<"))
        digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest(), finite


def _all_finite(handle: TensorHandle, bits: NDArray[Any]) -> bool:
    if handle.stored.kind not in (Kind.FLOAT, Kind.COMPLEX) or not bits.size:
        return True
    if handle.stored.name == "bfloat16":  # by its bits: ten times as fast as widened
        return int((bits & 0x7FFF).max()) < _BFLOAT16_INFINITY
    return bool(np.isfinite(handle.numbers(bits)).all())
