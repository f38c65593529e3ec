"""One process that stays and answers questions: small ones at once, long ones bit by bit beside them."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from types import GeneratorType
from typing import Any

from core.errors import InputError
from core.workers.processes import end, follow_parent, start, why_it_ended


class Service:
    """One spawned process; starting one costs a third of a second, answering a click must not.

    A question is a plain importable *function* and its arguments. Where the function is a generator,
    what it yields is sent as it comes, and what it returns is the answer; between two yields the process
    answers newer questions first, and gives up what nobody wants any more.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = start(self, context.Process(target=_answer, args=(theirs,)))
        theirs.close()

    def send(self, ticket: int, function: Callable[..., Any], *arguments: Any) -> None:
        """Ask for ``function(*arguments)``; all that is said of it will carry *ticket*."""
        self.pipe.send((ticket, function, arguments))

    def drop(self, ticket: int) -> None:
        """Want no answer to *ticket* any more; it is dropped, unless it is under way already."""
        self.pipe.send((ticket, None, ()))

    def receive(self) -> tuple[int, str, Any]:
        """Wait for the next message: a ticket and what is said of it.

        A generator's first message is ``("begun", None)``, and ``("part", value)`` is something it yielded.
        Once each ends with ``("result", value)``, ``("input", Problem)``, ``("failed", traceback)`` or
        ``("dropped", None)``.

        Raises
        ------
        WorkerFailed
            If the process died.
        """
        try:
            return self.pipe.recv()  # type: ignore[no-any-return]
        except (EOFError, OSError):
            raise why_it_ended(self._process, "the service process") from None

    def stop(self) -> None:
        """End the process and free its resources."""
        end(self._process)
        self.pipe.close()


def _answer(pipe: Connection) -> None:
    follow_parent()
    desk = _Desk(pipe)
    try:
        while True:
            desk.hear()
            desk.go_on()
    except (EOFError, OSError, KeyboardInterrupt):
        return


class _Desk:
    """The questions that wait, and the work that has begun."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._waiting: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
        self._begun: dict[int, Iterator[Any]] = {}

    def hear(self) -> None:
        """Take in all that is asked and dropped; wait for a question if there is nothing to do."""
        while not (self._waiting or self._begun) or self._pipe.poll():
            ticket, function, arguments = self._pipe.recv()
            if function is not None:
                self._waiting[ticket] = function, arguments
            elif self._waiting.pop(ticket, None) or self._begun.pop(ticket, None):
                self._pipe.send((ticket, "dropped", None))

    def go_on(self) -> None:
        """Begin what has waited longest, or else let the work that began last take its next step."""
        if self._waiting:
            ticket = next(iter(self._waiting))
            function, arguments = self._waiting.pop(ticket)
            self._tell(ticket, lambda: function(*arguments))
        elif self._begun:
            ticket, work = next(reversed(self._begun.items()))
            self._tell(ticket, lambda: next(work))

    def _tell(self, ticket: int, step: Callable[[], Any]) -> None:
        """Take a step of *ticket* and send what comes of it."""
        try:
            made = step()
            if isinstance(made, GeneratorType):
                self._begun[ticket] = made
                self._pipe.send((ticket, "begun", None))
                return
            kind, value = "part" if ticket in self._begun else "result", made
        except StopIteration as end_of_work:
            kind, value = "result", end_of_work.value
        except InputError as error:
            kind, value = "input", error.problem
        except Exception:  # noqa: BLE001 - sent to the window, which shows it
            kind, value = "failed", traceback.format_exc()
        if kind != "part":
            self._begun.pop(ticket, None)
        self._pipe.send((ticket, kind, value))
