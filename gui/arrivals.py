"""What the user brings: logs and monitors go to their page, all else is opened as a run or a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from gui import training_work
from gui.models.curves_roles import Role, guessed_roles
from gui.opening import may_be_log, may_be_monitor
from gui.tasks import Job
from gui.training_work import Sorted

if TYPE_CHECKING:
    from gui.session import Session


class _Brought(NamedTuple):
    """What is being looked into, and what opens it if it is no log."""

    paths: list[str]
    go_on: Callable[[list[str]], None]


class Arrivals(QObject):
    """Tells logs and monitors by their content, in a worker; results and dumps never wait for that."""

    logs_found = Signal(list)
    """Training logs among what was brought, to be shown."""
    monitors_found = Signal(list)
    """Outputs of monitors among what was brought."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.log = ""
        """The log that was brought last, the target's of several."""
        self.monitor = ""
        """The output of a monitor that was brought last."""
        self._job: Job | None = None
        self._brought = _Brought([], lambda _paths: None)

    def sort(self, paths: list[str], go_on: Callable[[list[str]], None]) -> None:
        """Show what is known among *paths*, give the rest to *go_on*; what was brought before is dropped."""
        self.cancel()
        candidates = [path for path in paths if may_be_log(path) or may_be_monitor(path)]
        if not candidates:
            go_on(paths)
            return
        self._brought = _Brought(paths, go_on)
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
        paths, go_on = self._brought
        others = [path for path in paths if path not in (*known.logs, *known.monitors)]
        if others:
            go_on(others)
        if known.logs:
            self.log = known.logs[guessed_roles(known.logs).index(Role.TARGET)]
            self.logs_found.emit(list(known.logs))
        if known.monitors:
            self.monitor = known.monitors[0]
            self.monitors_found.emit(list(known.monitors))

    def cancel(self) -> None:
        """Want nothing more of what was brought."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
