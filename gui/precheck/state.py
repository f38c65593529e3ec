"""Whether the two runs are the same experiment: evidence, what was found of it, what people entered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from core.messages import Message
from core.precheck.belonging import is_of_pair
from core.precheck.entering import with_entries
from core.progress import Progress, Work
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import Entry, PrecheckReport, PrecheckTable
from gui.precheck import work as precheck_work
from gui.precheck.choice import PrecheckChoice
from gui.precheck.keeping import Keeping
from gui.precheck.sides import Side
from gui.precheck.tables import TableReader
from gui.precheck.work import Answer, Asked, Key
from gui.processes.export import Export
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.session import Session

_AFTER_THE_COMPARISON = 700
"""Milliseconds that a comparison just opened is given before anything is read for this page."""
_SOON = 60
"""Milliseconds in which further evidence may be brought before it is examined."""


class PrecheckState(WorkState):
    """Examines what there is whenever the evidence is another; the answer before stays meanwhile."""

    evidence_changed = Signal()
    """Something was brought or taken away."""
    wanted_changed = Signal()
    """The page is asked for, or its evidence, with nothing open."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.precheck.crashed"))
        self._session = session
        self.work: Callable[[Asked], Work[Answer]] = precheck_work.examine
        self.choice = PrecheckChoice(self)
        self.exports = Export(session)
        self.report: PrecheckReport | None = None
        self.target: tuple[Given, ...] = ()
        self.golden: tuple[Given, ...] = ()
        self.entries: dict[str, Entry] = {}
        """By the check's id."""
        self.wanted = False
        """Whether the page was asked for though nothing is open."""
        self.attended = False
        """Whether the evidence is on show: what is dropped on its halves is brought for that side."""
        self.progress: Progress | None = None
        self._keeping = Keeping()
        self._of_a_pair = False
        """Whether the evidence is that of runs that are, or were, open."""
        self.tables = TableReader(session)
        self.tables.read.connect(self._take_table)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.again)
        session.opened.connect(self._open)

    # ---- what there is

    @property
    def failures(self) -> int:
        """How many checks fail."""
        return len(self.report.failures) if self.report is not None else 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all to go by."""
        return not (self.target or self.golden or self._session.golden_path or self.report)

    def given(self, side: Side) -> tuple[Given, ...]:
        """Return what the user brought for *side*."""
        return self.target if side is Side.TARGET else self.golden

    @property
    def table(self) -> PrecheckTable:
        """All of it, to be saved."""
        return PrecheckTable(self.target, self.golden, dict(self.entries), self.report)

    def want(self) -> None:
        """Offer the page though nothing is open."""
        if not self.wanted:
            self.wanted = True
            self.wanted_changed.emit()

    # ---- evidence

    def add(self, side: Side, paths: Sequence[str], kind: EvidenceKind | None = None) -> None:
        """Take *paths* as evidence of *side*; what was the other side's moves."""
        brought = tuple(Given(path, kind) for path in paths)
        self._keeping.note_added(paths)
        moved = set(paths)
        before = self.table
        across = tuple(given for given in self.given(side.other) if given.path not in moved)
        self._set(side.other, across)
        self._set(side, precheck_work.joined(self.given(side), brought))
        self._evidence_changed(before)

    def remove(self, side: Side, path: str) -> None:
        """Leave *path* out."""
        self._keeping.note_removed(path)
        before = self.table
        self._set(side, tuple(given for given in self.given(side) if given.path != path))
        self._evidence_changed(before)

    def move(self, side: Side, path: str) -> None:
        """Take *path* as the other side's."""
        kind = next((given.kind for given in self.given(side) if given.path == path), None)
        self.add(side.other, [path], kind)

    def set_kind(self, side: Side, path: str, kind: EvidenceKind | None) -> None:
        """Read *path* as *kind*; ``None`` lets its content decide."""
        before = self.table
        self._set(
            side, tuple(Given(path, kind) if given.path == path else given for given in self.given(side))
        )
        self._evidence_changed(before)

    def _set(self, side: Side, given: tuple[Given, ...]) -> None:
        if side is Side.TARGET:
            self.target = given
        else:
            self.golden = given

    def _evidence_changed(self, before: PrecheckTable) -> None:
        """Go on with other evidence than *before*; what was entered stays with the runs it is of."""
        key = self._key()
        if self.entries and not self._keeping.goes_on(key):
            self._keep(self._keeping.save_last, before)
            self._session.noticed.emit(Message("gui.precheck.entries_left", {"count": len(self.entries)}), "")
            self.entries = {}
        self._keeping.go_to(key)
        self._keep(self._keeping.save, self.table)
        self._examine_soon()

    def _examine_soon(self) -> None:
        self.wanted = True
        self.evidence_changed.emit()
        if not (self.target or self.golden or self._session.golden_path):
            self._drop_job()
            self._soon.stop()
            self.report = None
            self._enter(Stage.NOTHING)
            return
        self._soon.start(_SOON)
        if self.stage is not Stage.WORKING:
            self._enter(Stage.WORKING)

    def _key(self) -> Key:
        """Return what all of this is kept for."""
        session = self._session
        if session.golden_path:
            return session.target_path, session.golden_path
        target, golden = (given[0].path if given else "" for given in (self.target, self.golden))
        return target, golden

    # ---- work

    def _open(self) -> None:
        """Look into another pair once it is on the screen; what was brought before any was open stays."""
        session = self._session
        pair = (session.target_path, session.golden_path)
        if pair == self._keeping.key and self._keeping.known:
            self._soon.start(_AFTER_THE_COMPARISON)
            return
        self._drop_job()
        self._keep(self._keeping.save_last, self.table)
        if self._of_a_pair and pair == self._keeping.key[::-1]:
            self.target, self.golden = self.golden, self.target
        elif self._of_a_pair:
            self.target, self.golden, self.entries = (), (), {}
        self._of_a_pair = bool(session.golden_path)
        self.report = None
        self._keeping.go_to(self._key())
        there = bool(session.golden_path and session.result_path) or bool(self.target or self.golden)
        self._enter(Stage.WORKING if there else Stage.NOTHING)
        self.evidence_changed.emit()
        if there:
            self._soon.start(_AFTER_THE_COMPARISON)

    def again(self) -> None:
        """Examine all there is, once more."""
        self._soon.stop()
        super()._drop_job()
        session = self._session
        if not (self.target or self.golden or (session.golden_path and session.result_path)):
            return
        result_path = session.result_path if session.golden_path else ""
        asked = Asked(self.target, self.golden, dict(self.entries), result_path, self._keeping.wanted_for)
        self.progress = None
        self._begin(session.tasks.start(self.work, asked))

    def _go_on(self, generation: int, progress: Progress) -> None:
        if self._current(generation):
            self.progress = progress
        super()._go_on(generation, progress)

    def _show_answer(self, answer: Answer) -> None:
        """Show what was found, with what was kept for the pair."""
        if not self._keeping.known:
            if answer.problem is not None:
                self._session.noticed.emit(answer.problem, "")
            self._adopt(self._keeping.take_in(self.table, answer))
            self._keep(self._keeping.save_late, self.table)
            self.evidence_changed.emit()
        self.show_report(answer.report)

    def _adopt(self, table: PrecheckTable) -> None:
        """Have evidence and entries of *table*."""
        self.target, self.golden, self.entries = table.target, table.golden, dict(table.entries)

    def show_report(self, report: PrecheckReport) -> None:
        """Show *report* with what was entered."""
        self.report = with_entries(report, self.entries)
        self._enter(Stage.READY)

    def cancel(self) -> None:
        """Examine no further; the answer before stays."""
        self._soon.stop()
        if self.stage is Stage.WORKING:
            self._drop_job()
            self._enter(Stage.STOPPED if self.report is None else Stage.READY)

    def _drop_job(self) -> None:
        super()._drop_job()
        self.progress = None

    def _announce(self) -> None:
        self.choice.load(self.report)
        super()._announce()

    # ---- what people enter

    def enter(self, id: str, entry: Entry) -> None:
        """Let *entry* count for the check *id*, and keep it at once; an empty one leaves what was found."""
        if entry == self.entries.get(id, Entry()):
            return
        empty = entry.result is None and not entry.remark and not entry.evidence
        self._keeping.note_entered(id, withdrawn=empty)
        if empty:
            self.entries.pop(id, None)
        else:
            self.entries[id] = entry
        if self.report is not None:
            self.report = with_entries(self.report, self.entries)
        self._keep(self._keeping.save, self.table)
        self._announce()

    def _keep(self, save: Callable[[PrecheckTable], str], table: PrecheckTable) -> None:
        """Have *table* kept by *save*, and say what was unreadable there."""
        if aside := self._written(save, table):
            self._session.noticed.emit(Message("gui.precheck.put_aside", {"path": aside}), "")

    def _written(self, save: Callable[[PrecheckTable], str], table: PrecheckTable) -> str:
        """Return what *save* says of *table*; where it cannot be written, say that."""
        try:
            return save(table)
        except OSError as error:
            said = {"path": error.filename or "", "why": error.strerror or str(error)}
            self._session.noticed.emit(Message("gui.precheck.not_kept", said), "")
            return ""

    # ---- files

    def _take_table(self, table: PrecheckTable) -> None:
        """Go on with a table that was saved; what was kept for these runs before stays in a file of its own.

        Over a comparison that is open, what was entered counts only if it was entered for that comparison.
        """
        self._drop_job()
        self._keep(self._keeping.save_last, self.table)
        session = self._session
        pair = (session.target_path, session.golden_path)
        if table.entries and session.golden_path and not is_of_pair(table, pair, self.table):
            said = {"count": len(table.entries)}
            session.noticed.emit(Message("gui.precheck.entries_of_others", said), "")
            table = replace(table, entries={}, report=None)
        self._adopt(table)
        self._keeping.go_to(self._key())
        if former := self._written(self._keeping.replace, table):
            session.noticed.emit(Message("gui.precheck.replaced", {"path": former}), "")
        self.report = table.report
        self._keep(self._keeping.save, self.table)
        self._examine_soon()

    def export(self, path: str, language: str, signer: str) -> None:
        """Write the report to *path* in *language*, by its ending; *signer* stands for it, if not empty."""
        if self.report is not None:
            self.exports.start(precheck_work.write_report, path, self.table, language, signer)

    def save_table(self, path: str) -> None:
        """Write all of it to *path*."""
        self.exports.start(precheck_work.write_table, path, self.table)

    def close(self) -> None:
        """Start nothing more, and keep what is not kept yet."""
        self._soon.stop()
        self._keep(self._keeping.save_last, self.table)
        self._job = None
        self.tables.close()
        self.exports.close()
