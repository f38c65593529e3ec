"""Overflow over a training: which log is read, by which limits it is judged, which step is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import InputError, Problem
from core.messages import Message
from core.overflow.training.history import judged_by
from core.overflow.training.limits import OverflowLimits, limits_from, shipped_limits
from core.progress import Progress, Work
from core.records.training import TrainingOverflow
from gui import training_work
from gui.overflow import Stage
from gui.settings import Settings
from gui.tasks import Job
from gui.training_work import FoundLog

if TYPE_CHECKING:
    from gui.session import Session

EDITABLE = ("limit", "large_batch_limit", "large_batch")
"""Limits by which a log is judged anew at once; the others take part in reading it."""


class TrainingState(QObject):
    """One log, read in a worker and judged by the limits in force."""

    changed = Signal()
    """Another stage, another log, or another judgement."""
    opened = Signal()
    """Another log is on show."""
    progressed = Signal(object)
    logs_changed = Signal()
    limits_changed = Signal()
    step_changed = Signal()

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session)
        self._session, self._settings = session, settings
        self.work: Callable[[str, OverflowLimits], Work[TrainingOverflow]] = training_work.history_of_log
        self.stage = Stage.NOTHING
        self.path = ""
        self.history: TrainingOverflow | None = None
        self.step: int | None = None
        """The step looked at."""
        self.logs: list[FoundLog] = []
        """Logs in and beside what is open."""
        self.failure: Message | Problem | None = None
        self.details = ""
        self.limits = _limits_of(settings)
        self._job: Job | None = None
        self._search: Job | None = None
        self._searched: tuple[str, ...] | None = None
        self._wanted = False
        session.opened.connect(self._forget)

    # ---- logs near what is open

    def want(self, wanted: bool) -> None:
        """Say whether somebody looks: only then are logs looked for."""
        self._wanted = wanted
        if wanted:
            self._look_around()

    def _forget(self) -> None:
        """Leave a log that lay beside another pair; one that the user brought stays."""
        offered = self.path in (log.path for log in self.logs)
        places = self._places()
        if places != self._searched:
            self._drop_search()
            self.logs = []
            self.logs_changed.emit()
            if offered:
                self._drop_job()
                self.path = ""
                self._enter(Stage.NOTHING)
        if self._wanted:
            self._look_around()

    def _places(self) -> tuple[str, ...]:
        session = self._session
        return tuple(path for path in (session.target_path, session.golden_path) if path)

    def _look_around(self) -> None:
        places = self._places()
        if places == self._searched or not places:
            return
        self._drop_search()
        self._searched = places
        job = self._search = self._session.tasks.start(training_work.find_logs, places)
        job.succeeded.connect(self._take_logs)
        job.rejected.connect(self._find_none)
        job.crashed.connect(self._find_none)
        job.start()

    def _drop_search(self) -> None:
        self._searched = None
        if self._search is not None:
            self._search.cancel()
            self._search = None

    def _find_none(self, generation: int, _why: object) -> None:
        """Go on without: logs can still be dropped and chosen."""
        self._take_logs(generation, [])

    def _take_logs(self, generation: int, logs: list[FoundLog]) -> None:
        if self._search is not None and self._search.generation == generation:
            self._search = None
            self.logs = logs
            self.logs_changed.emit()

    # ---- the log

    def open_log(self, path: str) -> None:
        """Read the log at *path*; what was on show goes."""
        self._drop_job()
        self.path = str(Path(path).expanduser().absolute())
        job = self._job = self._session.tasks.start(self.work, self.path, self.limits)
        job.progressed.connect(self._go_on)
        job.succeeded.connect(self._take)
        job.rejected.connect(self._reject)
        job.crashed.connect(self._crash)
        self._enter(Stage.WORKING)
        job.start()

    def again(self) -> None:
        """Read the log again."""
        if self.path:
            self.open_log(self.path)

    def cancel(self) -> None:
        """Stop reading."""
        if self.stage is Stage.WORKING:
            self._drop_job()
            self._enter(Stage.STOPPED)

    def leave(self) -> None:
        """Show no log, to choose another one."""
        self._drop_job()
        self.path = ""
        self._enter(Stage.NOTHING)

    def _drop_job(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def _current(self, generation: int) -> bool:
        return self._job is not None and self._job.generation == generation

    def _go_on(self, generation: int, progress: Progress) -> None:
        if self._current(generation):
            self.progressed.emit(progress)

    def _take(self, generation: int, history: TrainingOverflow) -> None:
        if self._current(generation):
            self._job = None
            self.show_history(history)

    def show_history(self, history: TrainingOverflow) -> None:
        """Show what a log says, judged by the limits in force."""
        self.path, self.step = history.path, None
        self.history = judged_by(history, self.limits)
        self._enter(Stage.READY)
        self.opened.emit()

    def _reject(self, generation: int, problem: Problem) -> None:
        if self._current(generation):
            self._job = None
            self._enter(Stage.FAILED, problem)

    def _crash(self, generation: int, traceback: str) -> None:
        if self._current(generation):
            self._job = None
            self._enter(Stage.FAILED, Message("gui.training.crashed"), traceback)

    def _enter(self, stage: Stage, failure: Message | Problem | None = None, details: str = "") -> None:
        if stage is not Stage.READY:
            self.history, self.step = None, None
        self.stage, self.failure, self.details = stage, failure, details
        self.changed.emit()

    def choose_step(self, step: int | None) -> None:
        """Look at *step*."""
        if step != self.step:
            self.step = step
            self.step_changed.emit()

    # ---- limits

    def set_limit(self, name: str, value: float) -> None:
        """Judge by another limit, and remember it."""
        said = {**self._settings.overflow_limits, name: float(value)}
        shipped = shipped_limits().as_mapping()
        self._settings.overflow_limits = {key: limit for key, limit in said.items() if shipped[key] != limit}
        self._judge()

    def reset_limits(self) -> None:
        """Judge by the shipped limits again."""
        self._settings.overflow_limits = {}
        self._judge()

    @property
    def has_own_limits(self) -> bool:
        """Whether some limit is not the shipped one."""
        return bool(self._settings.overflow_limits)

    def _judge(self) -> None:
        limits = _limits_of(self._settings)
        if limits == self.limits:
            return
        self.limits = limits
        self.limits_changed.emit()
        if self.history is not None:
            self.history = judged_by(self.history, limits)
            self.changed.emit()


def _limits_of(settings: Settings) -> OverflowLimits:
    """Return the shipped limits with the user's instead; what is not editable here is left out."""
    known = {item.name for item in fields(OverflowLimits)} & set(EDITABLE)
    said = {name: value for name, value in settings.overflow_limits.items() if name in known}
    settings.overflow_limits = said
    try:
        return limits_from({"training": said})
    except InputError:
        return shipped_limits()
