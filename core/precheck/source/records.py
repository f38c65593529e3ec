"""What two sources differ in: rows of two files beside each other, files of two folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from core.errors import Problem
from core.records.columns import Int64

Int8 = npt.NDArray[np.int8]


class Change(IntEnum):
    """What a row differs in; the larger, the more it may matter."""

    EQUAL = 0
    BLANK = 1
    """White space where it says nothing, and numbers that are spelt otherwise: ``1e-5`` and ``0.00001``."""
    COMMENT = 2
    """Comments, and texts that stand by themselves."""
    DEVICE = 3
    """Words of the two devices that mean the same: ``.cuda()`` and ``.npu()``, ``nccl`` and ``hccl``."""
    PATH = 4
    """Folders of a path."""
    LOGGING = 5
    """A statement that only prints."""
    CODE = 6
    """Code without a word that numbers are known to depend on."""
    NUMERIC = 7
    """A number, a type of numbers, an operator, or a word of the optimiser, the model or chance."""


@dataclass(frozen=True)
class DifferenceOptions:
    """What is not to count as a difference."""

    ignore_blanks: bool = True
    ignore_comments: bool = True
    device_words: bool = True
    """Take words of the two devices that mean the same for equal."""
    only_numeric: bool = False
    """Count only what surely touches numbers."""
    mapping: tuple[tuple[str, str], ...] = ()
    """Folders of the golden and what stands for them on the target, as files spell them."""

    def counted(self) -> npt.NDArray[np.bool_]:
        """Return for each :class:`Change` whether it counts, shape (8,)."""
        counted = np.ones(len(Change), np.bool_)
        counted[Change.EQUAL] = False
        for change, ignored in (
            (Change.BLANK, self.ignore_blanks),
            (Change.COMMENT, self.ignore_comments),
            (Change.DEVICE, self.device_words),
        ):
            counted[change] &= not ignored
        if self.only_numeric:
            counted[: Change.NUMERIC] = False
        return counted


class SourceState(Enum):
    """Whether a file could be read."""

    READ = "read"
    ABSENT = "absent"
    """The side does not have it."""
    BINARY = "binary"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class SourceText:
    """The lines of one file."""

    path: str
    """Empty where the side does not have the file."""
    state: SourceState
    lines: tuple[str, ...] = ()
    digest: bytes = b""
    """Of the bytes, to find equal files."""


@dataclass(frozen=True)
class FileDifference:
    """Two files beside each other, row by row: arrays have one entry a row."""

    target: SourceText
    """Its secrets are masked: lines that read alike may differ in them."""
    golden: SourceText
    target_line: Int64
    """Line of the target from 0; -1 where only the golden has one."""
    golden_line: Int64
    change: Int8
    """:class:`Change` of the row."""

    def marked(self, options: DifferenceOptions) -> npt.NDArray[np.bool_]:
        """Return which rows count as a difference, shape (rows,)."""
        marked: npt.NDArray[np.bool_] = options.counted()[self.change]
        return marked

    def places(self, options: DifferenceOptions) -> Int64:
        """Return the first row of each run of rows that count, growing."""
        marked = self.marked(options)
        return np.flatnonzero(marked & ~np.append(False, marked[:-1])).astype(np.int64)


@dataclass(frozen=True)
class ChangedPlace:
    """One row that differs, for a list of them; lines are counted from 1, 0 where a side has none."""

    target_line: int
    golden_line: int
    target: str
    golden: str
    change: Change


Counts = tuple[tuple[int, ...], tuple[int, ...]]


class FileState(Enum):
    """How a file of a folder stands."""

    EQUAL = "equal"
    DIFFERS = "differs"
    """Row by row; which rows count is said by the options."""
    TARGET_ONLY = "target_only"
    GOLDEN_ONLY = "golden_only"
    NOT_COMPARED = "not_compared"
    """One of both is no text, is too large or cannot be read."""


@dataclass(frozen=True)
class FileSummary:
    """One file of two folders, or one of each that are taken for the same."""

    target: str
    """Path below its folder, with ``/``; empty where the target does not have the file."""
    golden: str
    target_path: str
    """Where it lies; empty where the side does not have it."""
    golden_path: str
    state: FileState
    counts: Counts = ((0,) * len(Change), (0,) * len(Change))
    """Lines of the target, then of the golden, by their :class:`Change`."""
    places: tuple[ChangedPlace, ...] = ()
    """The rows that may matter most, at most :data:`MOST_PLACES`."""

    @property
    def name(self) -> str:
        """The target's name, else the golden's."""
        return self.target or self.golden

    @property
    def renamed(self) -> bool:
        """Whether the sides have it under different names."""
        return bool(self.target and self.golden) and self.target != self.golden

    def lines(self, options: DifferenceOptions) -> tuple[int, int]:
        """Return how many lines of the target and of the golden count as different."""
        counted = _counted(options)
        target, golden = (sum(side[change] for change in counted) for side in self.counts)
        return target, golden

    def of(self, change: Change) -> int:
        """Return how many lines differ in *change*; where the sides have different numbers, the larger."""
        return max(side[change] for side in self.counts)

    def differs(self, options: DifferenceOptions) -> bool:
        """Whether something of it counts; a file of one side does, and one that could not be read."""
        if self.state is FileState.DIFFERS:
            return any(self.lines(options))
        return self.state is not FileState.EQUAL


@lru_cache(maxsize=16)
def _counted(options: DifferenceOptions) -> list[int]:
    """Return what counts; asked once a file of many."""
    return np.flatnonzero(options.counted()).tolist()


MOST_PLACES = 20
"""Rows of a file that a list of differences names."""


@dataclass(frozen=True)
class TreeDifference:
    """All files of two folders."""

    target: tuple[str, ...]
    """The folders, or files."""
    golden: tuple[str, ...]
    files: tuple[FileSummary, ...] = ()
    """By name."""
    left_off: int = 0
    """Further files, that are equal on both sides."""
    problems: tuple[Problem, ...] = ()
    passed_over: tuple[str, ...] = ()
    """Endings of files, names of files without one and folders of builds that were not compared, the most
    frequent first.
    """

    def differing(self, options: DifferenceOptions) -> list[FileSummary]:
        """Return the files that differ, by name."""
        return [file for file in self.files if file.differs(options)]

    def total(self, change: Change) -> int:
        """Return how many lines of both sides differ in *change*; of lines beside each other, one."""
        return sum(file.of(change) for file in self.files)


def as_roots(paths: str | Iterable[str]) -> tuple[str, ...]:
    """Return one path or several as a tuple."""
    return (paths,) if isinstance(paths, str) else tuple(paths)
