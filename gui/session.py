"""What is open and what is selected: the only state that views share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from core.errors import Problem
from core.messages import Message
from core.progress import Progress
from core.records.diagnosis import Suspect
from core.records.result import CellResult, ResultInfo, Verdict
from core.records.run import CellKey
from gui.comparison import preparation
from gui.comparison.arrivals import Arrivals
from gui.comparison.cells import Cells
from gui.comparison.flow import Flows
from gui.comparison.focus import Focus, is_exploring
from gui.comparison.history import History
from gui.comparison.overlays import Overlays
from gui.comparison.reconnect import Dumps
from gui.comparison.rounds import RoundsState
from gui.comparison.source_folders import SourceFolders
from gui.comparison.suspects import Suspects
from gui.curves.state import CurvesState
from gui.emulation.state import EmulationState
from gui.models.call.details import row_of_call
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.models.pair.problems import distinct
from gui.models.pair.remarks import with_notes
from gui.models.search.query import Filter
from gui.opening import guess_order, is_official_answer, is_result_file
from gui.overflow.state import Overflow
from gui.precheck.sides import Side
from gui.precheck.state import PrecheckState
from gui.processes.export import Export
from gui.processes.picture_service import PictureService
from gui.processes.tasks import Job, Tasks
from gui.settings import Settings


class Session(QObject):
    """Opened runs, the current cell, the selected row, the filter."""

    opened = Signal()
    """Another pair, run or result is open."""
    cell_changed = Signal()
    row_changed = Signal()
    filter_changed = Signal()
    problems_changed = Signal()
    busy_changed = Signal()
    progressed = Signal(object)
    noticed = Signal(object, str)
    """A message or problem for the notice bar, and details (a traceback) or an empty text."""
    succeeded = Signal(object)
    """A message that something the user asked for is done."""

    def __init__(self, parent: QObject | None = None, settings: Settings | None = None) -> None:
        super().__init__(parent)
        self.tasks = Tasks(self)
        self.pictures = PictureService(self)
        self.suspects = Suspects(self)
        self.rounds = RoundsState(self)
        self.dumps = Dumps(self)
        self.cells = Cells(self)
        self.overlays = Overlays(self)
        self.overflow = Overflow(self)
        self.emulation = EmulationState(self)
        self.curves = CurvesState(self, settings or Settings())
        self.precheck = PrecheckState(self)
        self.exports = Export(self)
        self.arrivals = Arrivals(self)
        self.target_path = ""
        self.golden_path = ""
        self.result_path = ""
        self.info: ResultInfo | None = None
        self.cell: CellResult | None = None
        self.facts: Facts | None = None
        self._plain_facts: Facts | None = None
        """The same with nothing noted or ignored."""
        self.row = -1
        self.filter = Filter()
        self.mask = np.empty(0, bool)
        self.seconds = 0.0
        self.emulated = False
        """Whether the result that is open holds an emulation."""
        self.own_problems: list[Problem] = []
        self._job: Job | None = None
        self._wanted = self._shown = ("", "")
        self._opening_other = False
        self.filter_pair = ("", "")
        """The runs that the filter was made for, in either order."""
        self._walking: bool | None = None
        """Whether the cell being opened was reached going forward or backward through differences."""
        self._awaited: Callable[[], int] | None = None
        """Finds the row to be selected once its cell is there."""
        self.focus = Focus(self)
        """What the views of a call show; before all of them, so that it is up to date when they look."""
        self.history = History(self)
        self.flows = Flows(self)
        self.source_folders = SourceFolders(settings or Settings(), self)
        self.exports.changed.connect(self.busy_changed)
        self.exports.progressed.connect(self.progressed)

    # ---- opening

    def open_paths(self, paths: list[str], side: Side | None = None) -> None:
        """Open what was dropped or given: a result, one run, two in either order, or any number of logs.

        *side*: on whose half it was dropped, which counts for evidence whose name does not tell.
        """
        if len(paths) == 1:
            self.open_pair(paths[0], "")
        elif len(paths) == 2:
            self.open_pair(*guess_order(*paths))
        elif paths:
            self.arrivals.sort([str(Path(path).expanduser().absolute()) for path in paths], self._open)
        self.arrivals.side = side

    def open_pair(self, target: str, golden: str) -> None:
        """Compare two runs, or show one, or a result file, when *golden* is empty; logs go to their page."""
        brought = [str(Path(path).expanduser().absolute()) for path in (target, golden) if path]
        self.arrivals.sort(brought, self._open, told=True)

    def _open(self, paths: list[str], anew: bool = False) -> None:
        """Open one path, or two, that are no logs; what was found the last time is not taken if *anew*."""
        if len(paths) > 2:
            self.noticed.emit(Message("gui.notice.too_many", {"count": len(paths)}), "")
            return
        target, golden = paths[0], paths[1] if len(paths) > 1 else ""
        if not golden and is_official_answer(target):
            self.overflow.open_official(target)
        elif not golden and is_result_file(target):
            self._start(target, "", preparation.open_result, target)
        else:
            self._start(target, golden, preparation.open_pair, target, golden, anew)

    def open_side(self, path: str, as_golden: bool) -> None:
        """Replace one side and keep the other; a log is shown and replaces neither."""
        brought = [str(Path(path).expanduser().absolute())]
        self.arrivals.sort(brought, partial(self._open_beside, as_golden))

    def _open_beside(self, as_golden: bool, paths: list[str]) -> None:
        (path,) = paths
        if as_golden and self.target_path:
            self.open_pair(self.target_path, path)
        else:
            self.open_pair(path, "" if as_golden else self.golden_path)

    def swap(self) -> None:
        """Exchange target and golden, of what is on its way if something is, and compare again."""
        coming = self.busy and self._opening_other
        target, golden = self._wanted if coming else (self.target_path, self.golden_path)
        if target and golden:
            self._open([golden, target])

    def rerun(self) -> None:
        """Read everything again."""
        if self._wanted[0]:
            self._open([path for path in self._wanted if path], anew=True)

    def pair_by_hand(self, pairs: Mapping[str, str]) -> None:
        """Keep *pairs*, golden by target call, as the only ones made by hand, and compare again."""
        self.suspects.decide(replace(self.suspects.notes, pairs=dict(pairs)))
        self._open([self.target_path, self.golden_path])

    def choose_cell(self, key: CellKey, forward: bool | None = None) -> None:
        """Show another step or rank; *forward* says from which end its differences are walked through."""
        if self.info is None:
            return
        if self.busy and self._opening_other:  # the cell is one of a pair that is about to go
            self.noticed.emit(Message("gui.notice.opening_other"), "")
            return
        if self.cell is not None and key == self.cell.key:
            self._stop_opening()
            return
        self._start("", "", preparation.open_cell, self.info, self.result_path, key)
        self._walking = forward

    def show_suspect(self, suspect: Suspect) -> None:
        """Select the row of *suspect*, in its own step and rank; a filter that hides the row is cleared."""
        self._show_row(suspect.cell, partial(self.suspects.row_of, suspect))

    def show_call(self, key: CellKey, operator: int, name: str, slot: str = "") -> None:
        """Select a row of the target's call *operator*, or the one called *name*, in the cell *key*."""
        self._show_row(key, lambda: row_of_call(self.cell, self.facts, operator, name, slot))

    def show_row(self, key: CellKey, row: int) -> None:
        """Select *row* of the cell *key*; a filter that hides it is cleared."""
        self._show_row(key, lambda: row)

    def _show_row(self, key: CellKey, find: Callable[[], int]) -> None:
        if self.cell is None or self.info is None:
            return
        if key != self.cell.key:
            if key in self.info.cells and not (self.busy and self._opening_other):
                self.choose_cell(key)
                self._awaited = find
            return
        if not self._opening_other:  # on the way to another cell, which is no longer wanted
            self._stop_opening()
        self._select_found(find)

    def _select_found(self, find: Callable[[], int]) -> bool:
        row = find()
        if row < 0:
            return False
        if not self.mask[row]:
            self.set_filter(text="", categories=frozenset(), node=-1)
        self.select(row)
        return True

    def cancel(self) -> None:
        """Stop what is being opened or exported; what was open stays."""
        self.arrivals.cancel()
        self.exports.cancel()
        self._stop_opening()

    def _stop_opening(self) -> None:
        self._wanted = self._shown
        if self._job is not None:
            job, self._job = self._job, None
            job.cancel()
            self.busy_changed.emit()

    @property
    def busy(self) -> bool:
        """Whether something is being opened."""
        return self._job is not None

    def export(self, output: str, rows: NDArray[np.int64]) -> None:
        """Write *rows* of the current cell, in this order, to the csv file *output*."""
        if self.cell is None:
            return
        # a large cell is read again from its file by the worker: quicker than sending it there
        sent = self.cell if not self.result_path else None
        self.exports.start(preparation.export_csv, output, self.result_path, self.cell.key, sent, rows)

    def export_shown(
        self, output: str, items: NDArray[np.int64], columns: Sequence[str], of_calls: bool
    ) -> None:
        """Write *items* (rows of the current cell, or its calls) to *output* with the columns on show."""
        if self.cell is None:
            return
        sent = self.cell if not self.result_path else None
        job = (self.result_path, self.cell.key, sent, self.suspects.notes, items, columns, of_calls)
        self.exports.start(preparation.export_shown, output, *job)

    @property
    def opening(self) -> tuple[str, str]:
        """What is being opened, or was last."""
        return self._wanted

    def _start(self, target: str, golden: str, function: object, *arguments: object) -> None:
        if self._job is not None:
            self._job.cancel()
        self._awaited = self._walking = None
        self._opening_other = bool(target)
        if target:
            self._wanted = (target, golden)
        job = self.tasks.start(function, *arguments)  # type: ignore[arg-type]
        job.progressed.connect(self._progress)
        job.succeeded.connect(self._succeed)
        job.rejected.connect(self._reject)
        job.crashed.connect(self._crash)
        self._job = job
        self.busy_changed.emit()
        job.start()

    def _current(self, generation: int) -> bool:
        return self._job is not None and self._job.generation == generation

    def _progress(self, generation: int, progress: Progress) -> None:
        if self._current(generation):
            self.progressed.emit(progress)

    def _succeed(self, generation: int, opened: preparation.Opened) -> None:
        if not self._current(generation):
            return
        self._job = None
        self.busy_changed.emit()
        self.show_opened(opened, other=self._opening_other)

    def _reject(self, generation: int, problem: Problem) -> None:
        if not self._current(generation):
            return
        self._job, self._wanted = None, self._shown
        self.own_problems.append(problem)
        self.busy_changed.emit()
        self.problems_changed.emit()
        self.noticed.emit(problem, "")

    def _crash(self, generation: int, traceback: str) -> None:
        if not self._current(generation):
            return
        self._job, self._wanted = None, self._shown
        self.busy_changed.emit()
        self.noticed.emit(Message("gui.notice.crashed"), traceback)

    def show_opened(self, opened: preparation.Opened, other: bool = True) -> None:
        """Show a prepared cell; *other* says that it belongs to another pair than the one before."""
        self.info, self.result_path, self.seconds = opened.info, opened.path, opened.seconds
        self.target_path, self.golden_path = opened.info.target_path, opened.info.golden_path
        self._plain_facts = opened.facts
        notes = opened.notes if other else self.suspects.notes
        self.cell = self.dumps.placed(opened.cell, opened.whereabouts)
        self.facts = with_notes(opened.facts, notes)
        self.row = -1
        self._shown = self._wanted
        if other:
            self.own_problems.clear()
            pair = (self.target_path, self.golden_path)
            if set(pair) != set(self.filter_pair):  # what was looked for there would hide what is wrong here
                self.filter = Filter()
            self.filter_pair = pair
            self.emulated = opened.emulated
            self.suspects.load(opened.diagnosis, opened.notes)
            self.opened.emit()
        self.filter.node = -1
        self._refilter()
        self.cell_changed.emit()
        if other:
            self.cells.load(opened.roll_up)
        self.problems_changed.emit()
        awaited, self._awaited = self._awaited, None
        if awaited is None or not self._select_found(awaited):
            self.select(self._first_of_interest())

    def note_anew(self, counted: bool = True) -> None:
        """Draw all by what is noted and ignored now; *counted*: what counts has changed as well."""
        if self._plain_facts is None or self.info is None:
            return
        self.facts = with_notes(self._plain_facts, self.suspects.notes)
        self._refilter()
        self.show_anew(self.cell)
        if counted and len(self.info.cells) > 1:
            self.cells.load(None)

    def show_anew(self, cell: CellResult | None) -> None:
        """Show *cell*, the one on show of which something has changed; the selected row stays."""
        self.cell = cell
        row, self.row = self.row, -1
        self.cell_changed.emit()
        self.select(row)

    @property
    def problems(self) -> list[Problem]:
        """All problems there are to show."""
        found = list(self.own_problems)
        if self.info is not None:
            found += self.info.problems
        if self.overflow.report is not None:
            found += self.overflow.report.problems
        if self.cell is not None:
            found += [*self.cell.problems, *self.cell.target.problems, *self.cell.golden.problems]
        return distinct(found)

    # ---- selecting and filtering

    def select(self, row: int) -> None:
        """Select row *row* of the result; -1 selects nothing."""
        if self.facts is None or not -1 <= row < len(self.facts):
            row = -1
        if row != self.row:
            self.row = row
            self.row_changed.emit()

    def _first_of_interest(self) -> int:
        assert self.facts is not None
        if self._walking is not None:
            found = np.flatnonzero((self.facts.category >= Category.INHERITED) & self.mask)
            if len(found):
                return int(found[0 if self._walking else -1])
        for suspect in self.suspects.in_cell():
            row = self.suspects.row_of(suspect)
            if row >= 0:
                self.suspects.choose(suspect)
                return row
        for kind in (Category.INTRODUCED, Category.DIFFERS, Category.GOLDEN_INVALID, Category.INHERITED):
            found = np.flatnonzero(self.facts.category == kind)
            if len(found):
                outputs = found[self.facts.is_output[found]]
                return int((outputs if len(outputs) else found)[0])
        return 0 if len(self.facts) else -1

    def step(self, forward: bool) -> None:
        """Select the next, or the previous, shown row that differs.

        At an end it goes on in the next step and rank where something differs, or at the other end.
        """
        if self.facts is None:
            return
        wanted = (self.facts.category >= Category.INHERITED) & self.mask
        rows = np.flatnonzero(wanted)
        left = len(rows) and (rows[-1] > self.row if forward else rows[0] < self.row)
        if not left and self.cells.step(forward):
            return
        if not len(rows):
            code = "gui.notice.still_looking" if self.cells.counting else "gui.notice.none_differs"
            self.noticed.emit(Message(code), "")
            return
        if forward:
            later = rows[rows > self.row]
            self.select(int(later[0] if len(later) else rows[0]))
        else:
            before = rows[rows < self.row]
            self.select(int(before[-1] if len(before) else rows[-1]))

    def set_filter(
        self,
        text: str | None = None,
        categories: frozenset[Category] | None = None,
        node: int | None = None,
    ) -> None:
        """Change the parts of the filter that are given."""
        if text is not None:
            self.filter.text = text
        if categories is not None:
            self.filter.categories = categories
        if node is not None:
            self.filter.node = node
        self._refilter()
        self.filter_changed.emit()

    def _refilter(self) -> None:
        if self.cell is None or self.facts is None:
            self.mask = np.empty(0, bool)
            return
        self.mask = self.filter.mask(self.cell, self.facts)

    def category_counts(self) -> np.ndarray:
        """Return how many rows of each category are on show."""
        if self.cell is None or self.facts is None:
            return np.zeros(len(Category), np.int64)
        if not self.filter.active:
            return self.facts.counts
        return np.bincount(self.facts.category[self.mask], minlength=len(Category))

    def compared_share(self) -> float:
        """Return the share of rows that were compared; 1 where there are none."""
        if self.cell is None or not len(self.cell.rows):
            return 1.0
        return 1.0 - float(np.mean(self.cell.rows.verdict == Verdict.NOT_COMPARED))

    def is_exploring(self) -> bool:
        """Whether the cell on show has no verdicts because only one run is open."""
        return is_exploring(self.cell)

    def close(self) -> None:
        """End all processes."""
        self._job = None
        self.exports.close()
        self.cells.close()
        self.rounds.cancel()
        self.overlays.close()
        self.overflow.close()
        self.emulation.close()
        self.curves.close()
        self.precheck.close()
        self.arrivals.cancel()
        self.tasks.close()
        self.pictures.close()
        self.curves.shelf.clear()
