"""The emulation of what is open: what was replayed, the work that does it, the call looked at, the export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Signal

from core.messages import Message
from core.progress import Work
from core.records.emulation import CallEmulation
from core.records.run import CellKey
from gui.emulation import work as emulation_work
from gui.emulation.work import ReplayedCall
from gui.processes.export import Export
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.models.emulation.calls import Replayed
    from gui.session import Session


class EmulationState(WorkState):
    """One emulation at a time; it stays while another is under way, until that has an answer."""

    row_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.emulation.crashed"))
        self._session = session
        self.work: Callable[..., Work[Replayed]] = emulation_work.replayed
        self.read: Callable[[str], Work[Replayed | None]] = emulation_work.kept
        self.found: Replayed | None = None
        self.row = -1
        """The call that is looked at; -1 for none."""
        self.loading = False
        """Whether what goes on is only reading what the result holds."""
        self.single = CallState(session)
        self.exports = Export(session)
        session.opened.connect(self._open)

    # ---- the work

    def _open(self) -> None:
        """Forget the pair before, and read what this result holds."""
        self._drop_job()
        self.found, self.row = None, -1
        if self._session.emulated and self._session.result_path:
            self.loading = True
            self._begin(self._session.tasks.start(self.read, self._session.result_path))
        else:
            self._enter(Stage.NOTHING)

    def start(self, profile: str, changed: Mapping[str, object], cells: tuple[CellKey, ...] | None) -> None:
        """Replay the calls of *cells* (``None``: all) under *profile*."""
        if self._session.result_path:
            self._drop_job()
            self.loading = False
            path = self._session.result_path
            self._begin(self._session.tasks.start(self.work, path, profile, dict(changed), cells))

    def leave(self) -> None:
        """Want nothing of what was stopped or failed: back to what was found before, if anything."""
        self._drop_job()
        self._enter(Stage.READY if self.found is not None else Stage.NOTHING)

    def _show_answer(self, answer: Replayed | None) -> None:
        if answer is None:
            self._enter(Stage.NOTHING)
            return
        self.show(answer)

    def show(self, found: Replayed) -> None:
        """Show *found*, and look at the first call that nothing explains, else at the worst one."""
        self._drop_job()
        self.found, self.loading = found, False
        self.row = found.calls.worst
        self.single.forget()
        self._enter(Stage.READY)

    def export(self, path: str) -> None:
        """Write all replayed calls to *path*, as csv or json by its ending."""
        if self.found is not None:
            self.exports.start(emulation_work.export, path, self.found)

    @property
    def outside(self) -> int:
        """How many calls nothing explains."""
        return len(self.found.calls.outside) if self.found is not None else 0

    # ---- which call is looked at

    def choose(self, row: int) -> None:
        """Look at the call in *row*."""
        if row != self.row:
            self.row = row
            self.row_changed.emit()

    def turn(self, forward: bool) -> None:
        """Look at the next call that nothing explains, or the one before; at an end, go on at the other."""
        rows = self.found.calls.outside if self.found is not None else np.empty(0, np.int64)
        if len(rows):
            at = int(np.searchsorted(rows, self.row, "right" if forward else "left"))
            self.choose(int(rows[at % len(rows)] if forward else rows[at - 1]))

    @property
    def call(self) -> CallEmulation | None:
        """The call that is looked at."""
        return self.found.calls.call(self.row) if self.found is not None and self.row >= 0 else None

    def known(self, cell: CellKey, name: str) -> ReplayedCall | None:
        """Return what is known of the call *name* of *cell*: replayed by itself, or with the others."""
        by_itself = self.single.answers.get((cell, name))
        if by_itself is not None or self.found is None:
            return by_itself
        row = self.found.calls.row_of(cell, name)
        return ReplayedCall(self.found.title, self.found.calls.call(row)) if row >= 0 else None

    def show_in_comparison(self) -> bool:
        """Select the call looked at in the comparison, whatever is filtered there; False if there is none."""
        call = self.call
        if call is None:
            return False
        slot = call.worst_slot.slot if call.worst_slot is not None else ""
        self._session.show_call(call.cell, -1, call.operator, slot)
        return True

    def close(self) -> None:
        """Heed nothing more."""
        self._job = None
        self.single.close()
        self.exports.close()


class CallState(WorkState):
    """The replay of one call by itself; the answers are kept until all calls are replayed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.emulation.crashed"))
        self._session = session
        self.work: Callable[..., Work[ReplayedCall]] = emulation_work.replayed_call
        self.answers: dict[tuple[CellKey, str], ReplayedCall] = {}
        self.asked: tuple[CellKey, str] | None = None
        session.opened.connect(self.forget)

    def forget(self) -> None:
        """Know nothing of any call any more."""
        self._drop_job()
        self.answers.clear()
        self.asked = None
        self._enter(Stage.NOTHING)

    def start(self, profile: str, changed: Mapping[str, object], cell: CellKey, name: str) -> None:
        """Replay the call *name* of *cell*; another one under way is let go."""
        if self._session.result_path:
            self._drop_job()
            self.asked = (cell, name)
            path = self._session.result_path
            self._begin(self._session.tasks.start(self.work, path, profile, dict(changed), cell, name))

    def leave(self) -> None:
        """Want nothing of what was stopped or failed."""
        if self.stage in (Stage.STOPPED, Stage.FAILED):
            self.asked = None
            self._enter(Stage.NOTHING)

    def _show_answer(self, answer: Any) -> None:
        if self.asked is not None:
            self.answers[self.asked] = answer
        self._enter(Stage.READY)

    def close(self) -> None:
        """Heed nothing more."""
        self._job = None
