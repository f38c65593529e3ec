"""What the page shows while there is no answer: progress, that it was stopped, or that it failed."""

from __future__ import annotations

from core.messages import text
from gui.context import Context
from gui.processes.work_state import Stage
from gui.widgets.work_note import WorkNote, WorkWords


class WaitingView(WorkNote):
    """Follows the search for overflow; the rest of the page waits until there is something to show."""

    def __init__(self, context: Context) -> None:
        self._overflow = context.session.overflow
        super().__init__()
        self.cancelled.connect(self._overflow.cancel)
        self.pressed.connect(self._overflow.start)
        self._overflow.changed.connect(self._load)
        self._overflow.progressed.connect(self.show_progress)

    def _load(self) -> None:
        if self._overflow.stage is Stage.NOTHING:
            self.say(text("gui.overflow.nothing"), text("gui.overflow.nothing.help"))
            return
        words = WorkWords(
            working=(text("gui.overflow.working"), text("gui.overflow.working.help")),
            stopped=(text("gui.overflow.stopped"), text("gui.overflow.stopped.help")),
            failed=text("gui.overflow.failed"),
            again=text("gui.overflow.again"),
        )
        self.tell(self._overflow, words)

    def retranslate(self) -> None:
        super().retranslate()
        self._load()
