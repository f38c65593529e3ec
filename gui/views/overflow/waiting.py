"""What the page shows while there is no answer: progress, that it was stopped, or that it failed."""

from __future__ import annotations

from core.errors import Problem
from core.messages import render, text
from gui.context import Context
from gui.widgets.work_note import WorkNote
from gui.work_state import Stage


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
        overflow = self._overflow
        failure = overflow.failure
        if overflow.stage is Stage.FAILED:
            title = text("gui.overflow.failed")
            words = failure.sentence() if isinstance(failure, Problem) else render(failure) if failure else ""
        elif overflow.stage is Stage.STOPPED:
            title, words = text("gui.overflow.stopped"), text("gui.overflow.stopped.help")
        elif overflow.stage is Stage.WORKING:
            title, words = text("gui.overflow.working"), text("gui.overflow.working.help")
        else:
            title, words = text("gui.overflow.nothing"), text("gui.overflow.nothing.help")
        can_start = overflow.stage in (Stage.STOPPED, Stage.FAILED)
        again = text("gui.overflow.again") if can_start else ""
        self.say(title, words, overflow.stage is Stage.WORKING, again, overflow.details)

    def retranslate(self) -> None:
        super().retranslate()
        self._load()
