"""Taking checksums of many files, a process a core: blocks of files are taken one after another.

Threads would do for large files, where hashing releases the interpreter's lock; over small ones, where
opening and closing is most of the work, only processes run at the same time (``benchmarks/checksums.py``).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from core.errors import Problem
from core.messages import Message
from core.precheck.dataset.folder_scan import ProblemsFound
from core.precheck.dataset.kept_digests import kept_file, line_of, opened
from core.progress import Progress, Work
from core.records.columns import Int64, UInt8
from core.workers.together import Tickets

ALGORITHMS = ("md5", "sha1", "sha256", "sha512")
"""What a list can be made with."""
OPENING_COST = 1 << 16
"""Bytes that could be read while a file is opened and closed; so small files show progress."""
_PIECE = 1 << 20
"""Bytes read at once."""
_BETWEEN = 32 << 20
"""Bytes of one large file between two tellings of progress."""


def digest_length(algorithm: str) -> int:
    """Return how many hexadecimal digits a checksum of *algorithm* has."""
    return hashlib.new(algorithm, usedforsecurity=False).digest_size * 2


class HashPlan(NamedTuple):
    """Files to be read, in a file of their own: a million names need not travel through a pipe."""

    folder: str
    algorithm: str
    names_file: str
    """Names end to end, as the system spells them."""
    starts: Int64
    """Where the name of each file begins in *names_file*, and where the last one ends."""
    sizes: Int64
    times: Int64
    blocks: Int64
    """First file of each block, and the number of files."""
    kept_in: str
    """Folder that what is known is appended in."""

    def costs(self) -> Int64:
        """Return what all files before each block cost, and in the end all."""
        costs = np.concatenate(([0], np.cumsum(self.sizes + OPENING_COST)))
        return costs[self.blocks]


class OneByOne:
    """Tickets for one process alone."""

    def __init__(self) -> None:
        self._next = 0

    def take(self, count: int) -> int:
        """Take *count* numbers and return the first of them."""
        first = self._next
        self._next += count
        return first


def hash_blocks(plan: HashPlan, tickets: Tickets | OneByOne, number: int) -> Work[tuple[Problem, ...]]:
    """Take the checksums of the blocks that *tickets* give to this process, the *number*-th.

    They go into its own file among those of :mod:`core.precheck.dataset.kept_digests`; returned is what could
    not be read. Closing the work writes down what is known.
    """
    costs = plan.costs()
    problems = ProblemsFound(plan.folder)
    names: UInt8 = np.memmap(plan.names_file, np.uint8, "r") if plan.starts[-1] else np.zeros(0, np.uint8)
    with opened(kept_file(plan.kept_in, number)) as stream:
        while (block := tickets.take(1)) < len(plan.blocks) - 1:
            cost = int(costs[block])
            for asked in _files(plan, names, int(plan.blocks[block]), int(plan.blocks[block + 1])):
                for read in _hash_file(plan, asked, stream, problems):
                    yield _progress(cost + read, int(costs[-1]))
                cost += asked.size + OPENING_COST
            stream.flush()  # what a killed process has to do again is one block
            yield _progress(cost, int(costs[-1]))
    return problems.all()


class _File(NamedTuple):
    """A file to be read."""

    name: bytes
    """As the system spells it."""
    size: int
    time: int


def _files(plan: HashPlan, names: UInt8, first: int, end: int) -> Iterator[_File]:
    """Yield the files *first* to *end* of *plan*."""
    starts = plan.starts[first : end + 1]
    spelled = names[starts[0] : starts[-1]].tobytes()
    places = (starts - starts[0]).tolist()
    sizes, times = plan.sizes[first:end].tolist(), plan.times[first:end].tolist()
    for place, after, size, time in zip(places, places[1:], sizes, times):
        yield _File(spelled[place:after], size, time)


def _progress(done: int, total: int) -> Progress:
    return Progress(done, total, Message("progress.dataset_hash", {"done": done >> 20, "total": total >> 20}))


def _hash_file(plan: HashPlan, asked: _File, stream: BinaryIO, problems: ProblemsFound) -> Iterator[int]:
    """Append the checksum of one file to *stream*; yields, now and then, how many bytes were read."""
    path = os.path.join(os.fsencode(plan.folder), asked.name)  # noqa: PTH118 - a Path costs as much as reading
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        problems.add(_unreadable(path, error))
        return
    try:
        read = 0
        hashing = hashlib.new(plan.algorithm, usedforsecurity=False)
        at_once = min(asked.size + 1, _PIECE)  # one byte more than it has, to see that it ends there
        while piece := os.read(file, at_once):
            hashing.update(piece)
            read += len(piece)
            if read == asked.size < at_once:
                break
            if read % _BETWEEN < _PIECE and read >= _BETWEEN:
                yield read
        facts = os.fstat(file)
        if (read, facts.st_size, facts.st_mtime_ns) != (asked.size, asked.size, asked.time):
            problems.add(Problem("changed_while_reading", os.fsdecode(path)))
        else:
            stream.write(line_of(hashing.hexdigest(), asked.size, asked.time, asked.name))
    except OSError as error:
        problems.add(_unreadable(path, error))
    finally:
        with contextlib.suppress(OSError):
            os.close(file)


def _unreadable(path: bytes, error: OSError) -> Problem:
    return Problem("unreadable", os.fsdecode(path), {"why": error.strerror or str(error)})


def blocks_of(sizes: Int64, most_files: int, most_bytes: int) -> Int64:
    """Return the first file of each block, and the number of files.

    A block ends after *most_files* files or *most_bytes* of cost; a larger file is a block of its own.
    """
    costs = np.cumsum(sizes + OPENING_COST)
    firsts = [0]
    while firsts[-1] < len(sizes):
        first = firsts[-1]
        spent = int(costs[first - 1]) if first else 0
        end = int(np.searchsorted(costs, spent + most_bytes, "right"))
        firsts.append(min(max(end, first + 1), first + most_files, len(sizes)))
    return np.array(firsts, np.int64)


def write_names(path: Path, names: list[str]) -> Int64:
    """Write *names* end to end into *path*; returns where each begins, and where the last one ends."""
    lengths = np.zeros(len(names) + 1, np.int64)
    with path.open("wb") as stream:
        for index, name in enumerate(names):
            lengths[index + 1] = stream.write(os.fsencode(name))
    return np.cumsum(lengths)
