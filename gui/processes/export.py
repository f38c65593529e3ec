"""Files that the user asked for, written by a process of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message, current_language, set_language
from core.progress import Progress, Work
from gui.processes.tasks import Job

if TYPE_CHECKING:
    from gui.session import Session


class Export(QObject):
    """One at a time; says in the notice bar how it went."""

    changed = Signal()
    """One begins, or is over."""
    progressed = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._job: Job | None = None

    @property
    def running(self) -> bool:
        """Whether a file is being written."""
        return self._job is not None

    def start(self, function: Callable[..., Work[Any]], *arguments: Any) -> None:
        """Let *function* write; it returns the path of its file, or of all of them."""
        if self._job is not None:
            return
        job = self._job = self._session.tasks.start(_in_language, current_language(), function, *arguments)
        job.progressed.connect(self._go_on)
        job.succeeded.connect(self._succeed)
        job.rejected.connect(self._reject)
        job.crashed.connect(self._crash)
        self.changed.emit()
        job.start()

    def cancel(self) -> None:
        """Stop writing."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
            self.changed.emit()

    def _end(self, generation: int) -> bool:
        if self._job is None or self._job.generation != generation:
            return False
        self._job = None
        self.changed.emit()
        return True

    def _go_on(self, generation: int, progress: Progress) -> None:
        if self._job is not None and self._job.generation == generation:
            self.progressed.emit(progress)

    def _succeed(self, generation: int, files: str | list[str]) -> None:
        if self._end(generation):
            path = files if isinstance(files, str) else ", ".join(files)
            self._session.succeeded.emit(Message("gui.notice.exported", {"path": path}))

    def _reject(self, generation: int, problem: Problem) -> None:
        if self._end(generation):
            self._session.noticed.emit(problem, "")

    def _crash(self, generation: int, traceback: str) -> None:
        if self._end(generation):
            why = traceback.strip().rsplit("\n", 1)[-1]
            self._session.noticed.emit(Message("gui.notice.not_exported", {"why": why}), traceback)

    def close(self) -> None:
        """Heed nothing more."""
        self._job = None


def _in_language(language: str, function: Callable[..., Work[Any]], *arguments: Any) -> Work[Any]:
    """Run *function* with sentences in *language*; runs in the worker, which knows only the system's."""
    set_language(language)
    return (yield from function(*arguments))
