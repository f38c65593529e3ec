"""One process that answers questions about tensors; an answer that nobody waits for any more is dropped.

What it says is received by a thread that does nothing but receive, so that unpickling never blocks painting.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal

from core.workers.processes import FileShortened, WorkerFailed
from core.workers.service import Service


class _Relay(QThread):
    """Owns the service process; sends what is queued, hands over what comes back."""

    answered = Signal(int, str, object)
    died = Signal(str, bool)
    """Why, and whether a file that it read had become shorter."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wake, self._waker = multiprocessing.Pipe(duplex=False)

    def ask(self, ticket: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Queue a question."""
        self._waker.send((ticket, function, arguments))

    def drop(self, ticket: int) -> None:
        """Queue that nobody wants the answer of *ticket* any more."""
        self._waker.send((ticket, None, ()))

    def close(self) -> None:
        """End thread and process."""
        self._waker.send(None)
        self.wait()
        self._wake.close()
        self._waker.close()

    def run(self) -> None:
        try:
            service = Service()
        except Exception as error:  # noqa: BLE001 - no process to be had
            self.died.emit(repr(error), False)
            return
        try:
            self._relay(service)
        except WorkerFailed as error:
            self.died.emit(str(error), isinstance(error, FileShortened))
        except OSError as error:
            self.died.emit(repr(error), False)
        finally:
            service.stop()

    def _relay(self, service: Service) -> None:
        pipes: list[Connection] = [service.pipe, self._wake]
        while True:
            for ready in wait(pipes):
                if ready is self._wake:
                    question = self._wake.recv()
                    if question is None:
                        return
                    ticket, function, arguments = question
                    if function is None:
                        service.drop(ticket)
                    else:
                        service.send(ticket, function, *arguments)
                else:
                    self.answered.emit(*service.receive())


_Question = tuple[int, Callable[..., Any], tuple[Any, ...]]
"""Ticket, function and arguments."""


class PictureService(QObject):
    """Answers questions about tensors: of each channel only the latest, and small ones beside long ones."""

    answered = Signal(str, object)
    """Channel and what the function returned."""
    arrived = Signal(str, object)
    """Channel and what a function that is a generator yielded on its way."""
    rejected = Signal(str, object)
    """Channel and a :class:`core.errors.Problem`."""
    crashed = Signal(str, str)
    """Channel and a traceback."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._signals = {
            "part": self.arrived, "result": self.answered, "input": self.rejected, "failed": self.crashed,
        }  # fmt: skip
        self._relay: _Relay | None = None
        self._ticket = 0
        self._asked: tuple[int, str] | None = None
        """The question that the process was handed and has not begun to answer bit by bit."""
        self._begun: dict[int, str] = {}
        """Long answers under way, and their channels."""
        self._latest: dict[str, int] = {}
        self._waiting: dict[str, _Question] = {}
        self._handed: dict[int, _Question] = {}
        """What the process was handed and has not answered."""
        self._again: set[int] = set()
        """Questions that were handed to a second process, as the first died of a file that became shorter."""

    def request(self, channel: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Ask for ``function(*arguments)``; whatever *channel* still waits for is forgotten."""
        self.forget(channel)
        self._ticket += 1
        self._latest[channel] = self._ticket
        self._waiting[channel] = (self._ticket, function, arguments)
        self._ask_next()

    def forget(self, channel: str) -> None:
        """Want no answer on *channel* any more."""
        dropped = self._latest.pop(channel, None)
        self._waiting.pop(channel, None)
        if dropped in self._begun and self._relay is not None:
            self._relay.drop(dropped)

    @property
    def idle(self) -> bool:
        """Whether every question is answered."""
        return self._asked is None and not self._begun and not self._waiting

    def _ask_next(self) -> None:
        """Hand over one question at a time, so that the pipe never fills while the process fills its own."""
        if self._asked is not None or not self._waiting:
            return
        if self._relay is None:
            self._relay = _Relay(self)
            self._relay.answered.connect(self._take)
            self._relay.died.connect(self._mourn)
            self._relay.start()
        channel = next(iter(self._waiting))
        question = self._waiting.pop(channel)
        ticket, function, arguments = question
        self._asked = (ticket, channel)
        self._handed[ticket] = question
        self._relay.ask(ticket, function, arguments)

    def _take(self, ticket: int, kind: str, value: Any) -> None:
        if self._asked is not None and self._asked[0] == ticket:
            channel = self._asked[1]
            self._asked = None
            if kind == "begun":
                self._begin(ticket, channel)
        elif ticket in self._begun:
            channel = self._begun[ticket] if kind == "part" else self._begun.pop(ticket)
        else:
            return
        if kind not in ("begun", "part"):
            self._handed.pop(ticket, None)
            self._again.discard(ticket)
        if self._latest.get(channel) == ticket and kind in self._signals:
            self._signals[kind].emit(channel, value)
        self._ask_next()

    def _begin(self, ticket: int, channel: str) -> None:
        self._begun[ticket] = channel
        if self._latest.get(channel) != ticket and self._relay is not None:
            self._relay.drop(ticket)

    def _mourn(self, reason: str, shortened: bool) -> None:
        lost = dict(self._begun)
        if self._asked is not None:
            ticket, channel = self._asked
            lost[ticket] = channel
        handed, again = dict(self._handed), set(self._again)
        self.close()
        for ticket, channel in lost.items():
            if self._latest.get(channel) != ticket:
                continue
            if shortened and ticket not in again:
                # Asked again, whatever opens that file says which it is and what is wrong with it.
                self._waiting[channel] = handed[ticket]
                self._again.add(ticket)
            else:
                self.crashed.emit(channel, reason)
        self._ask_next()

    def close(self) -> None:
        """End the process, whatever it is at; the next question starts another."""
        self._asked = None
        self._begun.clear()
        self._handed.clear()
        self._again.clear()
        if self._relay is not None:
            self._relay.close()
            self._relay.deleteLater()
            self._relay = None
