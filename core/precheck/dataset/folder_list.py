"""The files of a folder with their checksums: in several processes, and resumable."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import InputError, Problem
from core.precheck.dataset import kept_digests
from core.precheck.dataset.folder_scan import ProblemsFound, ScannedFolder, scan_folder
from core.precheck.dataset.hashing import (
    ALGORITHMS,
    OPENING_COST,
    HashPlan,
    OneByOne,
    blocks_of,
    digest_length,
    hash_blocks,
    write_names,
)
from core.progress import Work
from core.records.evidence import FileList, Place
from core.workers.together import Tickets, together

_BLOCK_FILES = 256
_BLOCK_BYTES = 32 << 20
_WORTH_A_PROCESS = 512 << 20
"""Cost from which a further process, which takes a third of a second to start, is worth it."""
_MOST_PROCESSES = 8
"""More of them only wait for the disk."""


_Problems = tuple[Problem, ...]
_Call = tuple[Callable[..., Work[_Problems]], tuple[Any, ...]]


@dataclass(frozen=True)
class FolderListing:
    """What :func:`list_folder` found."""

    files: FileList
    """Sorted by name, relative to the folder; a file that could not be read has no checksum."""
    problems: tuple[Problem, ...]
    kept: int
    """Files whose checksum an earlier, unfinished listing already had."""

    @property
    def whole(self) -> bool:
        """Whether every file has its checksum."""
        return not self.files.algorithm or all(self.files.digests)


def list_folder(
    folder: str,
    algorithm: str = "md5",
    *,
    partial: str | None = None,
    resume: bool = False,
    leave_out: Sequence[str] = (),
    processes: int | None = None,
) -> Work[FolderListing]:
    """Return the files below *folder* with size and checksum.

    Parameters
    ----------
    folder
        Which links in it count is said at :func:`~core.precheck.dataset.folder_scan.scan_folder`.
    algorithm
        One of :data:`~core.precheck.dataset.hashing.ALGORITHMS`, or ``""`` for sizes alone.
    partial
        A folder to keep checksums in while they are taken; it is made. Cancelled or killed work leaves it,
        and *resume* takes up from there: only files that it lacks, or that changed since in size or time,
        are read. :func:`~core.precheck.dataset.kept_digests.forget` removes it once the list is written.
        ``None`` keeps nothing.
    leave_out
        Files, or folders, that are not the data set's: the list that is to be written, where it lies there.
    processes
        How many work at once; ``None`` chooses.

    Raises
    ------
    InputError
        ``dataset_no_folder``; ``dataset_algorithm`` of an unknown algorithm.
    OSError
        If *partial* cannot be written to.
    """
    if algorithm and algorithm not in ALGORITHMS:
        raise InputError(Problem("dataset_algorithm", algorithm, {"known": ", ".join(ALGORITHMS)}))
    problems = ProblemsFound(folder)
    scanned = yield from scan_folder(folder, problems)
    for place in (*leave_out, *([partial] if partial is not None else ())):
        scanned = _without(scanned, folder, place)
    digests, kept = [""] * len(scanned.names), 0
    more: _Problems = ()
    if algorithm:
        with tempfile.TemporaryDirectory(prefix="ulpscope-") as temporary:
            place = partial or str(Path(temporary) / "partial")
            kept_digests.begin(place, algorithm, resume=resume)
            length = digest_length(algorithm)
            for index, digest in kept_digests.kept_digests(place, scanned, length):
                kept += not digests[index]
                digests[index] = digest
            plan = _plan(folder, algorithm, scanned, digests, place, Path(temporary) / "names")
            hashed = yield from together(*_shared(plan, processes))
            more = tuple(problem for part in hashed for problem in part)
            for index, digest in kept_digests.kept_digests(place, scanned, length):
                digests[index] = digest
    files = FileList(tuple(scanned.names), scanned.sizes, tuple(digests), algorithm, False, Place(folder))
    return FolderListing(files, (*problems.all(), *more), kept)


def _without(scanned: ScannedFolder, folder: str, place: str) -> ScannedFolder:
    """Leave out the file *place*, or what lies below it, where that is in the folder that is listed."""
    try:
        inside = Path(place).resolve().relative_to(Path(folder).resolve()).as_posix()
    except ValueError:
        return scanned
    kept = [
        index
        for index, name in enumerate(scanned.names)
        if name != inside and not name.startswith(f"{inside}/")
    ]
    return ScannedFolder([scanned.names[index] for index in kept], scanned.sizes[kept], scanned.times[kept])


def _plan(
    folder: str, algorithm: str, scanned: ScannedFolder, digests: list[str], place: str, names_file: Path
) -> HashPlan:
    """Say what is still to be read: large files first, so that no process ends with one alone."""
    todo = np.array([index for index, digest in enumerate(digests) if not digest], np.int64)
    large = scanned.sizes[todo] >= _BLOCK_BYTES
    by_size = todo[large][np.argsort(-scanned.sizes[todo[large]], kind="stable")]
    order = np.concatenate((by_size, todo[~large]))
    starts = write_names(names_file, [scanned.names[index] for index in order])
    sizes = scanned.sizes[order]
    return HashPlan(
        folder, algorithm, str(names_file), starts, sizes, scanned.times[order],
        blocks_of(sizes, _BLOCK_FILES, _BLOCK_BYTES), place,
    )  # fmt: skip


def _shared(plan: HashPlan, processes: int | None) -> tuple[Work[_Problems], list[_Call]]:
    """Return the work of this process, and that of the others."""
    if processes is None:
        cost = int(plan.sizes.sum()) + OPENING_COST * len(plan.sizes)
        processes = min(_cores(), _MOST_PROCESSES, 1 + cost // _WORTH_A_PROCESS)
    if processes < 2:
        return hash_blocks(plan, OneByOne(), 0), []
    tickets = Tickets()
    others: list[_Call] = [(hash_blocks, (plan, tickets, number)) for number in range(1, processes)]
    return hash_blocks(plan, tickets, 0), others


def _cores() -> int:
    available = getattr(os, "sched_getaffinity", None)
    return len(available(0)) if available else os.cpu_count() or 1
