"""The door to what is on disk: find the cells of a run, and read one."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from core.errors import InputError, Problem
from core.formats.folder_entries import is_folder
from core.formats.layout import Found, assign_keys
from core.formats.msprobe import reader as msprobe
from core.formats.ptdbg import reader as ptdbg
from core.formats.search import DATA_FOLDERS, msprobe_dumps, refused_pickle, search
from core.progress import Work
from core.records.dump import Dump
from core.records.run import CellSource, Run

Reader = Callable[[CellSource], Work[Dump]]
"""Reads one cell. It never raises for what is wrong with the input, but notes it in the dump."""

_readers: dict[str, Reader] = {msprobe.NAME: msprobe.read, ptdbg.NAME: ptdbg.read}

_HDF5 = b"\x89HDF\r\n\x1a\n"
_JSON_NAMES = ("dump.json", "debug.json")
_SIDE_NAMES = ("stack.json", "construct.json")
_DUMP_KEYS = re.compile(rb'"(?:data|input_args|input_kwargs|input|output|args|parameters)"\s*:')
_TENSOR_STARTS = (b"PK\x03\x04", b"\x93NUMPY", b"\x80")


def register(name: str, reader: Reader) -> None:
    """Let cells of format *name* be read by *reader*; a layer above adds its own formats so."""
    _readers[name] = reader


def read_cell(source: CellSource) -> Work[Dump]:
    """Read one cell of a run: yields progress, returns the dump.

    Raises
    ------
    InputError
        If no reader is registered for the format of *source*.
    """
    reader = _readers.get(source.format)
    if reader is None:
        path = next(iter(source.files.values()), "")
        raise InputError(Problem("unknown_format", path, {"format": source.format}))
    return (yield from reader(source))


def find_run(path: str | os.PathLike[str]) -> Run:
    """Find the dumps at *path*: a run, step or rank folder, anything above them, or one dump file.

    Nothing is parsed. What was wrong on the way stands in ``problems`` of the run.

    Raises
    ------
    InputError
        If there is no dump at all.
    """
    place = os.path.abspath(os.fspath(path))  # noqa: PTH100 - resolve() would follow links
    problems: list[Problem] = []
    if Path(place).is_dir():
        root = place
        if Path(place).name in DATA_FOLDERS:
            root = str(Path(place).parent)
        result = search(root)
        found, problems = result.found, result.problems
        if not found:
            raise InputError(
                problems[0] if problems else Problem("nothing_found", place, {"count": result.folders})
            )
    else:
        found = [_open_file(place)]
        root = found[0].folder
    cells, clashes = assign_keys(found, root)
    formats = Counter(dump.format for dump in found)
    return Run(
        path=place,
        format=formats.most_common(1)[0][0],
        cells={key: CellSource(key, dump.format, dump.files) for key, dump in cells.items()},
        problems=(*problems, *clashes),
    )


def _open_file(path: str) -> Found:
    """Return the dump that a single file is."""
    file = Path(path)
    folder = str(file.parent)
    try:
        with file.open("rb") as stream:
            head = stream.read(1 << 16)
    except FileNotFoundError:
        raise InputError(Problem("not_there", path)) from None
    except PermissionError:
        raise InputError(Problem("no_permission", path)) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem("not_readable", path, {"reason": reason})) from None
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(_HDF5):
        raise InputError(Problem("hdf5_file", path))
    if file.suffix == ".pkl" or start.startswith(b'["'):
        problem = refused_pickle(path)
        if problem is not None:
            raise InputError(problem)
        return Found(folder, ptdbg.NAME, {"dump": path, "data": str(file.with_suffix(""))})
    if file.name in _JSON_NAMES or start.startswith(b"{"):
        return _open_json(file, head)
    code = "tensor_file" if head.startswith(_TENSOR_STARTS) else "not_a_dump"
    raise InputError(Problem(code, path))


def _open_json(file: Path, head: bytes) -> Found:
    """Return the msprobe dump that *file* is or, for a stack.json or construct.json, lies beside."""
    try:
        entries = list(os.scandir(file.parent))
    except OSError:
        entries = []
    files = [entry.name for entry in entries if not is_folder(entry)]
    folders = [entry.name for entry in entries if is_folder(entry)]
    beside = msprobe_dumps(str(file.parent), files, folders)
    for dump in beside:
        if dump.files.get("dump") == str(file) or file.name in _SIDE_NAMES:
            return Found(dump.folder, dump.format, dump.files)
    if file.name not in _JSON_NAMES and not _DUMP_KEYS.search(head):
        raise InputError(Problem("not_a_dump", str(file)))
    return Found(str(file.parent), msprobe.NAME, {"dump": str(file)})
