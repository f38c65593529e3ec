"""The selected call under the chip's arithmetic: what is known of it, or a button to replay it."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.messages import text
from core.records.run import CellKey
from gui.comparison.focus import Focus
from gui.context import Context
from gui.models.call.details import pool_text
from gui.names import shown
from gui.processes.work_state import Stage
from gui.views.emulation.again import ReplayAgain
from gui.views.emulation.call_panel import CallPanel
from gui.widgets.empty_note import EmptyNote
from gui.widgets.translated import Translated
from gui.widgets.work_note import WorkNote, WorkWords


class EmulatedCallView(Translated, QWidget):
    """Never replays anything by itself."""

    def __init__(self, context: Context, focus: Focus) -> None:
        super().__init__()
        self._session, self._focus = context.session, focus
        self._before: tuple[CellKey, str] | None = None
        """The call that was shown before this one."""
        self._state = context.session.emulation
        self.again = ReplayAgain(context)
        self.panel = CallPanel(context, wide=True, beside=self.again)
        self.empty, self.note = EmptyNote(), WorkNote()
        self.note.setObjectName("plain")
        self._stack = QStackedWidget()
        for part in (self.panel, self.empty, self.note):
            self._stack.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        single = self._state.single
        for signal in (focus.row_changed, focus.cell_changed):
            signal.connect(self._turn)
        for signal in (self._state.changed, single.changed):
            signal.connect(self._load)
        single.progressed.connect(self.note.show_progress)
        for wanted in (self.empty.pressed, self.note.pressed, self.again.wanted):
            wanted.connect(self.replay)
        self.note.cancelled.connect(single.cancel)
        self.retranslate()

    @property
    def selected(self) -> tuple[CellKey, str] | None:
        """The target's call that the selected row belongs to."""
        cell, row = self._focus.cell, self._focus.row
        operator = int(cell.rows.target_operator[row]) if cell is not None and row >= 0 else -1
        if cell is None or operator < 0:
            return None
        return cell.key, pool_text(cell.target.strings, int(cell.target.operators.name[operator]))

    def replay(self) -> None:
        """Replay the selected call under the profile chosen here, or else last on the page."""
        selected = self.selected
        if selected is not None:
            self._state.single.start(*self.again.chosen, *selected)

    # ---- content

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._load()

    def _turn(self) -> None:
        """Show another call; what was stopped or failed is over, and what was known of that one stays."""
        before, self._before = self._before, self.selected
        if before is not None and before != self._before and self._state.single.asked == before:
            self._state.single.leave()
        self._load()

    def _load(self) -> None:
        if not self.isVisible():
            return  # looked up once it is seen
        selected, single = self.selected, self._state.single
        self.again.load(possible=bool(self._session.result_path))
        if selected is None:
            self.empty.set_texts(text("gui.detail.nothing_selected"))
            self._stack.setCurrentWidget(self.empty)
            return
        asked = single.asked == selected
        known = self._state.known(*selected)
        lacking = single.stage is Stage.STOPPED and known is None
        if asked and (lacking or single.stage in (Stage.WORKING, Stage.FAILED)):
            self._stack.setCurrentWidget(self.note)
            self._tell(selected[1])
        elif known is not None:
            self.panel.show_call(known.call, known.title)
            self._stack.setCurrentWidget(self.panel)
        else:
            self._offer()

    def _offer(self) -> None:
        words, button = text("gui.emulation.not_yet"), text("gui.emulation.replay_call")
        self.empty.set_texts(words, button if self._session.result_path else "")
        self._stack.setCurrentWidget(self.empty)

    def _tell(self, name: str) -> None:
        """Say how far the replay of the call *name* is."""
        words = WorkWords(
            working=(text("gui.emulation.replaying_call"), shown(name)),
            stopped=(text("gui.emulation.stopped"), shown(name)),
            failed=text("gui.emulation.failed"),
            again=text("gui.emulation.replay_call"),
        )
        self.note.tell(self._state.single, words)

    def copied_text(self) -> str:
        """Return the distances of the call as tab-separated text."""
        return self.panel.copied_text() if self._stack.currentWidget() is self.panel else ""

    def retranslate(self) -> None:
        self.setAccessibleName(text("gui.tab.emulation"))
        self._load()
