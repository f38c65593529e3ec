"""A checkpoint's weights, each with a checksum over its elements; nothing of it is unpickled."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.errors import Problem
from core.formats.evidence.weights.layout import Checkpoint, step_in
from core.formats.evidence.weights.mindspore import is_mindspore, open_mindspore
from core.formats.evidence.weights.model_tensors import model_keys
from core.formats.evidence.weights.rows import WeightRows
from core.formats.tensors import TensorError, TensorHandle, open_tensors
from core.messages import Message
from core.progress import Progress, Work
from core.records.evidence import Evidence, EvidenceKind, Place

_PIECE = 1 << 20
"""Bytes that are hashed at a time."""
_TOLD_EACH = 16
"""Pieces between two tellings of the progress."""


def read_checkpoint(path: str, checkpoint: Checkpoint) -> Work[Evidence]:
    """Return the weights of *checkpoint*, which lies at *path*.

    Memory is bounded by one piece of a tensor and the rows. A file or tensor that cannot be read is a problem
    and costs itself.
    """
    rows = WeightRows()
    problems = list(checkpoint.problems)
    empty = 0
    for file, head in checkpoint.files:
        try:
            named = dict(_tensors(file))
        except TensorError as error:
            problems.append(error.problem)
            continue
        keys = model_keys(list(named))
        total = sum(handle.nbytes for name in keys if isinstance(handle := named[name], TensorHandle))
        done = 0
        for name, key in keys.items():
            handle = named[name]
            if isinstance(handle, Problem):
                problems.append(handle)
                continue
            digest = yield from _digest(handle, done, total, file)
            done += handle.nbytes
            empty += not handle.size
            rows.add(
                head + key, dtype=handle.dtype.name, shape=handle.shape, digest=digest, file=file, member=name
            )
    if len(rows) and empty == len(rows):
        # Stage 3 of ZeRO leaves empty tensors here; the numbers are in the optimizer's files, in pieces.
        problems.append(Problem("weights_partitioned", path))
        rows = WeightRows()
    if not len(rows):
        return Evidence(path, (), problems=tuple(problems) or (Problem("weights_none", path),))
    table = rows.table(checkpoint.step, Place(path))
    return Evidence(path, (EvidenceKind.WEIGHTS,), weights=table, problems=tuple(problems))


def read_weight_file(path: str) -> Work[Evidence]:
    """Return the weights in the one file *path*."""
    place = Path(path)
    return (yield from read_checkpoint(path, Checkpoint(((path, ""),), step_in(place))))


def _tensors(path: str) -> Iterator[tuple[str, TensorHandle | Problem]]:
    if is_mindspore(path):
        return open_mindspore(path)
    return open_tensors(path)


def _digest(handle: TensorHandle, done: int, total: int, path: str) -> Work[str]:
    """Return the SHA-256 over the elements, in C order and little endian, in the dtype of the file."""
    digest = hashlib.sha256()
    step = max(_PIECE // max(handle.storage.itemsize, 1), 1)
    for number, start in enumerate(range(0, handle.size, step)):
        if number % _TOLD_EACH == 0:
            read = done + start * handle.storage.itemsize
            yield Progress(read, total, Message("progress.weights", {"path": path}))
        stop = min(start + step, handle.size)
        # A pending conjugation or sign is part of the numbers; where there is none, bits are as good.
        block = handle.flat_bits(start, stop) if handle.plain else handle.flat(start, stop)
        if block.dtype.byteorder == ">":
            block = block.astype(block.dtype.newbyteorder("<"))
        digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest()
