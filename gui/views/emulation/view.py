"""Is a difference the chip's arithmetic or a bug: the choices, the work, and what it found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from core.errors import Problem
from core.messages import render, text
from gui.context import Context
from gui.models.emulation_table import CallFilter
from gui.views.emulation.headline import EmulationHeadline
from gui.views.emulation.side import SideCard
from gui.views.emulation.start import StartCard
from gui.views.emulation.table import CallsCard
from gui.views.emulation.torch_line import TorchLine
from gui.widgets.translated import Translated
from gui.widgets.work_note import WorkNote
from gui.work_state import Stage

_GAP = 10
_SIDE, _NARROW_SIDE, _WIDE = 440, 400, 1400
"""Pixels of what is beside the table in a wide page and in a narrow one, and from where it is wide."""


class EmulationView(Translated, QWidget):
    """What was found stays until something else is; choosing anew leads back to it."""

    compare_wanted = Signal()
    """The call looked at is selected in the comparison, which is to be shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._session, self._settings = context.session, context.settings
        self.state = context.session.emulation
        self._choosing = self._arranged = False
        self.start, self.note = StartCard(context), WorkNote()
        self.headline, self.calls, self.side = (
            EmulationHeadline(context),
            CallsCard(context),
            SideCard(context),
        )
        self.torch = TorchLine(context)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self.headline)
        column.addWidget(self.calls, 1)
        self._whole = QSplitter(Qt.Orientation.Horizontal)
        self._whole.addWidget(left)
        self._whole.addWidget(self.side)
        self._whole.setStretchFactor(0, 1)
        self._whole.setStretchFactor(1, 0)
        self._whole.setChildrenCollapsible(False)
        self._whole.setHandleWidth(_GAP)
        self._stack = QStackedWidget()
        for part in (self.start, self.note, self._whole):
            self._stack.addWidget(part)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(6)
        outer.addWidget(self._stack, 1)
        outer.addWidget(self.torch)
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self._whole.installEventFilter(self)
        self._whole.splitterMoved.connect(self._remember)
        self.start.setup.replay_wanted.connect(self.replay)
        self.start.back_wanted.connect(self._go_back)
        self.headline.otherwise_wanted.connect(self._choose_anew)
        self.headline.filtered.connect(self._filter)
        self.calls.filtered.connect(self._filter)
        self.calls.clear_wanted.connect(self._clear)
        self.calls.entered_on.connect(self._enter)
        self.side.show_wanted.connect(self._enter)
        self.note.cancelled.connect(self.state.cancel)
        self.note.pressed.connect(self._choose_anew)
        self.state.changed.connect(self._load)
        self.state.progressed.connect(self.note.show_progress)

    # ---- content

    def replay(self) -> None:
        """Replay what is chosen."""
        profile, changed, everything = self.start.setup.wanted()
        cell = self._session.cell
        self._choosing = False
        self.state.start(profile, changed, None if everything or cell is None else (cell.key,))

    def _load(self) -> None:
        attended = self.note.focused or self.start.isAncestorOf(self.focusWidget() or self)
        if self.state.stage in (Stage.WORKING, Stage.READY):
            self._choosing = False
        self._show_state()
        if attended and self.isVisible():  # the button that had the focus may be gone
            self.take_focus()

    def _show_state(self) -> None:
        state = self.state
        self.start.offer_back(state.found is not None)
        if self._choosing or state.stage is Stage.NOTHING:
            self._stack.setCurrentWidget(self.start)
            return
        if state.stage is Stage.READY and state.found is not None:
            self.headline.show_found(state.found)
            self.calls.show_found(state.found)
            self.side.show_found(state.found)
            self._stack.setCurrentWidget(self._whole)
            return
        self._stack.setCurrentWidget(self.note)
        again = text("gui.emulation.again")
        if state.stage is Stage.WORKING:
            code = "gui.emulation.loading" if state.loading else "gui.emulation.working"
            self.note.say(text(code), text("gui.emulation.working.help"), working=True)
        elif state.stage is Stage.STOPPED:
            self.note.say(text("gui.emulation.stopped"), button=again)
        elif state.failure is not None:
            failure = state.failure
            why = failure.sentence() if isinstance(failure, Problem) else render(failure)
            self.note.say(text("gui.emulation.failed"), why, button=again, details=state.details)

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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._whole and event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._arrange()
        return False

    def _arrange(self) -> None:
        """Share the room as at first; once it is shared, it is the user's to share anew."""
        width = self._whole.width()
        if self._arranged or not self._whole.isVisible() or width < 400:
            return
        self._arranged = True
        (side,) = self._settings.emulation_sizes or (_SIDE if width >= _WIDE else _NARROW_SIDE,)
        self._whole.setSizes([width - side - _GAP, side])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.emulation_sizes = [self.side.width()]

    def arrange_anew(self) -> None:
        """Share the room as the settings say, or as at first."""
        self._arranged = False
        self._arrange()

    # ---- commands

    @property
    def working(self) -> bool:
        """Whether something is being replayed or read."""
        return self.state.stage is Stage.WORKING

    def cancel(self) -> None:
        """Stop it."""
        self.state.cancel()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        shown = self._stack.currentWidget()
        wanted: QWidget = self.start.setup.replay if shown is self.start else self.calls.table
        if shown is self.note:
            wanted = self.note.progress.cancel if self.working else self.note.button
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def copied_text(self) -> str:
        """Return the rows selected in the table under the sentence; nothing while nothing is found."""
        if self._stack.currentWidget() is not self._whole:
            return ""
        return self.calls.copied_text() or self.headline.copied_text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.page.emulation"))
        self._show_state()
