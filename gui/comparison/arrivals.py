"""What the user brings: logs and monitors go to their page, all else is opened as a run or a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from gui.models.curves.roles import Role, guessed_roles, roles_in_order
from gui.opening import goes_with_logs, logs_inside, may_be_log, may_be_monitor, may_hold_evidence
from gui.precheck.sides import Side
from gui.processes.tasks import Job
from gui.training import work as training_work
from gui.training.work import Sorted

if TYPE_CHECKING:
    from gui.session import Session


class _Brought(NamedTuple):
    """What is being looked into, and what opens it if it is no log."""

    paths: list[str]
    go_on: Callable[[list[str]], None]
    told: bool
    inside: dict[str, list[str]]
    """For folders without a dump, what in them may be logs."""


class Arrivals(QObject):
    """Tells logs and monitors by their content, in a worker; results and dumps never wait for that."""

    logs_found = Signal(list)
    """Training logs among what was brought, to be shown."""
    monitors_found = Signal(list)
    """Outputs of monitors among what was brought."""
    evidence_found = Signal(list)
    """Scripts, configurations, lists and the like among what was brought, with logs that came along."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.log = ""
        """The log that was brought last, the target's of several."""
        self.monitor = ""
        """The output of a monitor that was brought last."""
        self._job: Job | None = None
        self.told = False
        """Whether what was brought last came as target and golden, not only in some order."""
        self.side: Side | None = None
        """On whose half what was brought last was dropped; ``None`` where that says nothing."""
        self._brought = _Brought([], lambda _paths: None, False, {})

    def sort(self, paths: list[str], go_on: Callable[[list[str]], None], told: bool = False) -> None:
        """Show what is known among *paths*, give the rest to *go_on*; what was brought before is dropped.

        *told*: they are target and golden, whatever their names say.
        """
        self.cancel()
        self.side = None
        inside = {path: logs_inside(path) for path in paths if not may_be_log(path)}
        candidates = [
            candidate
            for path in paths
            for candidate in (*([path] if _is_worth_a_look(path) else []), *inside.get(path, []))
        ]  # fmt: skip
        if not candidates:
            go_on(paths)
            return
        self._brought = _Brought(paths, go_on, told, inside)
        job = self._job = self._session.tasks.start(training_work.sort_out, candidates)
        job.succeeded.connect(self._take)
        job.rejected.connect(self._know_nothing)
        job.crashed.connect(self._know_nothing)
        job.start()

    def _know_nothing(self, generation: int, _why: object) -> None:
        """Open them as what they are not known not to be: that says what is wrong."""
        self._take(generation, Sorted())

    def _take(self, generation: int, known: Sorted) -> None:
        if self._job is None or self._job.generation != generation:
            return
        self._job = None
        brought, go_on, told, inside = self._brought
        paths = [found for path in brought for found in _unfolded(path, inside.get(path, []), known)]
        self.told = told and len(paths) == len(brought)
        evidence = [path for path in paths if path in known.evidence]
        of_evidence = [log for path in evidence for log in inside.get(path, []) if log in known.logs]
        if self.told and len(of_evidence) != len(brought):
            of_evidence = []  # whose each is, nobody told
        logs = self._shown_as_logs([path for path in paths if path not in evidence], known) + of_evidence
        others = [path for path in paths if path not in (*logs, *known.monitors, *evidence)]
        if others:
            go_on(others)
        if logs and known.logs:
            found = [log for log in known.logs if log in logs]
            roles = roles_in_order(len(found)) if self.told else guessed_roles(found)
            self.log = found[roles.index(Role.TARGET)]
        if logs:
            self.logs_found.emit(logs)
        if known.monitors:
            self.monitor = known.monitors[0]
            self.monitors_found.emit(list(known.monitors))
        if evidence:
            self.evidence_found.emit([path for path in paths if path in (*evidence, *known.logs)])

    def _shown_as_logs(self, paths: list[str], known: Sorted) -> list[str]:
        """Return what is shown on the curves page: logs, and files that a pattern may make logs of."""
        if known.logs:
            return [
                path
                for path in paths
                if path in known.logs or (path not in known.monitors and goes_with_logs(path))
            ]
        several = len(paths) > 1 or bool(self._session.curves.runs)
        return paths if several and all(path in known.texts for path in paths) else []

    def cancel(self) -> None:
        """Want nothing more of what was brought."""
        if self._job is not None:
            self._job.cancel()
            self._job = None


def _is_worth_a_look(path: str) -> bool:
    """Return whether *path* may be something of what is told here by its content."""
    return may_be_log(path) or may_be_monitor(path) or may_hold_evidence(path)


def _unfolded(path: str, inside: list[str], known: Sorted) -> list[str]:
    """Return the logs *inside* the folder *path*; *path* itself where it is something as a whole."""
    if path in known.logs or path in known.monitors or path in known.evidence:
        return [path]
    return [log for log in inside if log in known.logs] or [path]
