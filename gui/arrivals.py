"""What the user brings: training logs go to their page, all else is opened as a run or a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from gui import training_work
from gui.models.curves_roles import Role, guessed_roles
from gui.opening import may_be_log
from gui.tasks import Job

if TYPE_CHECKING:
    from gui.session import Session


class _Brought(NamedTuple):
    """What is being looked into, and what opens it if it is no log."""

    paths: list[str]
    go_on: Callable[[list[str]], None]


class Arrivals(QObject):
    """Tells logs by their content, in a worker; folders, results and dumps never wait for that."""

    logs_found = Signal(list)
    """Training logs among what was brought, to be shown."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.log = ""
        """The log that was brought last, the target's of several."""
        self._job: Job | None = None
        self._brought = _Brought([], lambda _paths: None)

    def sort(self, paths: list[str], go_on: Callable[[list[str]], None]) -> None:
        """Show logs among *paths*, and give what is none to *go_on*; what was brought before is dropped."""
        self.cancel()
        candidates = [path for path in paths if may_be_log(path)]
        if not candidates:
            go_on(paths)
            return
        self._brought = _Brought(paths, go_on)
        job = self._job = self._session.tasks.start(training_work.logs_among, candidates)
        job.succeeded.connect(self._take)
        job.rejected.connect(self._know_nothing)
        job.crashed.connect(self._know_nothing)
        job.start()

    def _know_nothing(self, generation: int, _why: object) -> None:
        """Open them as what they are not known not to be: that says what is wrong."""
        self._take(generation, [])

    def _take(self, generation: int, logs: list[str]) -> None:
        if self._job is None or self._job.generation != generation:
            return
        self._job = None
        paths, go_on = self._brought
        others = [path for path in paths if path not in logs]
        if others:
            go_on(others)
        if logs:
            self.log = logs[guessed_roles(logs).index(Role.TARGET)]
            self.logs_found.emit(logs)

    def cancel(self) -> None:
        """Want nothing more of what was brought."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
