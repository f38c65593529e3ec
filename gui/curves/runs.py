"""The runs on the curves page: what is known of each, and how far reading it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.errors import Problem
from core.messages import Message
from core.records.curves import LoggedRun
from gui.models.curves.roles import Role
from gui.processes.work_state import Stage

if TYPE_CHECKING:
    from core.curves.shelf import Shelved
    from core.formats.logs.patterns import LinePattern
    from gui.curves.work import Reading

JUDGED_ROLES = (Role.TARGET, Role.GOLDEN)


@dataclass
class ShownRun:
    """One log, or the loss of one dump."""

    number: int
    """Its own, never given to another one."""
    path: str
    role: Role
    offered: bool = False
    """It lay near the dumps that are open; nobody brought it."""
    held_in: str = ""
    """The result file that holds its loss, as of a dump that is open; empty for a log."""
    golden: bool = False
    """It is the golden of that file."""
    visible: bool = True
    pattern: LinePattern | None = None
    """The user's own form of line, by which alone it is read."""
    stage: Stage = Stage.WORKING
    failure: Message | Problem | None = None
    details: str = ""
    token: Shelved | None = None
    """What was read, on the shelf."""
    table: Shelved | None = None
    """What is needed to read on, so too."""
    run: LoggedRun | None = None
    size: tuple[int, int] = (-1, 0)
    """Bytes and time of change when it was read last."""
    grown: int = 0
    """For how many looks it will still count as growing."""

    @property
    def live(self) -> bool:
        """Whether it is being written to."""
        return self.grown > 0

    @property
    def drawn(self) -> bool:
        """Whether it is to be seen in the picture."""
        return self.visible and self.run is not None

    def take(self, reading: Reading, run: LoggedRun) -> None:
        """Hold what was read."""
        self.token, self.table, self.size = reading.token, reading.table, reading.size
        self.run = run
        self.stage, self.failure, self.details = Stage.READY, None, ""

    def fail(self, stage: Stage, failure: Message | Problem | None, details: str = "") -> None:
        """Hold why nothing was read; what was read before stays."""
        self.stage, self.failure, self.details = stage, failure, details


class Judged(NamedTuple):
    """Who is judged by whom."""

    target: ShownRun
    """The golden, or any run, where there is no target: it is judged alone."""
    golden: ShownRun | None
    repeats: tuple[ShownRun, ...]


class ShownRuns(list[ShownRun]):
    """All runs on show, in the order in which they came."""

    def called(self, number: int) -> ShownRun | None:
        """Return the run called *number*; ``None`` if it is gone."""
        return next((run for run in self if run.number == number), None)

    def with_role(self, role: Role) -> list[ShownRun]:
        """Return the runs of *role* that could be read."""
        return [run for run in self if run.role is role and run.token is not None]

    def give(self, run: ShownRun, role: Role) -> None:
        """Give *run* another role; of a target or golden there before, it takes the place."""
        if role in JUDGED_ROLES:
            for other in self:
                if other.role is role:
                    other.role = run.role
        run.role = role

    def exchange(self) -> None:
        """Exchange target and golden."""
        exchanged = {Role.TARGET: Role.GOLDEN, Role.GOLDEN: Role.TARGET}
        for run in self:
            run.role = exchanged.get(run.role, run.role)

    @property
    def judged(self) -> Judged | None:
        """Which runs are judged; ``None`` where none could be read."""
        target, golden = self.with_role(Role.TARGET), self.with_role(Role.GOLDEN)
        if target and golden:
            return Judged(target[0], golden[0], tuple(self.with_role(Role.REPEAT)))
        alone = target or golden or [run for run in self if run.token is not None]
        return Judged(alone[0], None, ()) if alone else None

    @property
    def judged_paths(self) -> tuple[str, str] | None:
        """Paths of target and golden, one of them empty where there is only one; ``None`` without runs."""
        found = [next((run.path for run in self if run.role is role), "") for role in JUDGED_ROLES]
        return (found[0] or found[1], found[1] if found[0] else "") if any(found) else None

    @property
    def readable(self) -> bool:
        """Whether at least one run is there to be seen."""
        return any(run.run is not None for run in self)


def short_names(paths: list[str]) -> list[str]:
    """Return what to call runs: the last part of each path, and those before it where these are the same."""
    names = [Path(path).name or path for path in paths]
    for depth in range(2, 5):
        doubled = [at for at, name in enumerate(names) if names.count(name) > 1]
        if not doubled:
            break
        for at in doubled:
            names[at] = str(Path(*Path(paths[at]).parts[-depth:]))
    return names
