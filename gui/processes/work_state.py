"""The state of one piece of work in a process of its own: how far it is, and what kept it from an answer."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.progress import Progress
from gui.processes.tasks import Job


class Stage(Enum):
    """How far the work is."""

    NOTHING = auto()
    """There is nothing to work at."""
    WORKING = auto()
    STOPPED = auto()
    """The user does not want it now."""
    FAILED = auto()
    READY = auto()


class WorkState(QObject):
    """Follows one job at a time; a late signal of a job let go changes nothing."""

    changed = Signal()
    """Another stage, or another answer."""
    progressed = Signal(object)

    def __init__(self, parent: QObject, crashed: Message) -> None:
        super().__init__(parent)
        self.stage = Stage.NOTHING
        self.failure: Message | Problem | None = None
        self.details = ""
        """A traceback where the work broke."""
        self._crashed = crashed
        self._job: Job | None = None

    # ---- what differs

    def _show_answer(self, _answer: Any) -> None:
        """Show what the work found."""

    def _forget_answer(self) -> None:
        """Show no answer any more."""

    # ---- the job

    @property
    def working(self) -> bool:
        """Whether it is being worked at."""
        return self.stage is Stage.WORKING

    def cancel(self) -> None:
        """Stop working."""
        if self.stage is Stage.WORKING:
            self._drop_job()
            self._enter(Stage.STOPPED)

    def _begin(self, job: Job) -> None:
        """Start *job*, and follow it instead of any before."""
        self._job = job
        job.progressed.connect(self._go_on)
        job.succeeded.connect(self._take)
        job.rejected.connect(self._reject)
        job.crashed.connect(self._crash)
        self._enter(Stage.WORKING)
        job.start()

    def _drop_job(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _current(self, generation: int) -> bool:
        return self._job is not None and self._job.generation == generation

    def _go_on(self, generation: int, progress: Progress) -> None:
        if self._current(generation):
            self.progressed.emit(progress)

    def _take(self, generation: int, answer: Any) -> None:
        if self._current(generation):
            self._job = None
            self._show_answer(answer)

    def _reject(self, generation: int, problem: Problem) -> None:
        if self._current(generation):
            self._job = None
            self._enter(Stage.FAILED, problem)

    def _crash(self, generation: int, traceback: str) -> None:
        if self._current(generation):
            self._job = None
            self._enter(Stage.FAILED, self._crashed, traceback)

    def _enter(self, stage: Stage, failure: Message | Problem | None = None, details: str = "") -> None:
        if stage is not Stage.READY:
            self._forget_answer()
        self.stage, self.failure, self.details = stage, failure, details
        self._announce()

    def _announce(self) -> None:
        """Tell of another stage or another answer."""
        self.changed.emit()
