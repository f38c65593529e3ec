"""Training logs in and beside the dumps that are open, looked for when somebody wants to see curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from gui.curves import work as curves_work
from gui.curves.runs import JUDGED_ROLES, ShownRun
from gui.curves.work import NearLogs
from gui.processes.tasks import Job
from gui.training.work import FoundLog

if TYPE_CHECKING:
    from gui.session import Session


class Nearby(QObject):
    """One search for each pair."""

    found = Signal()
    """The search is over."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.target = ""
        """The log of the target; empty where none is known."""
        self.golden = ""
        self.logs: tuple[FoundLog, ...] = ()
        self.failure: Message | Problem | None = None
        """Why the dumps themselves have no curve."""
        self._search: Job | None = None
        self._searched: tuple[str, str] | None = None
        self._wanted = False

    @property
    def searching(self) -> bool:
        """Whether logs are being looked for."""
        return self._search is not None

    def want(self, wanted: bool) -> None:
        """Say whether somebody looks."""
        self._wanted = wanted
        self.look_around()

    def forget(self) -> bool:
        """Know nothing of another pair; returns whether it is another one."""
        if self._places == self._searched:
            return False
        self._drop()
        self.target, self.golden, self.logs, self.failure = "", "", (), None
        return True

    @property
    def _places(self) -> tuple[str, str]:
        return self._session.target_path, self._session.golden_path

    def look_around(self) -> None:
        """Look for logs, if somebody wants them and that was not done."""
        places = self._places
        if not self._wanted or not places[0] or places == self._searched:
            return
        self._drop()
        self._searched = places
        job = self._search = self._session.tasks.start(curves_work.find_logs, *places)
        job.succeeded.connect(self._take)
        job.rejected.connect(self._find_none)
        job.crashed.connect(self._find_none)
        job.start()

    def offered_runs(self) -> list[ShownRun]:
        """Return the logs of both dumps as runs, or else the losses that the dumps hold themselves."""
        places = [path for path in self._places if path]
        found = [path for path in (self.target, self.golden) if path]
        if len(found) == len(places):
            return [ShownRun(0, path, role, True) for path, role in zip(found, JUDGED_ROLES)]
        held, sides = self._session.result_path, zip(places, JUDGED_ROLES, (False, True))
        return [ShownRun(0, path, role, True, held, golden) for path, role, golden in sides]

    def _find_none(self, generation: int, _why: object) -> None:
        """Go on without: logs can still be dropped and chosen."""
        self._take(generation, NearLogs("", "", ()))

    def _take(self, generation: int, near: NearLogs) -> None:
        if self._search is not None and self._search.generation == generation:
            self._search = None
            self.target, self.golden, self.logs = near
            self.found.emit()

    def _drop(self) -> None:
        self._searched = None
        if self._search is not None:
            self._search.cancel()
            self._search = None

    def close(self) -> None:
        """Look for nothing more."""
        self._search = None
        self._wanted = False
