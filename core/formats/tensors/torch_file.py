"""``.pt`` and ``.pth``: a zip of stored members with a pickle beside the raw bytes of each storage."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from core.dtypes import DTYPES
from core.errors import Problem
from core.formats.tensors.archive import Member, inflate, locate
from core.formats.tensors.errors import TensorError, choice_failure, failure
from core.formats.tensors.handle import Proof, TensorHandle
from core.formats.tensors.layout import meaning, strided_at
from core.formats.tensors.mapping import Buffer
from core.formats.tensors.opcodes import MAX_PICKLE, Interpreter
from core.formats.tensors.rebuild import Refused, TensorSpec

LEGACY_MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""How torch.save before 1.6 begins: raw pickles, not a zip."""

_MAX_LISTED = 1_000_000
_MAX_DEPTH = 64
_CACHED_BELOW = 1024


def open_in(
    content: Buffer, members: dict[str, Member], pickle: str, path: str, word: str | None, member: str | None
) -> TensorHandle:
    """Return the tensor *member* (``None``: the only one) of the archive whose pickle is *pickle*.

    Raises
    ------
    TensorError
        Of this package's problems, the first that applies.
    """
    described = _describe(content, members, pickle, path)
    if isinstance(described, TensorSpec) and not member:
        spec = described
    else:
        named = tensors_of(described)
        if member is None and len(named) == 1:
            spec = next(iter(named.values()))
        elif member is None:
            raise choice_failure(path, len(named))
        elif member in named:
            spec = named[member]
        else:
            raise failure("tensor_no_member", path, member=member)
    return _map(content, members, pickle[: -len("data.pkl")], spec, path, word, member or "")


def names_in(content: Buffer, members: dict[str, Member], pickle: str, path: str) -> list[str]:
    """Return the names of the archive's tensors, ``[""]`` for a bare one."""
    return list(tensors_of(_describe(content, members, pickle, path)))


def open_all(
    content: Buffer, members: dict[str, Member], pickle: str, path: str
) -> Iterator[tuple[str, TensorHandle | Problem]]:
    """Yield each tensor of the archive by its name, or why it cannot be opened; described once for all.

    Raises
    ------
    TensorError
        If none of them can.
    """
    root = pickle[: -len("data.pkl")]
    for name, spec in tensors_of(_describe(content, members, pickle, path)).items():
        try:
            yield name, _map(content, members, root, spec, path, None, name)
        except TensorError as error:
            yield name, error.problem


def _describe(content: Buffer, members: dict[str, Member], pickle: str, path: str) -> Any:
    member = members[pickle]
    if member.size > MAX_PICKLE:
        raise failure("zip_too_large", path, member=pickle, size=member.size, limit=MAX_PICKLE)
    data = inflate(content, member, pickle, path, MAX_PICKLE)
    try:
        # Tensors of one shape and dtype have the same pickle: a dump holds a few dozen different ones.
        return _interpret_small(data) if len(data) <= _CACHED_BELOW else Interpreter(data).run()
    except Refused as refusal:
        raise failure(refusal.code, path, **refusal.parameters) from None


@lru_cache(maxsize=1024)
def _interpret_small(data: bytes) -> Any:
    return Interpreter(data).run()


def tensors_of(described: Any) -> dict[str, TensorSpec]:
    """Return the tensors inside nested containers by dotted path: ``model.fc.weight``, ``0.1``."""
    found: dict[str, TensorSpec] = {}
    seen: set[int] = set()
    pending: list[tuple[str, int, Any]] = [("", 0, described)]
    while pending and len(found) < _MAX_LISTED:
        name, depth, value = pending.pop()
        if isinstance(value, TensorSpec):
            found[name] = value
            continue
        # Shared containers are visited once: references to references grow without end.
        if depth >= _MAX_DEPTH or not isinstance(value, (dict, list, tuple)) or id(value) in seen:
            continue
        seen.add(id(value))
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        children = [(f"{name}.{key}" if name else str(key), depth + 1, item) for key, item in entries]
        pending.extend(reversed(children))
    return found


def _map(
    content: Buffer,
    members: dict[str, Member],
    root: str,
    spec: TensorSpec,
    path: str,
    word: str | None,
    member: str,
) -> TensorHandle:
    stored = DTYPES.get(spec.word)
    if stored is None:
        raise failure("tensor_dtype_unsupported", path, dtype=spec.word or "UntypedStorage")
    storage = stored.storage
    order = members.get(root + "byteorder")
    if order is not None:
        text = inflate(content, order, root + "byteorder", path, 64)
        if text not in (b"little", b"big"):
            raise failure("zip_broken", path, member=root + "byteorder")
        if text == b"big":
            storage = storage.newbyteorder(">")
    name = f"{root}data/{spec.storage.key}"
    where = members.get(name)
    proof = None
    if where is None:
        if all(spec.shape):
            raise failure("zip_broken", path, member=name)
        offset = available = 0  # torch leaves out the member of an empty storage at times
    else:
        offset, available = locate(content, where, name, path), where.size
        # The storage's elements are of its own type: bytes where it has none.
        of_storage = DTYPES.get(spec.storage.word)
        whole = spec.storage.numel * (of_storage.itemsize if of_storage is not None else 1)
        if whole > available:
            raise failure("tensor_truncated", path, need=whole, have=available)
        if where.checksum:
            proof = Proof(content, offset, where.size, where.checksum)
    array = strided_at(content, offset, available, spec.shape, spec.stride, spec.offset, storage, path)
    return TensorHandle(
        array,
        stored,
        dtype=meaning(stored, word),
        path=path,
        member=member,
        conjugate=spec.conjugate,
        negative=spec.negative,
        proof=proof,
    )
