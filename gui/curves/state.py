"""The curves page: which logs are on show, in which roles, and what is found in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal

from core.curves.shelf import Shelved, unshelve
from core.errors import Problem
from core.messages import Message
from core.progress import Work
from gui.curves import work as curves_work
from gui.curves.answer import CurvesAnswer
from gui.curves.nearby import Nearby
from gui.curves.picture import Picture
from gui.curves.reading import Reader
from gui.curves.runs import ShownRun, ShownRuns
from gui.curves.shelf import Shelf
from gui.curves.watch import Watch
from gui.curves.work import Reading
from gui.models.curves.laying import Laying, judged_axis, judged_shift
from gui.models.curves.roles import Role, guessed_roles, role_for_next, roles_in_order
from gui.processes.export import Export
from gui.processes.picture_service import PictureService
from gui.processes.work_state import Stage

if TYPE_CHECKING:
    from core.formats.logs.patterns import LinePattern
    from gui.session import Session
    from gui.settings import Settings


class CurvesState(CurvesAnswer):
    """Logs are read a few at a time; once all are there, the target is judged.

    Its job is the judging; what was found before stays until there is another answer.
    """

    runs_changed = Signal()

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session, Message("gui.curves.not_judged_crash"))
        self._session = session
        self.judging: Callable[..., Work[Any]] = curves_work.judge
        self.runs = ShownRuns()
        self._count = 0
        self._grown: dict[int, None] = {}
        """Numbers of logs that have more than was read of them."""
        self.shelf = Shelf()
        self.service = PictureService(self)
        self.reader = Reader(session)
        self.picture = Picture(self, self.service, settings)
        self.watch = Watch(self, self.service, lambda: self.runs)
        self.nearby = Nearby(session)
        self.exports = Export(session)
        self.reader.progressed.connect(self.progressed)
        self.reader.read.connect(self._take_run)
        self.reader.failed.connect(self._miss_run)
        self.reader.finished.connect(self._judge)
        self.watch.grown.connect(self._note_growth)
        self.changed.connect(self._read_on)
        self.watch.calmed.connect(self.runs_changed)
        self.picture.drawn.connect(self._sweep)
        self.picture.failed.connect(session.noticed)
        self.nearby.found.connect(self._fill)
        session.opened.connect(self._leave_offered)

    # ---- which runs

    def open(self, paths: Sequence[str], told: bool = False) -> None:
        """Show *paths* alone, in roles that their names tell, or in their order if that was *told*."""
        self._clear()
        roles = roles_in_order(len(paths)) if told else guessed_roles(paths)
        self._bring([ShownRun(0, path, role) for path, role in zip(paths, roles)])

    def add(self, paths: Sequence[str]) -> None:
        """Show *paths* beside what is on show; one that is there already is read again."""
        known = {run.path: run for run in self.runs}
        for path in paths:
            if path in known:
                self.read_again(known[path].number)
        new = [path for path in paths if path not in known]
        if new and not self.runs:
            self.open(new)
            return
        roles = [run.role for run in self.runs]
        for _ in new:
            roles.append(role_for_next(roles))
        self._bring([ShownRun(0, path, role) for path, role in zip(new, roles[len(self.runs) :])])

    def _bring(self, new: Sequence[ShownRun]) -> None:
        """Show *new* runs, which get their numbers here."""
        for run in new:
            self._count += 1
            run.number = self._count
        self.runs += new
        if new:
            self._move_on()
        for run in new:
            self._read(run, None)

    def _read(self, run: ShownRun, before: Shelved | None) -> None:
        run.stage, run.failure, run.details = Stage.WORKING, None, ""
        self.reader.ask(run, before, self.folder)

    @property
    def folder(self) -> str:
        """The folder that what is read and found is put into."""
        return self.shelf.folder

    def run(self, number: int) -> ShownRun | None:
        """Return the run called *number*; ``None`` if it is gone."""
        return self.runs.called(number)

    def remove(self, number: int) -> None:
        """Show a run no more."""
        run = self.run(number)
        if run is None:
            return
        self.reader.drop(number)
        self.runs.remove(run)
        self.shelf.let_go(run.token, run.table)
        if not self.runs:
            self._clear()
            self._move_on()
        else:
            self._change_judged()

    def read_again(self, number: int, pattern: LinePattern | None = None) -> None:
        """Read a run anew, by *pattern* alone if it is given."""
        run = self.run(number)
        if run is not None:
            self.reader.drop(number)
            run.pattern = pattern
            self._move_on()
            self._read(run, None)

    def again(self) -> None:
        """Read everything anew."""
        for run in list(self.runs):
            self.read_again(run.number, run.pattern)

    def set_role(self, number: int, role: Role) -> None:
        """Give a run another role; of a target or golden there before, it takes the place."""
        run = self.run(number)
        if run is not None and run.role is not role:
            self.runs.give(run, role)
            self._change_judged()

    def swap(self) -> None:
        """Exchange target and golden."""
        self.runs.exchange()
        self._change_judged()

    def set_visible(self, number: int, visible: bool) -> None:
        """Draw a run, or do not; it is judged all the same."""
        run = self.run(number)
        if run is not None and run.visible != visible:
            run.visible = visible
            self.runs_changed.emit()
            self._draw()

    def lay(self, laying: Laying) -> None:
        """Lay the runs on each other in another way, and judge them so."""
        if laying is not self.picture.laying:
            self.picture.laying = laying
            self._judge()

    # ---- reading

    def _take_run(self, number: int, reading: Reading) -> None:
        run = self.run(number)
        if run is None:
            self.shelf.let_go(reading.token, reading.table)
            return
        self.shelf.let_go(run.token, run.table)
        run.take(reading, unshelve(reading.token))
        self.runs_changed.emit()
        if self.report is None:
            self._draw()

    def _miss_run(self, number: int, failure: Message | Problem, details: str) -> None:
        run = self.run(number)
        if run is not None:
            run.fail(Stage.FAILED, failure, details)
            self.runs_changed.emit()

    def _note_growth(self, numbers: list[int]) -> None:
        self._grown.update(dict.fromkeys(numbers))
        self._read_on()

    def _read_on(self) -> None:
        """Read what growing logs have more, all of them in one turn, once nothing else is under way."""
        if self.reader.busy or self._job is not None:
            return
        grown, self._grown = self._grown, {}
        for run in [run for run in self.runs if run.number in grown]:
            self.reader.ask(run, run.table, self.folder)

    # ---- judging

    def _judge(self) -> None:
        if self.reader.busy:
            return
        self._drop_job()
        judged = self.runs.judged
        if judged is None:
            self.shelf.let_go(self.token)
            self.take_report(None, None)
            self._fail()
            return
        first, second, repeats = judged
        laying = self.picture.laying
        shift = None
        if first.run is not None and second is not None and second.run is not None:
            shift = judged_shift(laying, first.run, second.run)
        tokens = (first.token, second and second.token, tuple(repeat.token for repeat in repeats))
        job = self._session.tasks.start(self.judging, *tokens, judged_axis(laying), shift, self.folder)
        self._begin(job)

    def _fail(self) -> None:
        """Say why nothing could be read; what lay near the dumps is only not there."""
        failed = next((run for run in self.runs if run.failure is not None), None)
        if failed is not None and not failed.offered:
            self._enter(Stage.FAILED, failed.failure, failed.details)
        elif failed is not None:
            self.nearby.failure = failed.failure
            self._clear()
            self._move_on()

    def _show_answer(self, answer: Shelved) -> None:
        self.shelf.let_go(self.token)
        self.take_report(answer, unshelve(answer))
        self._enter(Stage.READY)
        self._draw()

    def _change_judged(self) -> None:
        self.runs_changed.emit()
        self._draw()
        self._judge()

    def _move_on(self) -> None:
        """Tell that other runs are there, which are being read, or none."""
        self.stage = Stage.WORKING if self.runs else Stage.NOTHING
        self.failure, self.details = None, ""
        self.runs_changed.emit()
        self.changed.emit()
        self._draw()

    def _draw(self) -> None:
        self.picture.show(self.runs, self.report, self.token, self.folder if self.runs else "")

    def cancel(self) -> None:
        """Stop reading and judging; what was read stays."""
        for number in self.reader.cancel():
            run = self.run(number)
            if run is not None:
                run.fail(Stage.STOPPED if run.run is None else Stage.READY, None)
        self._drop_job()
        there = self.report is not None or any(run.run is not None for run in self.runs)
        self._enter(Stage.READY if there else Stage.STOPPED if self.runs else Stage.NOTHING)
        self.runs_changed.emit()

    @property
    def judged_paths(self) -> tuple[str, str] | None:
        """Paths of target and golden, one of them empty where there is only one; ``None`` without runs."""
        return self.runs.judged_paths

    @property
    def readable(self) -> bool:
        """Whether at least one run is there to be seen."""
        return self.runs.readable

    # ---- export

    def export(self, path: str) -> None:
        """Write the numbers of the report to *path*, as csv or json by its ending."""
        if self.token is not None:
            self.exports.start(curves_work.export, path, self.token)

    # ---- logs near what is open

    def want(self, wanted: bool) -> None:
        """Say whether somebody looks: only then are logs looked for, and growing ones followed."""
        self.nearby.want(wanted and not self.runs)
        self.watch.set_on(wanted)

    def _fill(self) -> None:
        """Show the logs of both dumps, or else the loss that they hold themselves."""
        offered = self.nearby.offered_runs()
        if offered and not self.runs:
            self._clear()
            self._bring(offered)

    def _leave_offered(self) -> None:
        """Leave the logs of another pair; what the user brought stays."""
        if self.nearby.forget() and any(run.offered for run in self.runs):
            self._clear()
            self._move_on()
        self.nearby.look_around()

    # ---- coming and going

    def _clear(self) -> None:
        self.reader.cancel()
        self._drop_job()
        for run in self.runs:
            self.shelf.let_go(run.token, run.table)
        self.shelf.let_go(self.token)
        self.runs, self._grown = ShownRuns(), {}
        self.take_report(None, None)
        self.picture.select(None)

    def _sweep(self) -> None:
        """Take off the shelf what nobody can be reading any more."""
        if self.service.idle and self._job is None and not self.reader.busy and not self.exports.running:
            self.shelf.sweep()

    def close(self) -> None:
        """End all processes, and clear the shelf."""
        self.watch.set_on(False)
        self._job = None
        self.nearby.close()
        self.exports.close()
        self.picture.close()
        self.service.close()
        self.runs = ShownRuns()
        self.take_report(None, None)
