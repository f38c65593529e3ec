"""The calls looked at, to go back to them and forward again, as in a browser."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from core.records.run import CellKey

if TYPE_CHECKING:
    from gui.session import Session

_LONGEST = 100
"""Calls that are remembered."""
_GLANCE = 0.15
"""Seconds under which a call was only passed by, as under a key held down."""


class _Visit(NamedTuple):
    cell: CellKey
    call: int
    """Among the calls of the cell."""
    row: int


class History(QObject):
    """Of one pair; another one begins anew."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._visits: list[_Visit] = []
        self._at = -1
        self._came = 0.0
        session.opened.connect(self._forget)
        session.row_changed.connect(self._note)

    @property
    def can_go_back(self) -> bool:
        """Whether a call was looked at before this one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether it was gone back from a call."""
        return self._at + 1 < len(self._visits)

    def go(self, forward: bool) -> None:
        """Look at the next call, or the one before, again."""
        if not (self.can_go_forward if forward else self.can_go_back):
            return
        self._at += 1 if forward else -1
        visit = self._visits[self._at]
        self._session.show_row(visit.cell, visit.row)
        self.changed.emit()

    def _forget(self) -> None:
        self._visits.clear()
        self._at = -1
        self.changed.emit()

    def _note(self) -> None:
        session = self._session
        if session.cell is None or session.facts is None or session.row < 0:
            return
        visit = _Visit(session.cell.key, int(session.facts.call_of_row[session.row]), session.row)
        now = time.monotonic()
        glanced, self._came = now - self._came < _GLANCE, now
        here = self._visits[self._at] if self._at >= 0 else None
        if here is not None and here[:2] == visit[:2]:
            self._visits[self._at] = visit
            return
        kept = self._visits[: self._at + (0 if glanced else 1)]
        self._visits = [*kept, visit][-_LONGEST:]
        self._at = len(self._visits) - 1
        self.changed.emit()
