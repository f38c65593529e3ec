"""Is a difference the chip's arithmetic or a bug: the choices, the work, and what it found."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.messages import text
from gui.context import Context
from gui.emulation.state import EmulationState
from gui.models.emulation.table import CallFilter
from gui.processes.work_state import Stage
from gui.views.emulation.headline import EmulationHeadline
from gui.views.emulation.side import SideCard
from gui.views.emulation.start import StartCard
from gui.views.emulation.table import CallsCard
from gui.views.emulation.torch_line import TorchLine
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_SIDE, _NARROW_SIDE, _WIDE = 440, 400, 1400
"""Pixels of what is beside the table in a wide page and in a narrow one, and from where it is wide."""


class EmulationView(WorkView[EmulationState]):
    """What was found stays until something else is; choosing anew leads back to it."""

    export_wanted = Signal()
    compare_wanted = Signal()
    """The call looked at is selected in the comparison, which is to be shown."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.session.emulation)
        self._session, self._settings = context.session, context.settings
        self._choosing = False
        self.start = StartCard(context)
        self.headline, self.calls, self.side = (
            EmulationHeadline(context),
            CallsCard(context),
            SideCard(context),
        )
        self.torch = TorchLine(context)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.headline)
        column.addWidget(self.calls, 1)
        self._whole = gap_splitter(Qt.Orientation.Horizontal, left, self.side)
        self._whole.setStretchFactor(0, 1)
        self._whole.setStretchFactor(1, 0)
        self._room = SharedRoom(self._whole, self._share, self._remember)
        self._stack = WorkStack(
            self.state, self._load, (self._whole, self.calls.table), (self.start, self.start.setup.replay)
        )
        self.note = self._stack.note
        self.honest = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        self.honest.setObjectName("dim")
        below = QHBoxLayout()
        below.setSpacing(2 * GAP)
        below.addWidget(self.honest)
        below.addWidget(self.torch)
        below.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(6)
        outer.addWidget(self._stack, 1)
        outer.addLayout(below)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self.start.setup.replay_wanted.connect(self.replay)
        self.start.back_wanted.connect(self._go_back)
        self.headline.otherwise_wanted.connect(self._choose_anew)
        self.headline.filtered.connect(self._filter)
        self.calls.filtered.connect(self._filter)
        self.calls.clear_wanted.connect(self._clear)
        self.calls.entered_on.connect(self._enter)
        self.calls.export_wanted.connect(self.export_wanted)
        self.side.show_wanted.connect(self._enter)
        self.note.pressed.connect(self._choose_anew)

    # ---- content

    def replay(self) -> None:
        """Replay what is chosen."""
        profile, changed, everything = self.start.setup.wanted()
        cell = self._session.cell
        self._choosing = False
        self.state.start(profile, changed, None if everything or cell is None else (cell.key,))

    def _load(self) -> None:
        if self.state.stage in (Stage.WORKING, Stage.READY):
            self._choosing = False
        self._show_state()

    def _show_state(self) -> None:
        state = self.state
        self.start.offer_back(state.found is not None)
        starting = self._choosing or state.stage is Stage.NOTHING
        self.honest.setVisible(not starting)  # the card says it itself
        if starting:
            self._stack.setCurrentWidget(self.start)
            return
        if state.stage is Stage.READY and state.found is not None:
            self.headline.show_found(state.found)
            self.calls.show_found(state.found)
            self.side.show_found(state.found)
            self._stack.setCurrentWidget(self._whole)
            return
        self._stack.setCurrentWidget(self.note)
        code = "gui.emulation.loading" if state.loading else "gui.emulation.working"
        words = WorkWords(
            working=(text(code), text("gui.emulation.working.help")),
            stopped=(text("gui.emulation.stopped"), ""),
            failed=text("gui.emulation.failed"),
            again=text("gui.emulation.again"),
        )
        self.note.tell(state, words)

    def _choose_anew(self) -> None:
        self._choosing = True
        self._show_state()
        self.take_focus()

    def _go_back(self) -> None:
        self._choosing = False
        self.state.leave()
        self.take_focus()

    # ---- filtering and going on

    def _filter(self) -> None:
        self.calls.set_filter(CallFilter(*self.headline.wanted, self.calls.words))

    def _clear(self) -> None:
        self.headline.clear()
        self.calls.clear()
        self._filter()

    def _enter(self) -> None:
        if self.state.show_in_comparison():
            self.compare_wanted.emit()

    # ---- looks

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.torch.ask()

    def _share(self, width: int, _height: int) -> None:
        (side,) = self._settings.emulation_sizes or (_SIDE if width >= _WIDE else _NARROW_SIDE,)
        self._whole.setSizes([width - side - GAP, side])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.emulation_sizes = [self.side.width()]

    # ---- commands

    def copied_text(self) -> str:
        """Return the rows selected in the table under the sentence; nothing while nothing is found."""
        if not self._stack.answered:
            return ""
        return self.calls.copied_text() or self.headline.copied_text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.emulation"))
        self.honest.setText(text("emulation.honest"))
        self._show_state()
