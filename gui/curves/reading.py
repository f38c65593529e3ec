"""Logs read in worker processes, a few at a time; the others wait for their turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.progress import Progress, Work
from gui.curves import work as curves_work
from gui.curves.runs import ShownRun
from gui.processes.tasks import Job

if TYPE_CHECKING:
    from core.curves.shelf import Shelved
    from gui.session import Session

_AT_ONCE = 2


class Reader(QObject):
    """Says of each run, by its number, what came of reading it."""

    progressed = Signal(object)
    """Of the run that was begun first."""
    read = Signal(int, object)
    """Number and :class:`~gui.curves.work.Reading`."""
    failed = Signal(int, object, str)
    """Number, why, and a traceback or nothing."""
    finished = Signal()
    """Nothing is left to be read."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.work: Callable[..., Work[Any]] = curves_work.read
        self._waiting: list[tuple[ShownRun, Shelved | None]] = []
        self._folder = ""
        self._jobs: dict[int, tuple[Job, int]] = {}
        """Jobs and the numbers of their runs, by generation."""

    @property
    def busy(self) -> bool:
        """Whether something is being read, or waits."""
        return bool(self._waiting or self._jobs)

    def ask(self, run: ShownRun, before: Shelved | None, folder: str) -> None:
        """Read *run*, on from what was read *before*."""
        self._folder = folder
        self._waiting.append((run, before))
        self._go_on()

    def drop(self, number: int) -> None:
        """Want nothing more of the run *number*."""
        self._waiting = [(run, before) for run, before in self._waiting if run.number != number]
        for generation, (job, other) in list(self._jobs.items()):
            if other == number:
                job.cancel()
                del self._jobs[generation]
        self._go_on()

    def cancel(self) -> list[int]:
        """Read nothing more; returns the numbers of the runs that were not read."""
        left = [number for _, number in self._jobs.values()] + [run.number for run, _ in self._waiting]
        self._waiting = []
        for job, _ in self._jobs.values():
            job.cancel()
        self._jobs = {}
        return left

    def _go_on(self) -> None:
        while self._waiting and len(self._jobs) < _AT_ONCE:
            run, before = self._waiting.pop(0)
            job = self._start(run, before)
            self._jobs[job.generation] = (job, run.number)
            job.progressed.connect(self._tell)
            job.succeeded.connect(self._take)
            job.rejected.connect(self._reject)
            job.crashed.connect(self._crash)
            job.start()

    def _start(self, run: ShownRun, before: Shelved | None) -> Job:
        tasks = self._session.tasks
        if run.held_in and run.pattern is None:
            return tasks.start(curves_work.read_result, run.held_in, run.golden, self._folder)
        return tasks.start(self.work, run.path, run.pattern, before, self._folder)

    def _tell(self, generation: int, progress: Progress) -> None:
        if self._jobs and generation == min(self._jobs):
            self.progressed.emit(progress)

    def _end(self, generation: int) -> int | None:
        """Return the number of the run whose job is over; ``None`` for a job let go."""
        if generation not in self._jobs:
            return None
        _, number = self._jobs.pop(generation)
        self._go_on()
        return number

    def _take(self, generation: int, reading: curves_work.Reading) -> None:
        number = self._end(generation)
        if number is not None:
            self.read.emit(number, reading)
            self._finish()

    def _reject(self, generation: int, problem: Problem) -> None:
        number = self._end(generation)
        if number is not None:
            self.failed.emit(number, problem, "")
            self._finish()

    def _crash(self, generation: int, traceback: str) -> None:
        number = self._end(generation)
        if number is not None:
            self.failed.emit(number, Message("gui.curves.crashed"), traceback)
            self._finish()

    def _finish(self) -> None:
        if not self.busy:
            self.finished.emit()
