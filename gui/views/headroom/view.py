"""How near the values of one cell are to fp16: picture and loss scale, and the slots under them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from core.errors import Problem
from core.messages import render, text
from gui.context import Context
from gui.headroom import HeadroomState
from gui.views.headroom.picture import PictureCard
from gui.views.headroom.scale import ScaleCard
from gui.views.headroom.table import HeadroomTableCard
from gui.widgets.translated import Translated
from gui.widgets.work_note import WorkNote
from gui.work_state import Stage

_GAP = 10
_SIDE, _NARROW_SIDE, _WIDE = 340, 316, 1200
"""Pixels of the loss scale's card in a wide view and in a narrow one, and from where it is wide."""
_PICTURE_SHARE = 0.52


class HeadroomView(Translated, QWidget):
    """Measures the cell on show once it is shown itself; keeps what was measured."""

    compare_wanted = Signal()
    """The slot looked at is selected in the comparison, which is to be shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.state = HeadroomState(context.session)
        self.note = WorkNote()
        self.picture = PictureCard(context, self.state)
        self.scale = ScaleCard(context, self.state)
        self.slots = HeadroomTableCard(context, self.state)
        self._settings, self._arranged = context.settings, False
        self._upper, self._whole = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        self._upper.addWidget(self.picture)
        self._upper.addWidget(self.scale)
        self._upper.setStretchFactor(0, 1)
        self._whole.addWidget(self._upper)
        self._whole.addWidget(self.slots)
        for splitter in (self._upper, self._whole):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(_GAP)
            splitter.splitterMoved.connect(self._remember)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.note)
        self._stack.addWidget(self._whole)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self._whole.installEventFilter(self)
        self.note.cancelled.connect(self.state.cancel)
        self.note.pressed.connect(self.state.start)
        self.state.changed.connect(self._load)
        self.state.progressed.connect(self.note.show_progress)
        self.picture.entered_on.connect(self._enter)
        self.slots.entered_on.connect(self._enter)
        self.retranslate()

    def _load(self) -> None:
        attended = self.note.focused
        self._show_state()
        if attended:  # the button that had the focus may be gone
            self.take_focus()

    def _show_state(self) -> None:
        state = self.state
        if state.room is not None:
            empty = not len(state.room.headroom.rows)
            self._stack.setCurrentWidget(self.note if empty else self._whole)
            if empty:
                self.note.say(text("gui.headroom.empty"), text("gui.headroom.empty.help"))
            return
        self._stack.setCurrentWidget(self.note)
        if state.stage is Stage.WORKING:
            self.note.say(text("gui.headroom.working"), text("gui.headroom.working.help"), working=True)
        elif state.stage is Stage.STOPPED:
            self.note.say(text("gui.headroom.stopped"), button=text("gui.headroom.again"))
        elif state.stage is Stage.FAILED and state.failure is not None:
            failure = state.failure
            why = failure.sentence() if isinstance(failure, Problem) else render(failure)
            self.note.say(
                text("gui.headroom.failed"), why, button=text("gui.headroom.again"), details=state.details
            )
        else:
            self.note.say(text("gui.headroom.nothing"), text("gui.overflow.nothing.help"))

    def _enter(self) -> None:
        if self.state.show_in_comparison():
            self.compare_wanted.emit()

    # ---- coming and going

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.state.want(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.state.want(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._whole and event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._arrange()
        return False

    def _arrange(self) -> None:
        """Share the room as at first; once it is shared, it is the user's to share anew."""
        width, height = self._whole.width(), self._whole.height()
        if self._arranged or not self._whole.isVisible() or width < 400 or height < 150:
            return
        self._arranged = True
        side = _SIDE if width >= _WIDE else _NARROW_SIDE
        upper = round((height - _GAP) * _PICTURE_SHARE)
        side, upper = self._settings.headroom_sizes or (side, upper)
        self._upper.setSizes([width - side - _GAP, side])
        self._whole.setSizes([upper, height - _GAP - upper])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.headroom_sizes = [self.scale.width(), self._upper.height()]

    def arrange_anew(self) -> None:
        """Share the room as the settings say, or as at first."""
        self._arranged = False
        self._arrange()

    # ---- commands

    @property
    def working(self) -> bool:
        """Whether the cell is being measured."""
        return self.state.stage is Stage.WORKING

    def cancel(self) -> None:
        """Stop measuring."""
        self.state.cancel()

    def take_focus(self) -> None:
        """Give the focus to what answers to keys first."""
        waiting: QWidget = self.note.progress.cancel if self.working else self.note.button
        wanted = self.slots.table if self._stack.currentWidget() is self._whole else waiting
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def copied_text(self) -> str:
        """Return the rows selected in the table, else what is said of the loss scale."""
        return self.slots.copied_text() or self.scale.copied_text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.headroom.title"))
        self._load()
