"""What is looked at on the overflow page: a birth, a call, a step; what the views of the page share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from core.records.overflow import Birth, OverflowReport, Spread
from core.records.run import CellKey
from gui.models.call.details import pool_text
from gui.models.pair.texts import Texts
from gui.overflow.work import call_names

if TYPE_CHECKING:
    from gui.session import Session

_CHANNEL = "call names"


class Place(NamedTuple):
    """A call of the run; its name is empty and its row -1 where they are not known."""

    cell: CellKey
    row: int
    operator: str = ""


class Step(NamedTuple):
    """One column of the matrix: a step, in a phase where there are several."""

    phase: str
    step: int


def step_of(key: CellKey) -> Step:
    """Return the step that *key* belongs to."""
    return Step(key.phase, key.step)


def saw(birth: Birth, key: CellKey) -> bool:
    """Return whether *birth* belongs to the cell *key*, also as one of several ranks."""
    return birth.cell == key or (step_of(birth.cell) == step_of(key) and key.rank in birth.ranks)


class OverflowChoice(QObject):
    """The selection; another answer starts it anew at the first birth."""

    birth_changed = Signal()
    place_changed = Signal()
    step_changed = Signal()
    filter_changed = Signal()
    names_arrived = Signal()
    """The names of the calls of one more cell are known."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.report: OverflowReport | None = None
        self.birth: Birth | None = None
        self.place: Place | None = None
        self.step = Step("", 0)
        self.filter: CellKey | None = None
        """Only births of this cell are listed."""
        self._names: dict[CellKey, Texts] = {}
        self._asked: CellKey | None = None
        session.pictures.answered.connect(self._take_names)

    def load(self, report: OverflowReport | None) -> None:
        """Start with another answer."""
        if report is self.report:
            return
        was_filtered = self.filter is not None
        self.report, self.filter = report, None
        self._names.clear()
        self._asked = None
        self._session.pictures.forget(_CHANNEL)
        self.birth = report.first if report is not None else None
        self.place = _place_of(self.birth) if self.birth is not None else None
        tracks = report.tracks if report is not None else ()
        if self.birth is not None:
            self.step = step_of(self.birth.cell)
        elif tracks:
            self.step = step_of(next((track.key for track in tracks if len(track.rows)), tracks[0].key))
        if was_filtered:
            self.filter_changed.emit()
        for signal in (self.step_changed, self.birth_changed, self.place_changed):
            signal.emit()

    # ---- births

    @property
    def listed(self) -> list[Birth]:
        """The births on show, earliest first."""
        births = self.report.origins if self.report is not None else ()
        key = self.filter
        return [birth for birth in births if key is None or saw(birth, key)]

    @property
    def position(self) -> int:
        """Which of the listed births is looked at, from 0; -1 for none."""
        return next((at for at, birth in enumerate(self.listed) if birth is self.birth), -1)

    def choose_birth(self, birth: Birth) -> None:
        """Look at *birth*, an origin or an expected one."""
        if birth is not self.birth:
            self.birth = birth
            self.birth_changed.emit()
        self.choose_place(_place_of(birth))

    def turn(self, forward: bool) -> None:
        """Look at the next or the previous listed birth; at an end, go on at the other."""
        births = self.listed
        if births:
            at = self.position
            self.choose_birth(births[(at + 1 if forward else max(at, 0) - 1) % len(births)])

    def spread(self) -> Spread | None:
        """Return where the bad values of the birth looked at went."""
        report = self.report
        if report is None or self.birth is None:
            return None
        for spread in report.spreads:
            if spread.origin < len(report.origins) and report.origins[spread.origin] is self.birth:
                return spread
        return None

    # ---- places

    def choose_place(self, place: Place) -> None:
        """Look at one call, and at its step."""
        self.choose_step(step_of(place.cell))
        if place != self.place:
            self.place = place
            self.place_changed.emit()

    def choose_step(self, step: Step) -> None:
        """Look at all ranks of *step*."""
        if step != self.step:
            self.step = step
            self.step_changed.emit()

    def choose_filter(self, key: CellKey | None) -> None:
        """List only the births of *key*, or all again; the first of them is looked at."""
        if key == self.filter:
            return
        self.filter = key
        self.filter_changed.emit()
        if self.birth is None or self.position < 0:
            births = self.listed
            if births:
                self.choose_birth(births[0])

    def choose_cell(self, key: CellKey) -> None:
        """Look at one cell of the matrix: its births if it has some, else its lane."""
        births = self.report.origins if self.report is not None else ()
        mine = [birth for birth in births if saw(birth, key)]
        if mine and self.filter != key:
            self.choose_filter(key)
            self.choose_birth(mine[0])
            return
        self.choose_filter(None)
        if mine:
            return
        track = (
            next((track for track in self.report.tracks if track.key == key), None) if self.report else None
        )
        if track is not None:
            self.choose_place(Place(key, int(track.rows[0]) if len(track.rows) else 0))

    @property
    def followed(self) -> bool:
        """Whether kind and course of births are known; the official analyser looks at neither."""
        return self.report is not None and bool(self.report.tracks)

    # ---- the way into the comparison

    @property
    def comparable(self) -> bool:
        """Whether the call looked at can be shown in the comparison."""
        info = self._session.info
        return self.place is not None and info is not None and self.place.cell in info.cells

    # ---- names of calls

    def name_of(self, place: Place) -> str:
        """Return the name of the call at *place*; empty while it is being asked for or is not known."""
        if place.operator or place.row < 0 or self.report is None:
            return place.operator
        cell = self._session.cell
        if cell is not None and cell.key == place.cell:
            names = cell.target.operators.name
            return pool_text(cell.target.strings, int(names[place.row])) if place.row < len(names) else ""
        known = self._names.get(place.cell)
        if known is not None:
            return known[place.row] if place.row < len(known) else ""
        info = self._session.info
        if self._asked != place.cell and self._session.result_path and info and place.cell in info.cells:
            self._asked = place.cell
            self._session.pictures.request(_CHANNEL, call_names, self._session.result_path, place.cell)
        return ""

    def _take_names(self, channel: str, names: Texts) -> None:
        if channel == _CHANNEL and self._asked is not None:
            self._names[self._asked] = names
            self._asked = None
            self.names_arrived.emit()


def _place_of(birth: Birth) -> Place:
    return Place(birth.cell, birth.row, birth.operator)
