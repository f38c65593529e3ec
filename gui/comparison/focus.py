"""The call that is looked at: the session's own, or one that a window of its own holds on to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.records.result import CellResult, Reason
from gui.models.pair.facts import Facts

if TYPE_CHECKING:
    from gui.session import Session


def is_exploring(cell: CellResult | None) -> bool:
    """Whether *cell* has no verdicts because only one run is open."""
    if cell is None or not len(cell.rows) or cell.rows.reason[0] != Reason.SINGLE_RUN:
        return False
    return bool((cell.rows.reason == Reason.SINGLE_RUN).all())


class Focus(QObject):
    """A row of a cell. Follows what is selected in the session while :attr:`following`, else stays."""

    cell_changed = Signal()
    """Another cell; its row follows with :attr:`row_changed`."""
    row_changed = Signal()
    following_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent or session)
        self._session = session
        self.following = True
        self.cell: CellResult | None = None
        self.facts: Facts | None = None
        self.row = -1
        self.exploring = False
        """Whether the cell has no verdicts because only one run is open."""
        session.cell_changed.connect(self._follow_cell)
        session.row_changed.connect(self._follow_row)
        self._take_cell()
        self.row = session.row

    def follow(self, wanted: bool) -> None:
        """Follow the session's selection from now on, or stay where it is."""
        if wanted == self.following:
            return
        self.following = wanted
        self.following_changed.emit()
        if wanted:
            if self.cell is not self._session.cell:
                self._follow_cell()
            self._follow_row()

    def select(self, row: int) -> None:
        """Look at another row of the same cell."""
        if self.following:
            self._session.select(row)
        elif self.facts is not None and 0 <= row < len(self.facts):
            self._show_row(row)

    @property
    def selected(self) -> tuple[CellResult, Facts, int] | None:
        """The cell, the facts over it and the row; ``None`` where nothing is selected."""
        if self.cell is None or self.facts is None or self.row < 0:
            return None
        return self.cell, self.facts, self.row

    def _take_cell(self) -> None:
        session = self._session
        self.cell, self.facts = session.cell, session.facts
        self.exploring = is_exploring(self.cell)

    def _follow_cell(self) -> None:
        """Take the session's cell; one that stays takes the same cell when it was read or judged anew."""
        now = self._session.cell
        same = now is not None and self.cell is not None and now.key == self.cell.key
        if self.following or same:
            self._take_cell()
            if self.following:
                self.row = -1
            self.cell_changed.emit()

    def _follow_row(self) -> None:
        if self.following:
            self._show_row(self._session.row)

    def _show_row(self, row: int) -> None:
        if row != self.row:
            self.row = row
            self.row_changed.emit()
