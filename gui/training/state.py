"""Overflow over a training: which log is read, by which limits it is judged, which step is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from core.errors import InputError
from core.messages import Message
from core.overflow.training.history import judged_by
from core.overflow.training.limits import OverflowLimits, limits_from, shipped_limits
from core.progress import Work
from core.records.training import TrainingOverflow
from gui.processes.tasks import Job
from gui.processes.work_state import Stage, WorkState
from gui.settings import Settings
from gui.training import work as training_work
from gui.training.work import FoundLog

if TYPE_CHECKING:
    from gui.session import Session

EDITABLE = ("limit", "large_batch_limit", "large_batch")
"""Limits by which a log is judged anew at once; the others take part in reading it."""


class TrainingState(WorkState):
    """One log, read in a worker and judged by the limits in force."""

    opened = Signal()
    """Another log is on show."""
    logs_changed = Signal()
    limits_changed = Signal()
    step_changed = Signal()

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session, Message("gui.training.crashed"))
        self._session, self._settings = session, settings
        self.work: Callable[[str, OverflowLimits], Work[TrainingOverflow]] = training_work.history_of_log
        self.path = ""
        self.history: TrainingOverflow | None = None
        self.step: int | None = None
        """The step looked at."""
        self.logs: list[FoundLog] = []
        """Logs in and beside what is open."""
        self.limits = _limits_of(settings)
        self._search: Job | None = None
        self._searched: tuple[str, ...] | None = None
        self._wanted = False
        self._brought = ""
        """The log that was read because it had been brought."""
        session.opened.connect(self._forget)

    # ---- logs near what is open

    def want(self, wanted: bool) -> None:
        """Say whether somebody looks: only then are logs looked for."""
        self._wanted = wanted
        if wanted:
            self._look_around()
            self._read_brought()

    def _read_brought(self) -> None:
        """Read the log that was brought last, for its curves, unless that was done or another is on show."""
        brought = self._session.arrivals.log
        if self.stage is Stage.NOTHING and brought != self._brought and Path(brought).is_file():
            self._brought = brought
            self.open_log(brought)

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
        self._begin(self._session.tasks.start(self.work, self.path, self.limits))

    def again(self) -> None:
        """Read the log again."""
        if self.path:
            self.open_log(self.path)

    def leave(self) -> None:
        """Show no log, to choose another one."""
        self._drop_job()
        self.path = ""
        self._enter(Stage.NOTHING)

    def _show_answer(self, answer: TrainingOverflow) -> None:
        self.show_history(answer)

    def _forget_answer(self) -> None:
        self.history, self.step = None, None

    def show_history(self, history: TrainingOverflow) -> None:
        """Show what a log says, judged by the limits in force."""
        self.path, self.step = history.path, None
        self.history = judged_by(history, self.limits)
        self._enter(Stage.READY)
        self.opened.emit()

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
