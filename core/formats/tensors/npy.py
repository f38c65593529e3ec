"""``.npy`` in its three versions, and the numpy dtypes that a tensor may have.

Format: numpy's ``numpy.lib.format`` documentation (magic, version, header length, a Python literal).
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from core.dtypes import DTYPES, DType, dtype_named
from core.errors import Problem
from core.formats.tensors.errors import TensorError, failure
from core.formats.tensors.handle import Proof, TensorHandle
from core.formats.tensors.layout import array_at, meaning
from core.formats.tensors.mapping import Buffer

MAGIC = b"\x93NUMPY"
_MAX_HEADER = 64 * 1024
_MAX_DIMENSIONS = 64
_DESCR = re.compile(r"[<>|=]?(?P<kind>[a-zA-Z])(?P<size>\d{1,3})")
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}


class Header(NamedTuple):
    """What a header says. *stored* is ``None`` for raw bytes (``V2``) that only a dump can explain."""

    storage: np.dtype[Any]
    stored: DType | None
    descr: str
    fortran: bool
    shape: tuple[int, ...]


def open_npy(
    content: Buffer,
    start: int,
    size: int,
    path: str,
    word: str | None,
    member: str = "",
    proof: Proof | None = None,
) -> TensorHandle:
    """Return the array in the *size* bytes from *start* on.

    Raises
    ------
    TensorError
        ``npy_header``, ``tensor_object``, ``tensor_dtype_unsupported``, ``unknown_dtype``,
        ``tensor_truncated``.
    """
    head = content[start : start + 12]
    if head[:6] != MAGIC or len(head) < 12:
        raise failure("npy_header", path)
    width = 2 if head[6] == 1 else 4
    if head[6] not in (1, 2, 3):
        raise failure("npy_header", path)
    length = int.from_bytes(head[8 : 8 + width], "little")
    data = 8 + width + length
    if length > _MAX_HEADER or data > size:
        raise failure("npy_header", path)
    text = content[start + 8 + width : start + data]
    header = _parse(text, "utf-8" if head[6] == 3 else "latin-1")
    if isinstance(header, Problem):
        raise TensorError(Problem(header.code, path, header.parameters))
    stored = header.stored
    storage = header.storage
    if stored is None:
        stored = _explained(header, word)
        if stored is None:
            raise failure("unknown_dtype", path, dtype=header.descr)
        storage = stored.storage
    shape = header.shape[::-1] if header.fortran else header.shape
    array = array_at(content, start + data, size - data, shape, storage, path)
    return TensorHandle(
        array.T if header.fortran else array,
        stored,
        dtype=meaning(stored, word),
        path=path,
        member=member,
        proof=proof,
    )


def _explained(header: Header, word: str | None) -> DType | None:
    """Return what the dump's *word* makes of raw bytes, if it is a format of their size."""
    said = dtype_named(word) if word else None
    return said if said is not None and said.itemsize == header.storage.itemsize else None


@lru_cache(maxsize=1024)
def _parse(text: bytes, encoding: str) -> Header | Problem:
    try:
        fields = ast.literal_eval(text.decode(encoding).strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return Problem("npy_header", "")
    if not isinstance(fields, dict) or set(fields) != {"descr", "fortran_order", "shape"}:
        return Problem("npy_header", "")
    descr, fortran, shape = fields["descr"], fields["fortran_order"], fields["shape"]
    if not (
        isinstance(fortran, bool)
        and isinstance(shape, tuple)
        and len(shape) <= _MAX_DIMENSIONS
        and all(type(size) is int and 0 <= size < 1 << 62 for size in shape)
    ):
        return Problem("npy_header", "")
    if not isinstance(descr, str):
        return Problem("tensor_dtype_unsupported", "", {"dtype": str(descr)[:100]})
    if "O" in descr:
        return Problem("tensor_object", "")
    storage, stored = _dtype_of(descr)
    if storage is None:
        return Problem("tensor_dtype_unsupported", "", {"dtype": descr[:100]})
    return Header(storage, stored, descr, fortran, shape)


def _dtype_of(descr: str) -> tuple[np.dtype[Any] | None, DType | None]:
    """Return numpy's dtype of *descr* and ours; ours is ``None`` for raw bytes."""
    if descr in DTYPES:  # newer ml_dtypes write their own names
        return DTYPES[descr].storage, DTYPES[descr]
    found = _DESCR.fullmatch(descr)
    if found is None:
        return None, None
    kind, size = found["kind"], int(found["size"])
    if kind == "V" and size in (1, 2):
        return np.dtype(f"V{size}"), None
    if kind in ("b", "?") and size == 1:
        return DTYPES["bool"].storage, DTYPES["bool"]
    stored = DTYPES.get(f"{_KINDS.get(kind, '')}{size * 8}")
    if stored is None:
        return None, None
    storage = stored.storage.newbyteorder(">") if descr[0] == ">" else stored.storage
    return storage, stored
