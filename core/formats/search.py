"""Find the dumps in a folder, by the names of files and a look at their first bytes."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import Problem
from core.formats.data_folder import TENSOR_SUFFIXES
from core.formats.layout import Found
from core.formats.natural import natural_key

DATA_FOLDERS = ("dump_tensor_data", "tensor_data")
"""Names of msprobe's folders of tensors; they may hold 100 000 files and no dump."""

MAX_DEPTH = 12
MAX_FOLDERS = 50_000
SIDE_FILES = {"stack": "stack.json", "construct": "construct.json", "errors": "dump_error_info.log"}

DUMP_FILES = frozenset(("dump.json", "debug.json", *SIDE_FILES.values()))
"""Names that nothing but a dump's own files have."""

_PTDBG_TENSOR = re.compile(r"[._](?:forward|backward)[._](?:input|output)(?:\.\d+)*\.npy$")
_INFO = re.compile(r"^(?:forward|backward)_info_\d+\.json$")
"""What ptdbg_ascend's overflow check and the old accuracy checker wrote; bodies as in a dump.json."""
_OVERFLOW = re.compile(r"^(?:Overflow_info_.*|.*_(?:forward|backward)_\d+)\.pkl$", re.S)


@dataclass
class _Listing:
    """What lies in one folder."""

    path: str
    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)


@dataclass
class Search:
    """Dumps and problems that :func:`search` found, and how many folders it looked into."""

    found: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    folders: int = 0


def search(root: str) -> Search:
    """Look for dumps in *root* and the folders below it.

    Folders of tensors are not entered, links are followed but no folder is seen twice, and depth and
    number of folders are limited.
    """
    result = Search()
    seen: set[tuple[int, int]] = set()
    pending = [(root, 0)]
    while pending:
        path, depth = pending.pop()
        if result.folders >= MAX_FOLDERS:
            result.problems.append(Problem("search_stopped", root, {"count": MAX_FOLDERS}))
            break
        try:
            facts = os.stat(path)  # noqa: PTH116 - one idiom in this module
            if (facts.st_dev, facts.st_ino) in seen:
                continue
            seen.add((facts.st_dev, facts.st_ino))
            listing = _list(path)
        except OSError as error:
            result.problems.append(_denied(path, error))
            continue
        result.folders += 1
        entered = _look(listing, result)
        if depth < MAX_DEPTH:
            ordered = sorted(entered, key=natural_key, reverse=True)
            pending += [(os.path.join(path, name), depth + 1) for name in ordered]  # noqa: PTH118
    return result


def _denied(path: str, error: OSError) -> Problem:
    if isinstance(error, PermissionError):
        return Problem("no_permission", path)
    return Problem("not_readable", path, {"reason": error.strerror or type(error).__name__})


def _list(path: str) -> _Listing:
    listing = _Listing(path)
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                (listing.folders if entry.is_dir() else listing.files).append(entry.name)
            except OSError:  # a link that leads nowhere
                continue
    return listing


def _look(listing: _Listing, result: Search) -> list[str]:
    """Note the dumps in one folder; return the names of the folders to go on with."""
    folders = [name for name in listing.folders if name not in DATA_FOLDERS and not name.startswith(".")]
    result.found += msprobe_dumps(listing.path, listing.files, listing.folders)
    stems, dumps = _ptdbg_dumps(listing, result.problems)
    result.found += dumps
    folders = [name for name in folders if name not in stems]
    if not stems and any(_PTDBG_TENSOR.search(name) for name in listing.files):
        parent, name = os.path.split(listing.path)
        result.found.append(Found(parent, "ptdbg", {"data": listing.path}, name))
    return folders


def msprobe_dumps(path: str, files: list[str], folders: list[str]) -> list[Found]:
    """Return the msprobe dumps in the folder *path* that holds *files* and *folders*."""
    here = Path(path)
    data = next((str(here / name) for name in DATA_FOLDERS if name in folders), "")
    roles = {role: str(here / name) for role, name in SIDE_FILES.items() if name in files}
    if data:
        roles["data"] = data
    found = []
    if "dump.json" in files:
        found.append(Found(path, "msprobe", {"dump": str(here / "dump.json"), **roles}))
    if "debug.json" in files:
        variant = "debug" if found else ""
        found.append(Found(path, "msprobe", {"dump": str(here / "debug.json"), **roles}, variant))
    legacy = sorted(name for name in files if _INFO.match(name))
    for name in legacy:
        # Files named in it lie below the folder, with their path.
        variant = Path(name).stem if len(legacy) > 1 else ""
        found.append(Found(path, "msprobe", {"dump": str(here / name), "data": path}, variant))
    if not found and data:
        found += _loose_tensors(path, data)
    return found


def _loose_tensors(path: str, data: str) -> list[Found]:
    """Return views of tensor folders without a dump.json; aclgraph has them a rank each until a step ends."""
    try:
        listing = _list(data)
    except OSError:
        return []
    found = []
    if any(name.endswith(TENSOR_SUFFIXES) for name in listing.files):
        found.append(Found(path, "msprobe", {"data": data}))
    for name in listing.folders:
        inner = str(Path(data) / name)
        found.append(Found(str(Path(path) / name), "msprobe", {"data": inner}))
    return found


def _ptdbg_dumps(listing: _Listing, problems: list[Problem]) -> tuple[set[str], list[Found]]:
    """Return the dumps in ``.pkl`` files, and the names of the folders of tensors that belong to them."""
    dumps: list[str] = []
    overflows: list[str] = []
    here = Path(listing.path)
    for name in sorted((name for name in listing.files if name.endswith(".pkl")), key=natural_key):
        problem = refused_pickle(str(here / name))
        if problem is not None:
            problems.append(problem)
        else:
            (overflows if _OVERFLOW.match(name) else dumps).append(name)
    stems = {Path(name).stem for name in dumps + overflows}
    found = [_ptdbg_dump(here, [name], Path(name).stem if len(dumps) > 1 else "") for name in dumps]
    if overflows:
        found.append(_ptdbg_dump(here, overflows, "overflow" if dumps else ""))
    return stems, found


def _ptdbg_dump(here: Path, names: list[str], variant: str) -> Found:
    files = {f"dump{index or ''}": str(here / name) for index, name in enumerate(names)}
    files["data"] = str(here / Path(names[0]).stem if len(names) == 1 else here)
    return Found(str(here), "ptdbg", files, variant)


def refused_pickle(path: str) -> Problem | None:
    """Return why the ``.pkl`` file *path* is not read: only ptdbg's lines of JSON arrays are."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(256)
    except OSError as error:
        return _denied(path, error)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return Problem("legacy_pickle_refused", path) if start and not start.startswith(b"[") else None
