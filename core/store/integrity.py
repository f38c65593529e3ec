"""Files that are whole or not there: written aside, sealed with a digest, renamed.

Every dataset carries fletcher32, which HDF5 checks when it is read, but most bytes of a file are not
dataset chunks. So the first 512 bytes (an HDF5 userblock, which every HDF5 reader skips) hold one line
that names the file's kind, schema version, length and the digest of all that follows. A killed writer
leaves only a temporary file; a flipped byte anywhere is noticed when the file is opened.

In packed files the tensors' chunks are left out of the digest (reading hundreds of gigabytes to open a
file is no option); a flip there is noticed by fletcher32 when that tensor is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py

from core.errors import InputError, Problem
from core.store.forgiving_file import ForgivingFile
from core.store.places import finished_file
from core.store.schema import SCHEMA_VERSION, TENSORS, FileKind

USERBLOCK = 512
_BLOCK = 1 << 20
_SIGNATURE = b'{"ulpscope":'

Extent = tuple[int, int]
"""Offset and length in bytes."""


@dataclass(frozen=True, slots=True)
class Seal:
    """What the userblock says of a file."""

    kind: FileKind
    schema: int
    length: int
    digest: str

    def encode(self) -> bytes:
        """Return the userblock: one line of JSON, padded with spaces."""
        text = json.dumps(
            {
                "ulpscope": self.kind.value,
                "schema": self.schema,
                "length": self.length,
                "digest": self.digest,
            },
            separators=(",", ":"),
        )
        return text.encode("ascii").ljust(USERBLOCK - 1) + b"\n"


def read_seal(path: Path) -> Seal | None:
    """Return the seal of *path*, or ``None`` if it is no ulpscope file.

    Raises
    ------
    InputError
        If the file begins like one of ours but the seal is damaged, or it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            block = stream.read(USERBLOCK)
    except OSError as error:
        raise InputError(Problem("unreadable", str(path), {"why": error.strerror or str(error)})) from None
    try:
        said = json.loads(block)
        seal = Seal(FileKind(said["ulpscope"]), int(said["schema"]), int(said["length"]), str(said["digest"]))
    except (ValueError, KeyError, TypeError):
        seal = None
    if seal is not None and seal.encode() == block:
        return seal
    if block.startswith(_SIGNATURE) or b'","schema":' in block or b',"digest":"' in block:
        raise InputError(Problem("store_damaged", str(path)))
    return None


@contextlib.contextmanager
def sealed_writer(path: Path, kind: FileKind) -> Iterator[h5py.File]:
    """Open a new HDF5 file that becomes *path*, sealed, when the block ends without an exception."""
    with finished_file(path) as temporary:
        with temporary.open("w+b", buffering=0) as stream:
            disk = ForgivingFile(stream)
            with h5py.File(disk, "w", userblock_size=USERBLOCK, libver=("v110", "v110")) as file:
                yield file
                file.flush()
                disk.check()
            disk.check()
        with h5py.File(temporary, "r") as file:
            skipped = _tensor_extents(file)
        digest = _digest(temporary, skipped)
        with temporary.open("r+b") as stream:
            stream.write(Seal(kind, SCHEMA_VERSION, temporary.stat().st_size, digest).encode())
            stream.flush()
            os.fsync(stream.fileno())


@contextlib.contextmanager
def sealed_reader(path: Path, kinds: tuple[FileKind, ...], *, whole: bool = True) -> Iterator[h5py.File]:
    """Open *path* for reading after checking its seal.

    Not *whole*: the digest is left out, for a small part of a file that was checked when it was opened.

    Raises
    ------
    InputError
        If it is not an ulpscope file of one of *kinds*, is damaged, or is of a newer version.
    """
    seal = read_seal(path)
    if seal is None or seal.kind not in kinds:
        raise InputError(Problem("not_a_store", str(path), {"kinds": ", ".join(kinds)}))
    if seal.schema > SCHEMA_VERSION:
        raise InputError(Problem("store_too_new", str(path), {"schema": seal.schema}))
    damaged = InputError(Problem("store_damaged", str(path)))
    if path.stat().st_size != seal.length:
        raise damaged
    if whole and seal.kind is not FileKind.PACKED and _digest(path, []) != seal.digest:
        raise damaged
    try:
        with h5py.File(path, "r") as file:
            if whole and seal.kind is FileKind.PACKED and _digest(path, _tensor_extents(file)) != seal.digest:
                raise damaged
            yield file
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        # HDF5 says so in one of these when a checksum does not fit or a structure makes no sense.
        raise InputError(Problem("store_damaged", str(path))) from error


def _digest(path: Path, skipped: list[Extent]) -> str:
    """Return the BLAKE2b digest (128 bits, hexadecimal) of *path* behind its userblock."""
    state = hashlib.blake2b(digest_size=16)
    with path.open("rb") as stream:
        position = USERBLOCK
        for offset, length in [*sorted(skipped), (path.stat().st_size, 0)]:
            stream.seek(position)
            left = offset - position
            while left > 0 and (block := stream.read(min(left, _BLOCK))):
                state.update(block)
                left -= len(block)
            position = offset + length
    return state.hexdigest()


def _tensor_extents(file: h5py.File) -> list[Extent]:
    """Return where the chunks of all packed tensors lie in the file."""
    if TENSORS not in file:
        return []
    found: list[Extent] = []
    base: int | None = None

    def collect(_name: str, item: h5py.Dataset | h5py.Group) -> None:
        nonlocal base
        if not isinstance(item, h5py.Dataset) or item.chunks is None:
            return
        if base is None and item.id.get_num_chunks():
            base = _address_base(item)
        item.id.chunk_iter(lambda chunk: found.append((chunk.byte_offset + (base or 0), chunk.size)))

    file[TENSORS].visititems(collect)
    return found


def _address_base(dataset: h5py.Dataset) -> int:
    """Return what to add to a chunk's offset: some HDF5 versions count from the end of the userblock."""
    chunk = dataset.id.get_chunk_info(0)
    _, stored = dataset.id.read_direct_chunk(chunk.chunk_offset)
    with Path(dataset.file.filename).open("rb") as stream:
        for base in (0, USERBLOCK):
            stream.seek(chunk.byte_offset + base)
            if stream.read(chunk.size) == stored:
                return base
    raise OSError("a chunk is not where the file says it is")
