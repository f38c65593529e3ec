"""The steps and ranks of what is open: how each compares, and the way from one to the next that differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.messages import Message
from gui.comparison.cells_work import count_cells
from gui.models.pair.roll_up import CellsCounted, RollUp
from gui.models.pair.suspects import cell_label
from gui.processes.tasks import Job

if TYPE_CHECKING:
    from gui.session import Session


_MANY = 2000
"""Cells beyond which what lists all of them waits until all are counted."""


class Cells(QObject):
    """What is known of the cells that are not on show."""

    changed = Signal()
    counted = Signal()
    """Some more cells are counted; :attr:`changed` tells it as well unless there are very many."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.roll_up = RollUp()
        self._job: Job | None = None
        session.opened.connect(self._forget)

    def _forget(self) -> None:
        """Know nothing until the counts of what was opened are there: those so far are of the one before."""
        self.close()
        self.roll_up = RollUp()

    def load(self, roll_up: RollUp | None) -> None:
        """Take the counts of another result; ``None``: count now, beside what the user does."""
        self.close()
        session = self._session
        self.roll_up = roll_up or RollUp()
        if roll_up is None and session.result_path and session.info and len(session.info.cells) > 1:
            job = self._job = session.tasks.start(count_cells, session.result_path)
            job.progressed.connect(self._take)
            job.succeeded.connect(self._end)
            job.rejected.connect(self._end)
            job.crashed.connect(self._end)
            job.start()
        self.changed.emit()

    @property
    def counting(self) -> bool:
        """Whether some cells are still to be counted."""
        return self._job is not None

    def _take(self, generation: int, found: object) -> None:
        if self._job is not None and self._job.generation == generation and isinstance(found, CellsCounted):
            self.roll_up = self.roll_up.with_cells(found)
            self.counted.emit()
            info = self._session.info
            if info is not None and len(info.cells) <= _MANY:
                self.changed.emit()

    def _end(self, generation: int, _how: object) -> None:
        if self._job is not None and self._job.generation == generation:
            self._job = None
            self.changed.emit()

    @property
    def differing_elsewhere(self) -> int:
        """How many rows of the cells that are not on show differ."""
        cell = self._session.cell
        return self.roll_up.differing_elsewhere(cell.key if cell is not None else None)

    def step(self, forward: bool = True) -> bool:
        """Go to the next, or the previous, cell in which rows differ, and say so; False if there is none."""
        session = self._session
        if session.cell is None or session.busy:
            return False
        here = session.cell.key
        found = self.roll_up.next_differing(here, forward)
        if found is None:
            return False
        session.choose_cell(found[0], forward)
        code = "gui.notice.next_cell_wrapped" if found[1] and forward else "gui.notice.next_cell"
        session.succeeded.emit(Message(code, {"before": cell_label(here), "now": cell_label(found[0])}))
        return True

    def close(self) -> None:
        """Count no more."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
