"""Who is held responsible: which suspects are open, which are explained, which one is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from core.messages import Message
from core.records.diagnosis import Diagnosis, Suspect
from core.records.ignoring import IgnoreRule
from core.records.notes import Notes
from core.store.notes import save_notes
from gui.models.pair.suspects import excuse, ignoring_rule, open_suspects

if TYPE_CHECKING:
    from gui.session import Session


class Suspects(QObject):
    """The diagnosis of the pair on show, and what the user decided about it."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.diagnosis: Diagnosis | None = None
        self.notes = Notes()
        self.current: Suspect | None = None
        """The answer on show; ``None`` when nothing is held responsible."""

    def load(self, diagnosis: Diagnosis | None, notes: Notes) -> None:
        """Take the diagnosis of another pair."""
        self.diagnosis, self.notes = diagnosis, notes
        self.current = next(iter(self.open), None)
        self.changed.emit()

    @property
    def open(self) -> tuple[Suspect, ...]:
        """Suspects that nobody explained, best first."""
        return open_suspects(self.diagnosis, self.notes)

    @property
    def explained(self) -> list[tuple[Suspect, str]]:
        """Suspects that were explained or are ignored, with the reasons."""
        suspects = () if self.diagnosis is None else self.diagnosis.suspects
        reasons = ((suspect, excuse(suspect, self.notes)) for suspect in suspects)
        return [(suspect, reason) for suspect, reason in reasons if reason is not None]

    @property
    def remarks(self) -> tuple[Suspect, ...]:
        """What is true but does not make the runs wrong."""
        return () if self.diagnosis is None else self.diagnosis.remarks

    @property
    def position(self) -> int:
        """Which of the open ones is looked at, from 0; -1 for none."""
        return self.open.index(self.current) if self.current in self.open else -1

    # ---- going from one to the next

    @property
    def next_position(self) -> int:
        """Where a step forward leads: to the one looked at when another row is selected, else to the next."""
        count, at = len(self.open), self.position
        if not count or (self.current is not None and not self.is_selected(self.current)):
            return at
        return (at + 1) % count

    def step(self, forward: bool) -> None:
        """Show the next or the previous suspect; at an end, go on at the other."""
        suspects = self.open
        if suspects:
            at = self.next_position if forward else (self.position - 1) % len(suspects)
            self.show(suspects[at])

    def turn(self, forward: bool) -> None:
        """Show the neighbour of the one looked at, whatever row is selected."""
        suspects = self.open
        if suspects:
            self.show(suspects[(self.position + (1 if forward else -1)) % len(suspects)])

    def choose(self, suspect: Suspect) -> None:
        """Look at *suspect*; the selected row stays."""
        if suspect != self.current and suspect in self.open:
            self.current = suspect
            self.changed.emit()

    def show(self, suspect: Suspect) -> None:
        """Look at *suspect* and select its row, in its step and rank; remarks are shown as well."""
        self.choose(suspect)
        self._session.show_suspect(suspect)

    # ---- decisions

    def explain(self, suspect: Suspect, reason: str) -> None:
        """Excuse *suspect* for *reason*; the next one becomes the answer."""
        at = self.position
        self.decide(self.notes.explain(suspect.identity, reason))
        self._settle(at)
        if self.current is not None:
            self.show(self.current)

    def ignore(self, rule: IgnoreRule) -> None:
        """Leave out of account what *rule* takes; suspects among it are explained by its reason."""
        at = self.position
        self.decide(self.notes.ignore(rule))
        self._session.note_anew()
        self._settle(at)

    def heed(self, rule: IgnoreRule) -> None:
        """Take account again of what *rule* left out."""
        at = self.position
        self.decide(self.notes.heed(rule))
        self._session.note_anew()
        self._settle(max(at, 0))

    def remark(self, operator: str, words: str) -> None:
        """Note *words* on the call *operator*; blank ones take the note away."""
        self.decide(self.notes.remark(operator, words))
        self._session.note_anew(counted=False)

    def _settle(self, at: int) -> None:
        """Look at another suspect where the one looked at, the *at*-th, is no longer open."""
        rest = self.open
        if self.current not in rest and self.current not in self.remarks:
            self.current = rest[min(max(at, 0), len(rest) - 1)] if rest else None
        self.changed.emit()

    def accuse(self, suspect: Suspect) -> None:
        """Hold an explained *suspect* responsible again; a rule that ignores its call goes."""
        self.decide(self.notes.accuse(suspect.identity))
        while (rule := ignoring_rule(suspect, self.notes)) is not None:
            self.decide(self.notes.heed(rule))
            self._session.note_anew()
        self.current = suspect
        self.changed.emit()
        self.show(suspect)

    def decide(self, notes: Notes) -> None:
        """Keep *notes* about the pair on show."""
        self.notes = notes
        try:
            aside = save_notes(self._session.target_path, self._session.golden_path, notes)
            if aside:
                self._session.noticed.emit(Message("gui.diagnosis.notes_broken", {"path": aside}), "")
        except OSError as error:
            self._session.noticed.emit(Message("gui.diagnosis.not_saved", {"why": str(error)}), "")

    # ---- rows

    def in_cell(self) -> list[Suspect]:
        """Return the open suspects of the cell on show, the one looked at first."""
        cell = self._session.cell
        here = [suspect for suspect in self.open if cell is not None and suspect.cell == cell.key]
        return sorted(here, key=lambda suspect: suspect != self.current)

    def count_here(self) -> int:
        """Return how many suspects the cell on show has, explained ones included."""
        suspects = () if self.diagnosis is None else self.diagnosis.suspects
        return sum(self.is_here(suspect) for suspect in suspects)

    def is_here(self, suspect: Suspect) -> bool:
        """Whether *suspect* belongs to the cell on show."""
        return self._session.cell is not None and suspect.cell == self._session.cell.key

    def is_selected(self, suspect: Suspect) -> bool:
        """Whether the row of *suspect* is the selected one."""
        return self.is_here(suspect) and self.row_of(suspect) in (self._session.row, -1)

    def row_of(self, suspect: Suspect) -> int:
        """Return the row of *suspect* in the cell on show; -1 when it belongs to another one or has none."""
        facts = self._session.facts
        if facts is None or not self.is_here(suspect):
            return -1
        if 0 <= suspect.row < len(facts):
            return suspect.row
        for name, column in (
            (suspect.operator, facts.operator),
            (suspect.golden_operator, facts.golden_operator),
        ):
            if name is not None and name in facts.operators.texts:
                rows = np.flatnonzero(column == facts.operators.texts.index(name))
                if len(rows):
                    return int(rows[0])
        return -1
