"""The curves page: drop or choose logs; verdict, picture, runs and findings follow."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from core.errors import InputError, Problem
from core.messages import Message, render, text
from gui.context import Context
from gui.curves.state import CurvesState
from gui.models.curves.words import pattern_helps
from gui.processes.work_state import Stage
from gui.views.curves.export import write_picture
from gui.views.curves.findings import FindingsCard
from gui.views.curves.headline import CurvesHeadline
from gui.views.curves.picture import PictureCard
from gui.views.curves.runs import RunsCard
from gui.widgets.log_start import LogStart, StartCodes
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_SIDE, _LEAST_SIDE, _MOST_SIDE = 0.3, 320, 410
"""Part of the width for runs and findings, and how many pixels that are at least and at most."""
_LOW = 600
"""Pixels of height below which the headline makes room for the picture."""
_RUN_ROW, _FAILED_MORE, _RUNS_AROUND = 56, 20, 46
"""Pixels of a run's row, what one takes more that says why it could not be read, and what is around all."""
_CODES = StartCodes(
    title="gui.curves.drop", help="gui.curves.drop.help", open="gui.curves.open", near="gui.training.near"
)
_NUMBERS = (".csv", ".json")


class CurvesView(WorkView[CurvesState]):
    """All runs that are on show."""

    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(context.session.curves)
        self._context, self._settings = context, context.settings
        self._shared_for = (0, 0)
        """For how many runs the room was shared, and how many of them could not be read."""
        self.start = LogStart(_CODES)
        self.headline, self.picture = CurvesHeadline(context), PictureCard(context)
        self.runs, self.findings = RunsCard(context), FindingsCard(context)
        self._side = gap_splitter(Qt.Orientation.Vertical, self.runs, self.findings)
        self._side.setStretchFactor(1, 1)
        self._lower = gap_splitter(Qt.Orientation.Horizontal, self.picture, self._side)
        self._lower.setStretchFactor(0, 1)
        self._room = SharedRoom(self._lower, self._share, self._remember, self._side)
        self._lower.installEventFilter(self)
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(GAP)
        inside.addWidget(self.headline)
        inside.addWidget(self._lower, 1)
        self._content = content
        self._stack = WorkStack(
            self.state, self._show_state, (content, self.picture.canvas), (self.start, self.start.open)
        )
        self.note = self._stack.note
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self.start.open_wanted.connect(self.choose_logs)
        self.start.log_chosen.connect(self._add)
        self.headline.logs_wanted.connect(self.choose_logs)
        self.headline.folder_wanted.connect(self.choose_folder)
        self.headline.step_wanted.connect(self.picture.go_to)
        self.runs.add_wanted.connect(self.choose_logs)
        self.runs.unread_wanted.connect(self.findings.show_unread)
        self.runs.pattern_wanted.connect(self.ask_pattern)
        self.findings.pattern_wanted.connect(self.ask_pattern)
        self.findings.span_wanted.connect(self._look_at)
        self.note.pressed.connect(self._go_on)
        self.state.runs_changed.connect(self._stack.refresh)
        self.state.nearby.found.connect(self._offer)

    # ---- opening

    def choose_logs(self) -> None:
        """Ask for logs."""
        chosen, _ = QFileDialog.getOpenFileNames(
            self, text("gui.curves.open"), self._folder, text("gui.training.filter")
        )
        if chosen:
            self.state.add([str(Path(path).absolute()) for path in chosen])

    def choose_folder(self) -> None:
        """Ask for a folder of TensorBoard events, or a dump."""
        chosen = QFileDialog.getExistingDirectory(self, text("gui.curves.add.folder"), self._folder)
        if chosen:
            self._add(chosen)

    @property
    def _folder(self) -> str:
        runs = self.state.runs
        return str(Path(runs[-1].path).parent) if runs else self._settings.last_folder

    def _add(self, path: str) -> None:
        self.state.add([path])

    def ask_pattern(self, number: int) -> None:
        """Let the user say what the lines of a run look like."""
        from gui.views.curves.pattern_dialog import PatternDialog

        run = self.state.run(number)
        if run is None:
            return
        dialog = PatternDialog(self._context, run.path, run.pattern, self)
        dialog.wanted.connect(partial(self.state.read_again, number))
        dialog.open()

    def _offer(self) -> None:
        self.start.show_logs(self.state.nearby.logs)
        self._show_state()

    # ---- content

    def _show_state(self) -> None:
        state = self.state
        failed = sum(run.failure is not None for run in state.runs)
        if (len(state.runs), failed) != self._shared_for:
            self._shared_for = len(state.runs), failed
            if not self._settings.curves_sizes:
                self._room.share_anew()
        if state.readable or self._explained_by_rows():
            self._stack.setCurrentWidget(self._content)
            return
        if not state.runs and not state.nearby.searching:
            failure = state.nearby.failure
            why = failure.sentence() if isinstance(failure, Problem) else render(failure) if failure else ""
            self.start.explain(text("gui.curves.none_near", why=why) if why else "")
            self.start.show_logs(state.nearby.logs)
            self._stack.setCurrentWidget(self.start)
            return
        self._stack.setCurrentWidget(self.note)
        paths = "\n".join(run.path for run in state.runs[:4])
        words = WorkWords(
            working=(text("gui.curves.reading" if state.runs else "gui.curves.searching"), paths),
            stopped=(text("gui.curves.stopped"), paths),
            failed=text("gui.curves.failed"),
            again=text("gui.curves.other"),
        )
        if state.stage in (Stage.STOPPED, Stage.FAILED) and state.runs:
            self.note.tell(state, words)
        else:
            self.note.say(*words.working, working=True)

    def _explained_by_rows(self) -> bool:
        """Whether nothing could be read and the rows say it best: of several runs, or a pattern may help."""
        runs = self.state.runs
        brought = self.state.stage is Stage.FAILED and not any(run.offered for run in runs)
        return brought and (len(runs) > 1 or any(pattern_helps(run.failure) for run in runs))

    def _go_on(self) -> None:
        """Leave what could not be read, to choose other logs."""
        for run in list(self.state.runs):
            self.state.remove(run.number)

    def _look_at(self, first: int, last: int) -> None:
        left, right = self.picture.place_of_step(first), self.picture.place_of_step(last)
        room = max((right - left) * 0.03, 1.0)
        if right >= left:
            self.picture.canvas.look_at(left - room, right + room)

    # ---- coming and going

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.state.want(True)
        self._show_state()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.state.want(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.headline.set_low(event.size().height() < _LOW)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Share the room anew in a window of another size, unless the user has shared it."""
        if watched is self._lower and event.type() == QEvent.Type.Resize and not self._settings.curves_sizes:
            self._room.share_anew()
        return False

    def _share(self, width: int, height: int) -> None:
        side = min(max(int(width * _SIDE), _LEAST_SIDE), _MOST_SIDE)
        count, failed = self._shared_for
        rows = _RUNS_AROUND + _RUN_ROW * max(count, 2) + _FAILED_MORE * failed
        runs = min(rows, int(height * 0.45))
        if self._settings.curves_sizes:
            side, runs = self._settings.curves_sizes
        self._lower.setSizes([width - side - GAP, side])
        self._side.resize(side, height)  # sizes are shares of what it has
        self._side.setSizes([runs, max(height - runs - GAP, 1)])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.curves_sizes = [self._side.width(), self.runs.height()]

    # ---- commands

    @property
    def working(self) -> bool:
        """Whether logs are being read or judged."""
        return self.state.working or self.state.reader.busy

    def export(self, path: str) -> None:
        """Write the numbers, or the picture as it is seen, by the ending of *path*."""
        if Path(path).suffix.lower() in _NUMBERS:
            self.state.export(path)
            return
        session, report = self._context.session, self.state.report
        heading = render(report.sentence) if report is not None else ""
        try:
            write_picture(path, self.picture.canvas, heading, self._context.theme.colours)
        except InputError as error:
            session.noticed.emit(error.problem, "")
        else:
            session.succeeded.emit(Message("gui.notice.exported", {"path": path}))

    def copied_text(self) -> str:
        """Return verdict, findings and advice, or what the tab on show says."""
        return self.findings.copied_text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.curves"))
        self._show_state()
