"""One door to everything that holds dumps: folders as dumpers leave them, and packed files."""

from __future__ import annotations

from pathlib import Path

from core.errors import InputError, Problem
from core.formats.registry import find_run, read_cell
from core.progress import Work
from core.records.dump import Dump
from core.records.run import CellSource, Run
from core.store.cache import Cache
from core.store.integrity import read_seal
from core.store.packed import PACKED_FORMAT, find_packed_run, read_packed_cell
from core.store.schema import FileKind


def open_run(path: str | Path) -> Run:
    """Return the run at *path*: a folder, a dump.json, a legacy ``.pkl`` or a packed file.

    Raises
    ------
    InputError
        If there is nothing that can be opened.
    """
    place = Path(path)
    if place.is_file():
        seal = read_seal(place)
        if seal is not None and seal.kind is FileKind.PACKED:
            return find_packed_run(place)
        if seal is not None:
            raise InputError(Problem("result_not_a_run", str(path)))
    return find_run(path)


def holds_dump(path: str | Path) -> bool:
    """Whether there is a dump at *path*, or below it."""
    try:
        open_run(path)
    except (InputError, OSError):
        return False
    return True


def is_result(path: str | Path) -> bool:
    """Whether *path* is a result file (damaged or not)."""
    place = Path(path)
    if not place.is_file():
        return False
    seal = read_seal(place)
    return seal is not None and seal.kind is FileKind.RESULT


def ingest(source: CellSource, cache: Cache | None) -> Work[Dump]:
    """Return the dump of *source*, from *cache* if it is there, parsed (and kept) otherwise."""
    if source.format == PACKED_FORMAT:
        return (yield from read_packed_cell(source))
    if cache is not None and (kept := cache.load(source)) is not None:
        return kept
    dump = yield from read_cell(source)
    if cache is not None:
        cache.save(source, dump)
    return dump
