"""The passes of a training step along its calls: forward, backward, what follows them. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from core.messages import text
from core.records.columns import UInt8
from core.records.names import Direction
from core.records.result import CellResult
from gui.models.call.details import pool_text
from gui.models.pair.facts import Facts

_MOST = 400
"""Passes beyond which the order of calls falls in none."""
_SCOPES = ("optimizer", "clip_grad")
"""Parents that the official dumper gives to calls of the optimizer."""
_STRAY = 20
"""A run of backward calls this many times shorter than the longest one is no pass of its own."""


class PassKind(Enum):
    """What a stretch of calls does; the value ends the code of its name."""

    FORWARD = "forward"
    BACKWARD = "backward"
    RECOMPUTING = "recomputing"
    """Backward, with forward calls in between that are run once more."""
    OPTIMIZER = "optimizer"
    AFTER = "after"
    """Behind the last backward call."""


@dataclass(frozen=True)
class Pass:
    """A stretch of calls, from *begin* up to before *end*."""

    kind: PassKind
    begin: int
    end: int

    def label(self) -> str:
        """Return its name in the language in force."""
        return text(f"gui.trajectory.pass.{self.kind.value}")


def passes_of(cell: CellResult, facts: Facts) -> tuple[Pass, ...]:
    """Return the passes in the order of calls; none where no call goes backward.

    Forward calls between backward ones are another pass (a micro-step) where they are at least half as
    many as the longest pass forward; fewer are repeated for the sake of the backward calls after them.
    """
    way = _directions(cell, facts)
    if not (way == Direction.BACKWARD).any() or not (way == Direction.FORWARD).any():
        return ()
    starts, lengths = _runs(way)
    forward = way[starts] == Direction.FORWARD
    stray = ~forward & (lengths * _STRAY < lengths[~forward].max())
    first = starts[~forward & ~stray][0]
    short = forward & (lengths * 2 < lengths[forward].max()) & (starts > first)
    again = short.copy()
    again[-1] = False
    passes = np.where(forward & ~again | stray, Direction.FORWARD, Direction.BACKWARD).astype(np.uint8)
    merged = np.flatnonzero(np.r_[True, passes[1:] != passes[:-1]])
    if len(merged) > _MOST:
        return ()
    made = []
    for at, beyond in zip(merged.tolist(), [*merged[1:].tolist(), len(passes)]):
        begin, end = int(starts[at]), int(starts[beyond - 1] + lengths[beyond - 1])
        if passes[at] == Direction.BACKWARD:
            kind = PassKind.RECOMPUTING if again[at:beyond].any() else PassKind.BACKWARD
        elif beyond == len(passes) and short[-1]:
            kind = PassKind.OPTIMIZER if _of_optimizer(cell, facts, begin) else PassKind.AFTER
        else:
            kind = PassKind.FORWARD
        made.append(Pass(kind, begin, end))
    return tuple(made)


def _directions(cell: CellResult, facts: Facts) -> UInt8:
    """Return the direction of each call; one that has none goes with the call before it."""
    rows = facts.calls.first_row
    way = np.full(len(rows), Direction.NONE, np.uint8)
    for dump, operators in (
        (cell.golden, cell.rows.golden_operator[rows]), (cell.target, cell.rows.target_operator[rows]),
    ):  # fmt: skip
        known = operators >= 0
        way[known] = dump.operators.direction[operators[known]]
    told = np.where(way == Direction.NONE, 0, np.arange(len(way)))
    filled: UInt8 = way[np.maximum.accumulate(told)] if len(way) else way
    filled[filled == Direction.NONE] = Direction.FORWARD  # only at the beginning
    return filled


def _runs(way: UInt8) -> tuple[np.ndarray, np.ndarray]:
    starts = np.flatnonzero(np.r_[True, way[1:] != way[:-1]])
    return starts, np.diff(np.r_[starts, len(way)])


def _of_optimizer(cell: CellResult, facts: Facts, call: int) -> bool:
    operators = cell.rows.target_operator[facts.calls.first_row[call:]]
    parents = np.unique(cell.target.operators.parent[operators[operators >= 0]])
    return any(pool_text(cell.target.strings, parent) in _SCOPES for parent in parents.tolist())
