"""How near the values of the cell on show are to fp16: measured when somebody looks, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal

from core.messages import Message
from core.progress import Work
from core.records.run import CellKey
from gui.headroom import work as headroom_work
from gui.headroom.work import CellRoom
from gui.models.call.details import row_of_call
from gui.models.headroom.columns import call_name, slot_name
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.session import Session

_KEPT_ROWS = 2_000_000
"""Slots of all cells that are kept; the oldest cells go first."""


class HeadroomState(WorkState):
    """The measurement of the cell on show, and which of its slots is looked at."""

    row_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.headroom.crashed"))
        self._session = session
        self.work: Callable[[str, CellKey], Work[CellRoom]] = headroom_work.room_of_cell
        self.room: CellRoom | None = None
        self.row = -1
        """Row of the measurement that is looked at; -1 for none."""
        self._kept: dict[CellKey, CellRoom] = {}
        self._wanted = False
        self._choosing = False
        session.opened.connect(self._kept.clear)
        session.cell_changed.connect(self._follow_cell)
        session.row_changed.connect(self._follow_row)

    # ---- measuring

    def want(self, wanted: bool) -> None:
        """Say whether somebody looks: only then is anything measured; what runs goes on."""
        self._wanted = wanted
        if wanted and self.stage is Stage.NOTHING:
            self._follow_cell()

    def _follow_cell(self) -> None:
        """Show the cell on show, measured before or now."""
        self._drop_job()
        cell = self._session.cell
        known = self._kept.get(cell.key) if cell is not None else None
        if known is not None:
            self._show(known)
        elif cell is not None and self._session.result_path and self._wanted:
            self.start()
        else:
            self._enter(Stage.NOTHING)

    def start(self) -> None:
        """Measure the cell on show, again if it was before."""
        self._drop_job()
        cell = self._session.cell
        if cell is None or not self._session.result_path:
            return
        self._begin(self._session.tasks.start(self.work, self._session.result_path, cell.key))

    def _show_answer(self, answer: CellRoom) -> None:
        self.show_room(answer)

    def _forget_answer(self) -> None:
        self.room, self.row = None, -1

    def show_room(self, room: CellRoom) -> None:
        """Keep the measurement *room*, and show it if its cell is on show."""
        self._kept[room.headroom.key] = room
        while len(self._kept) > 1 and self._kept_rows() > _KEPT_ROWS:
            del self._kept[next(iter(self._kept))]
        cell = self._session.cell
        if cell is not None and cell.key == room.headroom.key:
            self._show(room)

    def _kept_rows(self) -> int:
        return sum(len(room.headroom.rows) for room in self._kept.values())

    def _show(self, room: CellRoom) -> None:
        self.room = room
        self.row = self._row_of_session()
        self._enter(Stage.READY)

    # ---- which slot is looked at

    def choose(self, row: int) -> None:
        """Look at row *row* of the measurement, and select it in the comparison."""
        session, room = self._session, self.room
        if room is None or row == self.row or not 0 <= row < len(room.headroom.rows):
            return
        self.row = row
        self._choosing = True
        if session.cell is not None:
            session.select(self._row_in_result(row))
        self._choosing = False
        self.row_changed.emit()

    def show_in_comparison(self) -> bool:
        """Select the slot looked at in the comparison, whatever is filtered there; False if there is none."""
        cell, room = self._session.cell, self.room
        if cell is None or room is None or self.row < 0:
            return False
        rows = room.headroom.rows
        name, slot = call_name(rows, cell.target, self.row), slot_name(rows, cell.target, self.row)
        self._session.show_call(cell.key, int(rows.operator[self.row]), name, slot)
        return True

    def _row_in_result(self, row: int) -> int:
        """Return the result's row of the same slot, or one of the same call; -1 where there is none."""
        cell, room = self._session.cell, self.room
        assert cell is not None
        assert room is not None
        exact = np.flatnonzero(cell.rows.target_slot == room.headroom.rows.slot[row])
        if len(exact):
            return int(exact[0])
        return row_of_call(cell, self._session.facts, int(room.headroom.rows.operator[row]), "")

    def _row_of_session(self) -> int:
        """Return the row of the slot selected in the comparison, or the first one of its call."""
        cell, room, at = self._session.cell, self.room, self._session.row
        if cell is None or room is None or at < 0:
            return -1
        rows = room.headroom.rows
        exact = np.flatnonzero(rows.slot == cell.rows.target_slot[at])
        if len(exact):
            return int(exact[0])
        operator = int(cell.rows.target_operator[at])
        first = int(np.searchsorted(rows.operator, operator))
        return first if first < len(rows) and rows.operator[first] == operator else -1

    def _follow_row(self) -> None:
        if self._choosing or self.room is None:
            return
        row = self._row_of_session()
        if row != self.row:
            self.row = row
            self.row_changed.emit()
