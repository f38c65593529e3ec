"""Where NaN, Inf and saturation are born in what is open: the answer, the work that finds it, its export."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from core.errors import Problem
from core.messages import Message
from core.progress import Progress, Work
from core.records.overflow import OverflowReport
from gui.overflow import work as overflow_work
from gui.overflow.choice import OverflowChoice
from gui.processes.export import Export
from gui.processes.tasks import Job
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.session import Session

_AFTER_THE_COMPARISON = 250
"""Milliseconds that a comparison just opened is given to draw itself."""


class Overflow(WorkState):
    """The answer for what is open, found once, beside what the user does; or the official analyser's."""

    official_opened = Signal()
    """A file of the official analyser is on show."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.overflow.crashed"))
        self._session = session
        self.choice = OverflowChoice(session)
        self.work: Callable[[str], Work[OverflowReport]] = overflow_work.overflow_of_result
        self.own: OverflowReport | None = None
        self.official: OverflowReport | None = None
        self.progress: Progress | None = None
        self._reading: Job | None = None
        self.exports = Export(session)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.start)
        session.opened.connect(self._open)

    @property
    def report(self) -> OverflowReport | None:
        """The answer on show."""
        return self.official or self.own

    @property
    def births(self) -> int:
        """How many births there are in the answer on show."""
        return len(self.report.origins) if self.report is not None else 0

    # ---- our own analysis

    def _open(self) -> None:
        """Forget the pair before, and look into this one once it is on the screen."""
        self._drop_job()
        self.own = self.official = None
        self._enter(Stage.WORKING if self._session.result_path else Stage.NOTHING)
        if self._session.result_path:
            self._soon.start(_AFTER_THE_COMPARISON)

    def start(self) -> None:
        """Look into what is open, again if it was before."""
        self._drop_job()
        if not self._session.result_path:
            return
        self._begin(self._session.tasks.start(self.work, self._session.result_path))

    def _drop_job(self) -> None:
        self._soon.stop()
        super()._drop_job()
        self.progress = None

    def _go_on(self, generation: int, progress: Progress) -> None:
        if self._current(generation):
            self.progress = progress
        super()._go_on(generation, progress)

    def _show_answer(self, answer: OverflowReport) -> None:
        self.show_report(answer)

    def show_report(self, report: OverflowReport) -> None:
        """Show the answer for what is open."""
        self._drop_job()
        self.own = report
        self._enter(Stage.READY)

    def _announce(self) -> None:
        self.choice.load(self.report)
        super()._announce()
        if self.report is not None and self.report.problems:
            self._session.problems_changed.emit()

    # ---- the official analyser's answer

    def open_official(self, path: str) -> None:
        """Show what the official analyser says in the file *path*."""
        if self._reading is not None:
            self._reading.cancel()
        job = self._reading = self._session.tasks.start(overflow_work.official_answer, path)
        job.succeeded.connect(self._take_official)
        job.rejected.connect(self._refuse_official)
        job.crashed.connect(self._break_at_official)
        job.start()

    def leave_official(self) -> None:
        """Go back to our own answer."""
        if self.official is not None:
            self.official = None
            self._announce()

    def _was_read(self, generation: int) -> bool:
        if self._reading is None or self._reading.generation != generation:
            return False
        self._reading = None
        return True

    def _take_official(self, generation: int, report: OverflowReport) -> None:
        if self._was_read(generation):
            self.official = report
            self._announce()
            self.official_opened.emit()

    def _refuse_official(self, generation: int, problem: Problem) -> None:
        if self._was_read(generation):
            self._session.noticed.emit(problem, "")

    def _break_at_official(self, generation: int, traceback: str) -> None:
        if self._was_read(generation):
            self._session.noticed.emit(Message("gui.notice.crashed"), traceback)

    # ---- export

    def export(self, path: str) -> None:
        """Write the answer on show to *path*, as csv or json by its ending."""
        if self.report is not None:
            self.exports.start(overflow_work.export, path, self.report)

    def close(self) -> None:
        """Start nothing more."""
        self._soon.stop()
        self._job = self._reading = None
        self.exports.close()
