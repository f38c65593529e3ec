"""Tables that were saved, read in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.records.precheck import PrecheckTable
from gui.precheck import work as precheck_work
from gui.processes.tasks import Job

if TYPE_CHECKING:
    from gui.session import Session


class TableReader(QObject):
    """One at a time; says in the notice bar what is wrong with a file."""

    read = Signal(object)
    """A :class:`PrecheckTable`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._job: Job | None = None

    def open(self, path: str) -> None:
        """Read the table that was saved as *path*; one being read is wanted no more."""
        if self._job is not None:
            self._job.cancel()
        job = self._job = self._session.tasks.start(precheck_work.read_table, path)
        job.succeeded.connect(self._take)
        job.rejected.connect(self._refuse)
        job.crashed.connect(self._break)
        job.start()

    def _is_over(self, generation: int) -> bool:
        if self._job is None or self._job.generation != generation:
            return False
        self._job = None
        return True

    def _take(self, generation: int, table: PrecheckTable) -> None:
        if self._is_over(generation):
            self.read.emit(table)

    def _refuse(self, generation: int, problem: Problem) -> None:
        if self._is_over(generation):
            self._session.noticed.emit(problem, "")

    def _break(self, generation: int, traceback: str) -> None:
        if self._is_over(generation):
            self._session.noticed.emit(Message("gui.notice.crashed"), traceback)

    def close(self) -> None:
        """Heed nothing more."""
        self._job = None
