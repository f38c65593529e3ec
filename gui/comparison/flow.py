"""The data flow of the cells that are looked at: worked out once a cell, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.messages import Message
from core.progress import Work
from core.records.result import CellResult
from core.records.run import CellKey
from gui.comparison import flow_work
from gui.models.call.flow_columns import CellFlow
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.session import Session

_KEPT = 3
"""Cells whose flow is kept; at a million slots each takes some 40 MB."""


class FlowState(WorkState):
    """The flow of one cell."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.flow.crashed"))
        self._session = session
        self.work: Callable[..., Work[CellFlow]] = flow_work.flow_of
        self.found: CellFlow | None = None

    def start(self, result_path: str, cell: CellResult) -> None:
        """Work it out."""
        sent = None if result_path else cell  # reading it again is quicker than sending it
        self._drop_job()
        self._begin(self._session.tasks.start(self.work, result_path, cell.key, sent))

    def leave(self) -> None:
        """Heed nothing more."""
        self._drop_job()

    def _show_answer(self, answer: CellFlow) -> None:
        self.found = answer
        self._enter(Stage.READY)


class Flows(QObject):
    """Of the pair that is open; tells of all its states, which come and go."""

    changed = Signal()
    """Some state is further."""
    progressed = Signal(object, object)
    """The cell and its progress."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._states: dict[CellKey, FlowState] = {}
        session.opened.connect(self.forget)

    def of(self, key: CellKey) -> FlowState:
        """Return the state of the cell *key*; the one looked at longest ago goes for it."""
        state = self._states.pop(key, None)
        if state is None:
            state = FlowState(self._session)
            state.changed.connect(self.changed)
            state.progressed.connect(partial(self.progressed.emit, key))
        self._states[key] = state
        while len(self._states) > _KEPT:
            self._drop(next(iter(self._states)))
        return state

    def forget(self) -> None:
        """Know of no cell any more."""
        for key in list(self._states):
            self._drop(key)

    def _drop(self, key: CellKey) -> None:
        state = self._states.pop(key)
        state.leave()
        state.deleteLater()
