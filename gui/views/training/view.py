"""Overflow over a training, by its log: drop or choose one; judgement, loss scale and findings follow."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.frame.drop import dropped_paths
from gui.opening import is_official_answer, is_result_file
from gui.processes.work_state import Stage
from gui.training.state import TrainingState
from gui.views.training.findings import FindingsCard
from gui.views.training.headline import TrainingHeadline
from gui.views.training.plot import PlotCard
from gui.views.training.start import StartCard
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_SIDE, _NARROW_SIDE, _WIDE = 420, 320, 1200
"""Pixels of the findings in a wide view and in a narrow one, and from where it is wide."""


def is_droppable(paths: list[str]) -> bool:
    """Whether *paths* may be a training log; runs, results and answers are left to the window."""
    if len(paths) != 1 or not Path(paths[0]).is_file():
        return False
    return not is_result_file(paths[0]) and not is_official_answer(paths[0])


class TrainingView(WorkView[TrainingState]):
    """One log at a time."""

    log_opened = Signal()
    """A log was asked for by dropping or choosing it."""

    def __init__(self, context: Context) -> None:
        super().__init__(TrainingState(context.session, context.settings))
        self._settings = context.settings
        self.start = StartCard(self.state)
        self.headline = TrainingHeadline(context, self.state)
        self.plot = PlotCard(context, self.state)
        self.findings = FindingsCard(context, self.state, self.plot)
        self._lower = gap_splitter(Qt.Orientation.Horizontal, self.plot, self.findings)
        self._lower.setStretchFactor(0, 1)
        self._room = SharedRoom(self._lower, self._share, self._remember)
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(GAP)
        inside.addWidget(self.headline)
        inside.addWidget(self._lower, 1)
        self._content = content
        self._stack = WorkStack(
            self.state, self._show_state, (content, self.plot.canvas), (self.start, self.start.open)
        )
        self.note = self._stack.note
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.setAcceptDrops(True)
        self.start.open_wanted.connect(self.choose_log)
        self.headline.open_wanted.connect(self.choose_log)
        self.start.log_chosen.connect(self.open_log)
        self.note.pressed.connect(self.state.leave)
        self.retranslate()

    # ---- opening

    def open_log(self, path: str) -> None:
        """Read the training log at *path*."""
        self.log_opened.emit()
        self.state.open_log(path)

    def choose_log(self) -> None:
        """Ask for a log."""
        folder = str(Path(self.state.path).parent) if self.state.path else self._settings.last_folder
        chosen, _ = QFileDialog.getOpenFileName(
            self, text("gui.training.open"), folder, text("gui.training.filter")
        )
        if chosen:
            self.open_log(chosen)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if is_droppable(dropped_paths(event.mimeData())):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = dropped_paths(event.mimeData())
        if is_droppable(paths):
            event.acceptProposedAction()
            self.open_log(paths[0])
        else:
            event.ignore()

    # ---- content

    def _show_state(self) -> None:
        state = self.state
        if state.history is not None:
            self._stack.setCurrentWidget(self._content)
            return
        if state.stage is Stage.NOTHING:
            self._stack.setCurrentWidget(self.start)
            return
        self._stack.setCurrentWidget(self.note)
        words = WorkWords(
            working=(text("gui.training.reading"), state.path),
            stopped=(text("gui.training.stopped"), state.path),
            failed=text("gui.training.failed"),
            again=text("gui.training.other"),
        )
        self.note.tell(state, words)

    # ---- coming and going

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.state.want(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.state.want(False)

    def _share(self, width: int, _height: int) -> None:
        (side,) = self._settings.training_sizes or (_SIDE if width >= _WIDE else _NARROW_SIDE,)
        self._lower.setSizes([width - side - GAP, side])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.training_sizes = [self.findings.width()]

    # ---- commands

    def copied_text(self) -> str:
        """Return the selected steps or the findings, under the judgement."""
        if self.state.history is None:
            return ""
        if self.findings.tabs.currentIndex():
            return self.findings.copied_text()
        return f"{self.headline.copied_text()}\n{self.findings.copied_text()}"

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.training.title"))
        self._show_state()
