"""One slot in all cells of the result that is open, found in a worker bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.messages import Message
from core.progress import Progress
from core.records.run import CellKey
from gui.comparison.slot_cells_work import SlotCell, SlotKey, SlotsFound, find_slot
from gui.processes.tasks import Job

if TYPE_CHECKING:
    from gui.session import Session


class SlotCells(QObject):
    """Keeps what was found until another slot or result is asked for."""

    changed = Signal()
    """More cells were looked at, or all of them were."""
    progressed = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.found: dict[CellKey, SlotCell] = {}
        self._asked: tuple[str, SlotKey] | None = None
        self._job: Job | None = None
        session.opened.connect(self.forget)

    @property
    def possible(self) -> bool:
        """Whether there is more than one cell to look into."""
        session = self._session
        return bool(session.result_path) and session.info is not None and len(session.info.cells) > 1

    @property
    def working(self) -> bool:
        """Whether cells are still to be looked at."""
        return self._job is not None

    @property
    def cells(self) -> tuple[CellKey, ...]:
        """All cells of the result."""
        info = self._session.info
        return tuple(info.cells) if info is not None else ()

    def look_up(self, key: SlotKey) -> None:
        """Find *key* in all cells; nothing happens if it is what was asked for last."""
        wanted = (self._session.result_path, key)
        if wanted == self._asked or not self.possible:
            return
        self.forget()
        self._asked = wanted
        job = self._job = self._session.tasks.start(find_slot, wanted[0], self.cells, key)
        job.progressed.connect(self._take)
        job.succeeded.connect(self._end)
        job.rejected.connect(self._fail)
        job.crashed.connect(self._crash)
        job.start()
        self.changed.emit()

    def pause(self) -> None:
        """Look no further for now; what is half done is looked up anew."""
        if self._job is not None:
            self.forget()

    def forget(self) -> None:
        """Forget what was found, and look for nothing."""
        if self._job is not None:
            self._job.cancel()
        self._job, self._asked, self.found = None, None, {}

    def _mine(self, generation: int) -> bool:
        return self._job is not None and self._job.generation == generation

    def _take(self, generation: int, said: Progress) -> None:
        if self._mine(generation) and isinstance(said, SlotsFound):
            self.found |= {cell.key: cell for cell in said.found}
            self.progressed.emit(said)
            self.changed.emit()

    def _end(self, generation: int, _count: object) -> None:
        if self._mine(generation):
            self._job = None
            self.changed.emit()

    def _fail(self, generation: int, problem: object) -> None:
        if self._mine(generation):
            self._job = None
            self._session.noticed.emit(problem, "")
            self.changed.emit()

    def _crash(self, generation: int, traceback: str) -> None:
        if self._mine(generation):
            self._job = None
            self._session.noticed.emit(Message("gui.notice.crashed"), traceback)
            self.changed.emit()
