"""A view of the shown pair that asks the service about it, and only while it is to be seen."""

from __future__ import annotations

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.errors import Problem
from core.messages import Message, text
from core.progress import Progress
from gui.context import Context
from gui.processes.picture_client import PictureClient
from gui.tensors.shown_pair import ShownPair
from gui.widgets.empty_note import EmptyNote
from gui.widgets.quiet_progress import QuietProgress
from gui.widgets.translated import Translated


class AskingView(Translated, QWidget):
    """Has a :attr:`body` and, in its place where there is nothing to show, a sentence that says why."""

    channel = "whole"
    """Of the answer without which there is nothing to show."""

    def __init__(self, context: Context, pair: ShownPair) -> None:
        super().__init__()
        self._context, self._theme, self._pair = context, context.theme, pair
        self._client = PictureClient(context.session.pictures, self)
        self._stale = True
        self.reading = QuietProgress()
        """Where it stands is for those who derive from this."""
        self.body, self._note = QWidget(), EmptyNote()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.body)
        self._stack.addWidget(self._note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self._client.answered.connect(self._answer)
        self._client.arrived.connect(self._arrive)
        self._client.rejected.connect(self._reject)
        self._client.crashed.connect(self._crash)
        pair.changed.connect(self._take_pair)

    # ---- what differs

    def _ask(self) -> None:
        """Ask for all that is shown of the pair."""
        raise NotImplementedError

    def _clear(self) -> None:
        """Show nothing of the pair before."""

    def _show_answer(self, channel: str, answer: object) -> None:
        """Show what came."""
        raise NotImplementedError

    # ---- asking

    @property
    def said(self) -> str:
        """Why there is nothing to show; empty where there is something."""
        return self._note.sentence if self._stack.currentIndex() else ""

    @property
    def channels(self) -> tuple[str, ...]:
        """All channels that depend on the pair."""
        return (self.channel,)

    def _take_pair(self) -> None:
        self._stale = True
        for channel in self.channels:
            self._client.forget(channel)
        self.reading.end()
        self._clear()
        if self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        self._stale = False
        if self._pair.sources is None:
            nothing = self._pair.nothing
            self._say(nothing.sentence if nothing is not None else "")
            return
        self._stack.setCurrentIndex(0)
        self.reading.begin()
        self._ask()
        self._pair.seek_worst()

    def ask_anew(self) -> None:
        """Ask again, now or once it is to be seen."""
        self._stale = True
        if self.isVisible():
            self._refresh()

    def _say(self, sentence: str) -> None:
        self._note.set_texts(sentence)
        self._stack.setCurrentIndex(1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave the service to those who are seen: what is half done is asked for again."""
        super().hideEvent(event)
        if self.reading.waiting:
            self._stale = True
            for channel in self.channels:
                self._client.forget(channel)
            self.reading.end()

    # ---- answers

    def _answer(self, channel: str, answer: object) -> None:
        if channel == self.channel:
            self.reading.end()
        self._show_answer(channel, answer)

    def _arrive(self, channel: str, part: object) -> None:
        if channel == self.channel and isinstance(part, Progress):
            self.reading.show_progress(part)

    def _reject(self, channel: str, problem: object) -> None:
        if channel == self.channel:
            self.reading.end()
            self._say(problem.sentence() if isinstance(problem, Problem) else "")
        elif isinstance(problem, Problem):
            self._context.session.noticed.emit(problem, "")

    def _crash(self, channel: str, traceback: str) -> None:
        if channel == self.channel:
            self.reading.end()
            self._say(text("gui.asking.crashed", why=traceback.strip().split("\n")[-1]))
        else:
            self._context.session.noticed.emit(Message("gui.notice.crashed"), traceback)

    def retranslate(self) -> None:
        if self._stack.currentIndex() and self._pair.nothing is not None:
            self._say(self._pair.nothing.sentence)
