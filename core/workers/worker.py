"""Long work in a process of its own.

Parsing JSON, reading tensors and opening HDF5 would freeze a window's thread, and two threads in one
process would share one interpreter lock. So such work is a generator (:data:`core.progress.Work`) that
runs in a *spawned* process and sends what it yields through a pipe. Closing the generator that drives it
ends the process at once: cancelling needs no cooperation.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from core.errors import Cancelled, InputError
from core.progress import Work
from core.workers.processes import (
    FileShortened,
    WorkerFailed,
    end,
    follow_parent,
    receive,
    send,
    start,
    why_it_ended,
)

T = TypeVar("T")


def _serve(pipe: Connection, function: Callable[..., Work[Any]], arguments: tuple[Any, ...]) -> None:
    follow_parent()
    try:
        work = function(*arguments)
        while True:
            try:
                progress = next(work)
            except StopIteration as end:
                send(pipe, ("result", end.value))
                return
            send(pipe, ("progress", progress))
    except InputError as error:
        send(pipe, ("input", error.problem))
    except BrokenPipeError:
        pass
    except KeyboardInterrupt:  # the terminal interrupts all processes at once, in any order
        with contextlib.suppress(OSError):
            send(pipe, ("cancelled", None))
    except BaseException:  # noqa: BLE001 - sent to the parent, which raises it
        send(pipe, ("failed", traceback.format_exc()))
    finally:
        pipe.close()


class Worker:
    """One spawned process that runs ``function(*arguments)``, a generator function.

    *function* and *arguments* must be picklable; *function* must be importable by name.
    """

    def __init__(self, function: Callable[..., Work[Any]], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe(duplex=False)
        self._process = start(self, context.Process(target=_serve, args=(theirs, function, arguments)))
        theirs.close()

    def receive(self) -> tuple[str, Any]:
        """Wait for the next message: ``("progress", Progress)`` or, once, ``("result", value)``.

        Raises
        ------
        InputError
            If the worker found nothing it could open.
        Cancelled
            If it was interrupted.
        WorkerFailed
            If it raised anything else, or died.
        """
        try:
            kind, value = receive(self.pipe)
        except EOFError:
            raise why_it_ended(self._process, "worker") from None
        if kind == "cancelled":
            raise Cancelled
        if kind == "input":
            raise InputError(value)
        if kind == "failed":
            raise WorkerFailed(value)
        return kind, value

    def stop(self) -> None:
        """End the process at once if it still runs, and free its resources."""
        end(self._process)
        self.pipe.close()


def in_worker(function: Callable[..., Work[T]], *arguments: Any) -> Work[T]:
    """Run ``function(*arguments)`` in a process of its own.

    One that dies of a file that became shorter is begun anew, once: as it opens that file it says which.

    Raises
    ------
    InputError, Cancelled, WorkerFailed
        As :meth:`Worker.receive`.
    """
    try:
        return (yield from _in_one_worker(function, arguments))
    except FileShortened:
        return (yield from _in_one_worker(function, arguments))


def _in_one_worker(function: Callable[..., Work[T]], arguments: tuple[Any, ...]) -> Work[T]:
    worker = Worker(function, *arguments)
    try:
        while True:
            kind, value = worker.receive()
            if kind == "result":
                result: T = value
                return result
            yield value
    finally:
        worker.stop()
