"""Where the two tensors of a pair come from, and both of them opened."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.errors import InputError, Problem
from core.formats.tensors.handle import TensorHandle
from core.formats.tensors.opening import open_tensor
from core.metrics.handle_pair import HandlePair
from core.metrics.pictures.plane import Shape
from core.metrics.shapes import comparable

if TYPE_CHECKING:
    from core.metrics.inspection.kept.pair import KeptPair

_KEPT_OPEN = 8


class TensorSource(Protocol):
    """Whatever can be pickled, hashed and opened: a :class:`TensorFile`, a slot's place in a dump."""

    def open(self) -> TensorHandle:
        """Map the tensor; raises :class:`~core.errors.InputError`."""

    def __hash__(self) -> int:
        """Return the same number for equal sources."""


class KeptSource(Protocol):
    """Like a :class:`TensorSource`, for what a result file keeps of a pair."""

    @property
    def path(self) -> str:
        """The result file."""

    def load(self) -> KeptPair | None:
        """Return it; ``None`` where it cannot be read."""

    def __hash__(self) -> int:
        """Return the same number for equal sources."""


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A tensor in a file, with what the dump knows of it; see :func:`core.formats.tensors.open_tensor`."""

    path: str
    dtype: str | None = None
    member: str | None = None
    size: int = -1
    mtime_ns: int = -1

    def open(self) -> TensorHandle:
        """Map the tensor; raises :class:`~core.formats.tensors.TensorError`."""
        return open_tensor(
            self.path, dtype=self.dtype, member=self.member, size=self.size, mtime_ns=self.mtime_ns
        )


@dataclass(frozen=True, slots=True)
class PairSources:
    """The tensors of a slot on both sides; ``None`` where a side has none. Small and picklable."""

    target: TensorSource | None
    golden: TensorSource | None
    kept: KeptSource | None = None
    """What a result keeps of them, asked for where a tensor cannot be opened."""


@dataclass(frozen=True, slots=True)
class FileState:
    """Tells a file from what it is once it has been written to, or another has taken its place."""

    path: str
    size: int = -1
    mtime_ns: int = -1
    inode: int = -1

    @classmethod
    def of(cls, path: str) -> FileState:
        """Return the state of the file *path*; -1 throughout where there is none."""
        try:
            status = os.stat(path)  # noqa: PTH116 - hot
        except (OSError, ValueError):
            return cls(path)
        return cls(path, status.st_size, status.st_mtime_ns, status.st_ino)


@dataclass(frozen=True, slots=True)
class OpenedPair(HandlePair):
    """A pair with what stands in its way, and what a result keeps of it."""

    problems: tuple[Problem | None, Problem | None] = (None, None)
    """What stands in the way of the target and of the golden."""
    golden_shape: Shape = ()
    """As the file has it."""
    kept: KeptPair | None = None
    """What a result keeps of the pair, where a side cannot be opened; one that is kept whole is there."""
    files: tuple[FileState | None, FileState | None] = (None, None)
    """What the files were when they were opened: while these are equal, so are the tensors."""

    @property
    def condensed(self) -> KeptPair | None:
        """What a result keeps, where that is all that is known of a side's elements."""
        return self.kept if self.target is None or self.golden is None else None

    def check_state(self) -> None:
        """Raise if a file has been written to since it was opened.

        One that has been removed, or that another has taken the place of, is still there for who mapped it.

        Raises
        ------
        InputError
            ``overwritten_while_read``.
        """
        for state in filter(None, self.files):
            now = FileState.of(state.path)
            if state.inode == now.inode != -1 and now != state:
                raise InputError(Problem("overwritten_while_read", state.path))

    def paths(self, sources: PairSources) -> list[str]:
        """Return the files that what is known of *sources*, which this pair was opened from, lies in."""
        found = [state.path for state in self.files if state is not None]
        return [*found, sources.kept.path] if sources.kept is not None else found


_kept_open: OrderedDict[PairSources, OpenedPair] = OrderedDict()


def open_pair(sources: PairSources) -> OpenedPair:
    """Map both tensors; what is wrong with one does not stop the other.

    The latest pairs stay open, until one of their files has changed: then it is opened anew.
    """
    pair = _kept_open.pop(sources, None)
    if pair is None or any(state and FileState.of(state.path) != state for state in pair.files):
        pair = _open_both(sources)
    _kept_open[sources] = pair
    while len(_kept_open) > _KEPT_OPEN:
        _kept_open.popitem(last=False)
    return pair


def _open_both(sources: PairSources) -> OpenedPair:
    target, problem_t = _open(sources.target)
    golden, problem_g = _open(sources.golden)
    files = _state(target, problem_t), _state(golden, problem_g)
    kept = sources.kept.load() if sources.kept and (target is None or golden is None) else None
    if kept is not None:
        target, golden = target or kept.target.handle(), golden or kept.golden.handle()
        problem_t, problem_g = problem_t if target is None else None, problem_g if golden is None else None
    own = golden.shape if golden is not None else ()
    if target is not None and golden is not None and comparable(target.shape, golden.shape):
        golden = golden if golden.shape == target.shape else golden.reshaped(target.shape)
    return OpenedPair(target, golden, (problem_t, problem_g), own, kept, files)


def _open(source: TensorSource | None) -> tuple[TensorHandle | None, Problem | None]:
    if source is None:
        return None, None
    try:
        return source.open(), None
    except InputError as error:
        return None, error.problem


def _state(handle: TensorHandle | None, problem: Problem | None) -> FileState | None:
    path = handle.path if handle is not None else problem.path if problem is not None else ""
    return FileState.of(path) if path else None
