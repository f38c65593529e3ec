"""The statistics of all layers over a training: which monitors are on show, and what is found in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from core.curves.shelf import Shelved, discard, unshelve
from core.messages import Message
from core.progress import Work
from core.records.trends import TrendFinding, TrendsReport
from gui.models.trends.scale import TrendSide
from gui.opening import guess_order
from gui.processes.export import Export
from gui.processes.work_state import Stage, WorkState
from gui.trends import work as trends_work
from gui.trends.picture import TrendsPicture
from gui.trends.work import Reading

if TYPE_CHECKING:
    from gui.session import Session
    from gui.settings import Settings


class TrendsState(WorkState):
    """One monitor or two, read and judged in a worker; pictures come from the curves' service."""

    opened = Signal()
    """Other numbers are on show."""
    finding_changed = Signal()
    brought = Signal()
    """Monitors were asked for by somebody: they are to be shown."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session, Message("gui.trends.crashed"))
        self._session, self.settings = session, settings
        self.work: Callable[..., Work[Reading]] = trends_work.read
        self.target = self.golden = ""
        self.shift = 0
        """Added to the target's steps to find the golden's."""
        self.reading: Reading | None = None
        self.report: TrendsReport | None = None
        self.finding = -1
        """The finding that is looked at; -1 for none."""
        self._offered = False
        self.picture = TrendsPicture(self, session.curves.service)
        self.picture.failed.connect(session.noticed)
        self.exports = Export(session)

    # ---- which monitors

    def open(self, target: str, golden: str = "", shift: int = 0) -> None:
        """Read one monitor, or two and judge the target by the golden; what was on show goes."""
        self._read(target, golden, shift)
        self._offered = False
        self.brought.emit()

    def open_paths(self, paths: Sequence[str]) -> None:
        """Show one path, or two in the roles that their names tell; one beside one is its golden."""
        if len(paths) == 2:
            self.open(*guess_order(*paths))
        elif len(paths) == 1 and self.target and not self.golden:
            self.open(*guess_order(self.target, paths[0]))
        elif len(paths) == 1:
            self.open(paths[0])
        else:
            self._session.noticed.emit(Message("gui.trends.too_many", {"count": len(paths)}), "")

    def offer(self, paths: Sequence[str]) -> None:
        """Show *paths*, one or two that lie near what is open, unless somebody brought others."""
        if (self.stage is Stage.NOTHING or self._offered) and 0 < len(paths) <= 2:
            self._read(*(guess_order(*paths) if len(paths) == 2 else (paths[0], "")), 0)
            self._offered = True

    def swap(self) -> None:
        """Exchange target and golden."""
        if self.golden:
            self._read(self.golden, self.target, -self.shift)

    def again(self) -> None:
        """Read everything again."""
        if self.target:
            self._read(self.target, self.golden, self.shift)

    def leave(self) -> None:
        """Show nothing, to choose other monitors."""
        self._drop_job()
        self.target = self.golden = ""
        self._enter(Stage.NOTHING)

    def _read(self, target: str, golden: str, shift: int) -> None:
        self._drop_job()
        brought = [str(Path(path).expanduser().absolute()) if path else "" for path in (target, golden)]
        self.target, self.golden, self.shift = *brought, shift
        folder = self._session.curves.folder
        self._begin(self._session.tasks.start(self.work, self.target, self.golden, shift, folder))

    # ---- the answer

    def _show_answer(self, answer: Reading) -> None:
        self.show_reading(answer)

    def show_reading(self, reading: Reading) -> None:
        """Show what was read."""
        self._let_go()
        self.reading, self.finding = reading, -1
        self.report = unshelve(reading.report) if reading.report is not None else None
        self._enter(Stage.READY)
        self.opened.emit()
        self.picture.show(reading, self.report, self.shift)

    def _forget_answer(self) -> None:
        self._let_go()
        self.reading, self.report, self.finding = None, None, -1
        self.picture.show(None, None, 0)

    def _let_go(self) -> None:
        """Take off the shelf what is shown no more; where it is still mapped it stays readable."""
        if self.reading is not None and not self.exports.running:
            tokens: list[Shelved | None] = [
                self.reading.target_table,
                self.reading.golden_table,
                self.reading.report,
            ]
            for token in tokens:
                if token is not None:
                    discard(token)

    # ---- findings and judgements

    @property
    def findings(self) -> tuple[TrendFinding, ...]:
        """What is to be known of the trends."""
        return self.report.findings if self.report is not None else ()

    def choose_finding(self, number: int) -> None:
        """Look at a finding, and go to the cell that it is about."""
        if not 0 <= number < len(self.findings):
            return
        self.finding = number
        self.finding_changed.emit()
        found = self.findings[number]
        if found.metric or found.layer:
            self.picture.go_to(found.metric or self.picture.metric, found.layer, found.step, found.rank)

    def turn_finding(self, forward: bool) -> None:
        """Look at the next finding, or the one before; at an end, go on at the other."""
        if self.findings:
            at = self.finding + (1 if forward else -1) if self.finding >= 0 else 0 if forward else -1
            self.choose_finding(at % len(self.findings))

    def go_to_first_bad(self) -> None:
        """Go to the first cell over the limit of all; of one run alone, the first one that is not finite."""
        first = self.report.first_bad if self.report is not None else None
        if first is not None:
            self.picture.go_to(first.metric, first.layer, first.step, first.rank)
        else:
            self.picture.go_to_bad(True)

    def go_to_judged(self, row: int) -> None:
        """Go to where row *row* of the judgements is bad first, else where it is farthest apart."""
        report = self.report
        if report is None or not 0 <= row < len(report.judgements):
            return
        judged = report.judgements
        metric = report.metrics[int(judged.metric[row])]
        layer = report.layers[int(judged.layer[row])]
        if judged.over[row]:
            self.picture.go_to_layer(metric, layer, int(judged.first_bad_step[row]))
        elif judged.compared[row]:
            self.picture.go_to(metric, layer, int(judged.worst_step[row]), int(judged.worst_rank[row]))
        else:
            self.picture.go_to(metric, layer, None, None)

    # ---- files

    def export_report(self, path: str) -> None:
        """Write all judgements as csv, or the whole report as json, by the ending of *path*."""
        if self.reading is not None and self.reading.report is not None:
            self.exports.start(trends_work.export_report, path, self.reading.report)

    def export_grid(self, path: str) -> None:
        """Write the grid on show as csv."""
        facts = self.picture.facts
        if facts is not None:
            side = self.picture.side if self.picture.side in facts.scales else TrendSide.TARGET
            self.exports.start(trends_work.export_grid, path, facts.chosen, side)
