"""Which other cells are laid over the error trajectory: chosen, worked out, kept from cell to cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.messages import Message
from core.progress import Progress
from core.records.run import CellKey
from gui.comparison.overlays_work import overlay_cells
from gui.models.trajectory.lines import Overlay
from gui.processes.tasks import Job

if TYPE_CHECKING:
    from gui.session import Session


class Overlays(QObject):
    """What is drawn behind the trajectory of the cell on show."""

    changed = Signal()
    """Other cells are chosen, are being read, or are there."""
    progressed = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.chosen: frozenset[CellKey] = frozenset()
        """The cells that are compared with each other; the one on show may be one of them."""
        self.found: Overlay | None = None
        self._job: Job | None = None
        session.opened.connect(self.clear)
        session.cell_changed.connect(self._follow)

    @property
    def possible(self) -> bool:
        """Whether there are cells to compare with."""
        session = self._session
        several = session.info is not None and len(session.info.cells) > 1
        return several and bool(session.result_path) and not session.is_exploring()

    @property
    def working(self) -> bool:
        """Whether cells are being read."""
        return self._job is not None

    @property
    def others(self) -> tuple[CellKey, ...]:
        """The chosen cells without the one on show, in order."""
        cell = self._session.cell
        return tuple(sorted(key for key in self.chosen if cell is None or key != cell.key))

    def compare(self, keys: Iterable[CellKey]) -> None:
        """Lay the cells *keys* over the one on show, in place of those that are."""
        info = self._session.info
        self.chosen = frozenset(keys) & frozenset(info.cells if info is not None else ())
        self._follow()

    def toggle(self, key: CellKey) -> None:
        """Take *key* up, or leave it out."""
        self.compare(self.chosen ^ {key})

    def clear(self) -> None:
        """Lay nothing over it."""
        self.compare(())

    def cancel(self) -> None:
        """Read no further; nothing is laid over it."""
        if self.working:
            self.clear()

    def _follow(self) -> None:
        """Work out the lines anew for the cell on show."""
        self.close()
        session = self._session
        if session.cell is not None and self.chosen and session.cell.key not in self.chosen:
            self.chosen |= {session.cell.key}  # so that it is among the others once another one is shown
        self.found = None
        if session.cell is not None and self.others and self.possible:
            job = self._job = session.tasks.start(
                overlay_cells, session.result_path, session.cell.key, self.others
            )
            job.progressed.connect(self._progress)
            job.succeeded.connect(self._take)
            job.rejected.connect(self._fail)
            job.crashed.connect(self._crash)
            job.start()
        self.changed.emit()

    def _mine(self, generation: int) -> bool:
        return self._job is not None and self._job.generation == generation

    def _progress(self, generation: int, progress: Progress) -> None:
        if self._mine(generation):
            self.progressed.emit(progress)

    def _take(self, generation: int, found: Overlay) -> None:
        if self._mine(generation):
            self._job, self.found = None, found
            self.changed.emit()

    def _fail(self, generation: int, problem: object) -> None:
        if self._mine(generation):
            self._give_up()
            self._session.noticed.emit(problem, "")

    def _crash(self, generation: int, traceback: str) -> None:
        if self._mine(generation):
            self._give_up()
            self._session.noticed.emit(Message("gui.notice.crashed"), traceback)

    def _give_up(self) -> None:
        self._job, self.chosen = None, frozenset()
        self.changed.emit()

    def close(self) -> None:
        """End what is being read."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
