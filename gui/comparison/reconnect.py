"""The dumps behind the result that is open: where they lie, and pointing at them where they have moved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.records.result import CellResult
from core.store.moved import Likeness, load_moved, moved_to, place_by, save_moved, with_rule
from gui.comparison import reconnect_work
from gui.comparison.reconnect_work import Located, Whereabouts
from gui.processes.picture_client import PictureClient

if TYPE_CHECKING:
    from gui.session import Session

_CHANNEL = "locate"
SIDES = ("target", "golden")


class Dumps(QObject):
    """Of the cell on show: each side's tensors, and whether they are to be had."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._sides: tuple[Whereabouts, ...] = ()
        self._written: CellResult | None = None
        """The cell as its result has it."""
        self.offered: tuple[Located, ...] = ()
        """What agrees in its sizes alone: the user may take it anyway."""
        self.refusal: Problem | None = None
        """Why what was pointed at is not taken."""
        self._client = PictureClient(session.pictures, self)
        self._client.answered.connect(self._take)
        self._client.rejected.connect(self._refuse)
        self._client.crashed.connect(self._break)

    def placed(self, cell: CellResult, sides: tuple[Whereabouts, ...]) -> CellResult:
        """Return *cell* with its dumps where *sides* say that they lie; nothing said: as written."""
        self._written, self._sides = cell, sides
        self.offered, self.refusal = (), None
        self._client.forget(_CHANNEL)
        return self._placed()

    def _placed(self) -> CellResult:
        cell = self._written
        assert cell is not None
        if not any(side.place and side.place != side.folder for side in self._sides):
            return cell
        dumps = [
            moved_to(dump, side.place, side.exact) if side.place and side.place != side.folder else dump
            for dump, side in zip((cell.target, cell.golden), self._sides)
        ]
        return replace(cell, target=dumps[0], golden=dumps[1])

    @property
    def lost(self) -> tuple[str, ...]:
        """The sides (``target``, ``golden``) whose tensors are not to be had."""
        return tuple(name for name, side in zip(SIDES, self._sides) if side.lost)

    @property
    def altered(self) -> bool:
        """Whether other files lie where a side's were."""
        return any(side.lost and side.look.likeness is not Likeness.MISSING for side in self._sides)

    def folder_of(self, side: str) -> str:
        """Return where the result says that the tensors of *side* lie."""
        return self._sides[SIDES.index(side)].folder

    def locate(self, folder: str) -> None:
        """Look for the dumps in *folder*; the answer comes with :attr:`changed`."""
        self.offered, self.refusal = (), None
        self._client.request(_CHANNEL, reconnect_work.locate, self._sides, folder)

    def take_anyway(self) -> None:
        """Take what agrees in its sizes alone."""
        offered, self.offered = self.offered, ()
        self._adopt(offered)

    def _take(self, _channel: str, found: tuple[Located | None, ...]) -> None:
        sides = [(side, one) for side, one in zip(self._sides, found) if one is not None and side.lost]
        same = tuple(one for _, one in sides if one.look.same)
        self.offered = tuple(one for _, one in sides if one.look.likeness is Likeness.SIZES)
        others = [(side, one) for side, one in sides if one.look.likeness is Likeness.OTHER]
        if not same and not self.offered:
            self.refusal = _other_dump(*others[0]) if others else Problem("dump_not_there", self._asked())
        self._adopt(same)

    def _asked(self) -> str:
        return next((side.folder for side in self._sides if side.lost), "")

    def _refuse(self, _channel: str, problem: Problem) -> None:
        self.refusal = problem
        self.changed.emit()

    def _break(self, _channel: str, traceback: str) -> None:
        self._session.noticed.emit(Message("gui.notice.crashed"), traceback)

    def _adopt(self, found: tuple[Located, ...]) -> None:
        """Keep where *found* lie, and show the cell with them."""
        if found:
            rules = load_moved()
            for one in found:
                rules = with_rule(rules, one.rule)
            try:
                save_moved(rules)
            except OSError as error:
                self._session.noticed.emit(Message("gui.diagnosis.not_saved", {"why": str(error)}), "")
            self._sides = tuple(_moved(side, found) for side in self._sides)
            self._session.show_anew(self._placed())
            if not self.lost:
                self._session.succeeded.emit(Message("gui.dumps.found"))
        self.changed.emit()


def _moved(side: Whereabouts, found: tuple[Located, ...]) -> Whereabouts:
    for one in found:
        place = place_by(one.rule, side.folder)
        if side.files and place:
            return replace(side, place=place, exact=one.rule.exact)
    return side


def _other_dump(side: Whereabouts, one: Located) -> Problem:
    look, place = one.look, place_by(one.rule, side.folder) or side.folder
    if look.size < 0:
        return Problem("dump_lacks_file", place, {"file": look.file})
    return Problem("dump_is_other", place, {"file": look.file, "size": look.size, "expected": look.expected})
