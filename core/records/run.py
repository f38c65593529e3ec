"""A run: a lazy matrix of steps and ranks, each cell a dump that is read when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from core.errors import Problem


class CellKey(NamedTuple):
    """Which cell of a run. ``phase`` names the part of training where a framework writes several
    (``generate``, ``update_actor``), and is empty otherwise. Sorts in execution order.
    """

    phase: str
    step: int
    rank: int

    def label(self) -> str:
        """Return the key as stores name their groups and people read it: ``step0/rank0``."""
        tail = f"step{self.step}/rank{self.rank}"
        return f"{self.phase}/{tail}" if self.phase else tail


@dataclass(frozen=True)
class CellSource:
    """Where one cell comes from, before it is read."""

    key: CellKey
    format: str
    """Name of the reader that takes it, see :mod:`core.formats.registry`."""
    files: Mapping[str, str]
    """Absolute paths by role. msprobe: ``dump``, and if there ``stack``, ``construct``, ``errors``;
    ptdbg: ``dump``; a packed file: ``file``. ``data`` is the folder of tensor files."""


@dataclass(frozen=True)
class Run:
    """One recorded training run as found on disk; nothing of it has been parsed yet."""

    path: str
    format: str
    cells: Mapping[CellKey, CellSource]
    problems: tuple[Problem, ...] = field(default=())

    @property
    def steps(self) -> list[int]:
        """Steps that occur in any phase or rank, ascending."""
        return sorted({key.step for key in self.cells})

    @property
    def ranks(self) -> list[int]:
        """Ranks that occur in any phase or step, ascending."""
        return sorted({key.rank for key in self.cells})
