"""The door: a path (and a member) in, a mapped tensor out. Content decides, not the extension."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import Problem
from core.formats.tensors import npy, safetensors, torch_file
from core.formats.tensors.archive import STORED, Member, inflate, locate, read_directory
from core.formats.tensors.errors import TensorError, choice_failure, failure
from core.formats.tensors.handle import Proof, TensorHandle
from core.formats.tensors.mapping import Buffer, map_file

MAX_INFLATED = 2 << 30
"""Bytes that a deflated member of a ``.npz`` may have; stored members are mapped, whatever their size."""

_ZIP = b"PK\x03\x04"
_PICKLE = b"\x80"


def open_tensor(
    path: str, *, dtype: str | None = None, member: str | None = None, size: int = -1, mtime_ns: int = -1
) -> TensorHandle:
    """Map the tensor in the file *path*.

    Parameters
    ----------
    path
        A ``.pt``, ``.npy``, ``.npz`` or ``.safetensors`` file, whatever it is called.
    dtype
        What the dump calls the dtype. Explains raw bytes (``V2``) and names the format of numbers that
        were saved in a wider one.
    member
        Which of several tensors, as :func:`list_tensors` names it; ``None`` takes the only one.
    size, mtime_ns
        What the file had when its dump was read; -1 means not known.

    Raises
    ------
    TensorError
        With a problem that names the file, what is wrong and what to do.
    """
    content = map_file(path, size, mtime_ns)
    head = content[:6]
    if head[:4] == _ZIP:
        members = read_directory(content, path)
        pickle = _pickle_of(members)
        if pickle is not None:
            return torch_file.open_in(content, members, pickle, path, dtype, member)
        return _open_npz(content, members, path, dtype, member)
    if head == npy.MAGIC:
        if member:
            raise failure("tensor_no_member", path, member=member)
        return npy.open_npy(content, 0, len(content), path, dtype)
    _refuse_others(content, path)
    return safetensors.open_safetensors(content, path, dtype, member)


def list_tensors(path: str) -> list[str]:
    """Return the names of the tensors in *path*, to be passed as ``member``.

    A file of one bare tensor (``.npy``, most ``.pt``) gives ``[""]``.

    Raises
    ------
    TensorError
        If the file cannot be read at all.
    """
    content = map_file(path)
    head = content[:6]
    if head[:4] == _ZIP:
        members = read_directory(content, path)
        pickle = _pickle_of(members)
        if pickle is not None:
            return torch_file.names_in(content, members, pickle, path)
        return [name.removesuffix(".npy") for name in members if not name.endswith("/")]
    if head == npy.MAGIC:
        return [""]
    _refuse_others(content, path)
    return safetensors.names_in(content, path)


def open_tensors(path: str) -> Iterator[tuple[str, TensorHandle | Problem]]:
    """Yield each tensor in the file *path* by its name, or why it cannot be opened.

    The file is mapped, and what describes its tensors read, once for all of them: for files of many, where
    :func:`open_tensor` would begin anew each time.

    Raises
    ------
    TensorError
        If the file cannot be read at all.
    """
    content = map_file(path)
    head = content[:6]
    members = read_directory(content, path) if head[:4] == _ZIP else {}
    pickle = _pickle_of(members)
    if pickle is not None:
        yield from torch_file.open_all(content, members, pickle, path)
    elif head[:4] == _ZIP or head == npy.MAGIC:
        for name in list_tensors(path):
            try:
                yield name, open_tensor(path, member=name or None)
            except TensorError as error:
                yield name, error.problem
    else:
        _refuse_others(content, path)
        yield from safetensors.open_all(content, path)


def _refuse_others(content: Buffer, path: str) -> None:
    """Raise unless *content* is safetensors, the one format without a magic number."""
    if content[: len(torch_file.LEGACY_MAGIC)] == torch_file.LEGACY_MAGIC:
        raise failure("pickle_legacy", path)
    if not safetensors.looks_like(content):
        raise failure("pickle_bare" if content[:1] == _PICKLE else "tensor_unknown_format", path)


def _pickle_of(members: dict[str, Member]) -> str | None:
    """Return the name of the torch pickle: ``data.pkl`` in the one folder at the top."""
    first = next(iter(members), "")
    if first.endswith("/data.pkl") and first.count("/") == 1:
        return first
    return next((name for name in members if name.endswith("/data.pkl") and name.count("/") == 1), None)


def _open_npz(
    content: Buffer, members: dict[str, Member], path: str, dtype: str | None, member: str | None
) -> TensorHandle:
    names = {name.removesuffix(".npy"): name for name in members if not name.endswith("/")}
    if member is None:
        if len(names) != 1:
            raise choice_failure(path, len(names))
        member = next(iter(names))
    if member not in names:
        raise failure("tensor_no_member", path, member=member)
    name = names[member]
    where = members[name]
    if where.method == STORED:
        offset = locate(content, where, name, path)
        proof = Proof(content, offset, where.size, where.checksum) if where.checksum else None
        return npy.open_npy(content, offset, where.size, path, dtype, member, proof)
    inflated = inflate(content, where, name, path, MAX_INFLATED)
    return npy.open_npy(inflated, 0, len(inflated), path, dtype, member)
