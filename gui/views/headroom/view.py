"""How near the values of one cell are to fp16: picture and loss scale, and the slots under them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from core.messages import text
from gui.context import Context
from gui.headroom.state import HeadroomState
from gui.processes.work_state import Stage
from gui.views.headroom.picture import PictureCard
from gui.views.headroom.scale import ScaleCard
from gui.views.headroom.table import HeadroomTableCard
from gui.widgets.shared_room import GAP, SharedRoom, gap_splitter
from gui.widgets.work_note import WorkWords
from gui.widgets.work_stack import WorkStack
from gui.widgets.work_view import WorkView

_SIDE, _NARROW_SIDE, _WIDE = 340, 316, 1200
"""Pixels of the loss scale's card in a wide view and in a narrow one, and from where it is wide."""
_PICTURE_SHARE = 0.52
_LEAST_HEIGHT = 150


class HeadroomView(WorkView[HeadroomState]):
    """Measures the cell on show once it is shown itself; keeps what was measured."""

    compare_wanted = Signal()
    """The slot looked at is selected in the comparison, which is to be shown."""

    def __init__(self, context: Context) -> None:
        super().__init__(HeadroomState(context.session))
        self.picture = PictureCard(context, self.state)
        self.scale = ScaleCard(context, self.state)
        self.slots = HeadroomTableCard(context, self.state)
        self._settings = context.settings
        self._upper = gap_splitter(Qt.Orientation.Horizontal, self.picture, self.scale)
        self._upper.setStretchFactor(0, 1)
        self._whole = gap_splitter(Qt.Orientation.Vertical, self._upper, self.slots)
        self._room = SharedRoom(
            self._whole, self._share, self._remember, self._upper, least_height=_LEAST_HEIGHT
        )
        self._stack = WorkStack(self.state, self._show_state, (self._whole, self.slots.table))
        self.note = self._stack.note
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.note.pressed.connect(self.state.start)
        self.picture.entered_on.connect(self._enter)
        self.slots.entered_on.connect(self._enter)
        self.retranslate()

    def _show_state(self) -> None:
        state = self.state
        if state.room is not None:
            empty = not len(state.room.headroom.rows)
            self._stack.setCurrentWidget(self.note if empty else self._whole)
            if empty:
                self.note.say(text("gui.headroom.empty"), text("gui.headroom.empty.help"))
            return
        self._stack.setCurrentWidget(self.note)
        if state.stage is Stage.NOTHING:
            self.note.say(text("gui.headroom.nothing"), text("gui.overflow.nothing.help"))
            return
        words = WorkWords(
            working=(text("gui.headroom.working"), text("gui.headroom.working.help")),
            stopped=(text("gui.headroom.stopped"), ""),
            failed=text("gui.headroom.failed"),
            again=text("gui.headroom.again"),
        )
        self.note.tell(state, words)

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

    def _share(self, width: int, height: int) -> None:
        side = _SIDE if width >= _WIDE else _NARROW_SIDE
        upper = round((height - GAP) * _PICTURE_SHARE)
        side, upper = self._settings.headroom_sizes or (side, upper)
        self._upper.setSizes([width - side - GAP, side])
        self._whole.setSizes([upper, height - GAP - upper])

    def _remember(self) -> None:
        """Keep how the user shares the room."""
        self._settings.headroom_sizes = [self.scale.width(), self._upper.height()]

    # ---- commands

    def copied_text(self) -> str:
        """Return the rows selected in the table, else what is said of the loss scale."""
        return self.slots.copied_text() or self.scale.copied_text()

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.headroom.title"))
        self._show_state()
