"""Long work in a process of its own.

Parsing JSON, reading tensors and opening HDF5 would freeze a window's thread, and two threads in one
process would share one interpreter lock. So such work is a generator (:data:`core.progress.Work`) that
runs in a *spawned* process and sends what it yields through a pipe. Closing the generator that drives it
ends the process at once: cancelling needs no cooperation.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from core.errors import Cancelled, InputError
from core.progress import Progress, Work

T = TypeVar("T")


class WorkerFailed(RuntimeError):
    """A worker process died or raised; the text is its traceback or exit code."""


def _start(owner: object, process: SpawnProcess) -> SpawnProcess:
    """Start *process*; it ends with *owner*, or with this process however that ends.

    It is no daemon, for a daemon may not start workers of its own.
    """
    process.start()
    weakref.finalize(owner, _end, process)  # also at exit, before multiprocessing would wait for it
    return process


def _end(process: SpawnProcess) -> None:
    if process.is_alive():
        process.terminate()
    process.join()


def _follow_parent() -> None:
    """End this process as soon as its parent is gone, killed or not."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def send(pipe: Connection, message: Any) -> None:
    """Send *message* without a copy of the arrays in it: they go through the pipe one by one, as they lie."""
    arrays: list[pickle.PickleBuffer] = []
    whole = pickle.dumps(message, 5, buffer_callback=arrays.append)
    sizes = [array.raw().nbytes for array in arrays]
    pipe.send_bytes(pickle.dumps(sizes))
    pipe.send_bytes(whole)
    for array in arrays:
        pipe.send_bytes(array.raw())


def receive(pipe: Connection) -> Any:
    """Return the next message of :func:`send`."""
    sizes: list[int] = pickle.loads(pipe.recv_bytes())
    whole = pipe.recv_bytes()
    arrays = [bytearray(size) for size in sizes]
    for array in arrays:
        pipe.recv_bytes_into(array)
    return pickle.loads(whole, buffers=arrays)


def _serve(pipe: Connection, function: Callable[..., Work[Any]], arguments: tuple[Any, ...]) -> None:
    _follow_parent()
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
        self._process = _start(self, context.Process(target=_serve, args=(theirs, function, arguments)))
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
            self._process.join()
            raise WorkerFailed(f"worker ended with exit code {self._process.exitcode}") from None
        if kind == "cancelled":
            raise Cancelled
        if kind == "input":
            raise InputError(value)
        if kind == "failed":
            raise WorkerFailed(value)
        return kind, value

    def stop(self) -> None:
        """End the process at once if it still runs, and free its resources."""
        _end(self._process)
        self.pipe.close()


def in_processes(calls: Sequence[tuple[Callable[..., Work[Any]], tuple[Any, ...]]]) -> Work[list[Any]]:
    """Run all *calls* at the same time, a process each; returns their results in order.

    The progress of the one that is furthest behind is yielded.
    """
    crew = _Crew(calls)
    try:
        while crew.busy:
            crew.hear(None)
            yield from crew.furthest_behind()
    finally:
        crew.stop()
    return crew.results


def together(own: Work[T], calls: Sequence[tuple[Callable[..., Work[T]], tuple[Any, ...]]]) -> Work[list[T]]:
    """Run *own* here while *calls* run in a process each; returns all results, that of *own* first.

    While processes start, which takes a third of a second each, this one already works.
    """
    crew = _Crew(calls)
    try:
        while True:
            try:
                progress = next(own)
            except StopIteration as end:
                first: T = end.value
                break
            crew.hear(0)
            yield progress
        while crew.busy:
            crew.hear(None)
            yield from crew.furthest_behind()
    finally:
        crew.stop()
    return [first, *crew.results]


class Tickets:
    """Hands out 0, 1, 2 ... to several processes, each number once."""

    def __init__(self) -> None:
        self._next = multiprocessing.get_context("spawn").Value("q", 0)

    def take(self, count: int) -> int:
        """Take *count* numbers and return the first of them."""
        with self._next.get_lock():
            first: int = self._next.value
            self._next.value = first + count
        return first


class _Crew:
    """Several workers, what they said last, and what they returned."""

    def __init__(self, calls: Sequence[tuple[Callable[..., Work[Any]], tuple[Any, ...]]]) -> None:
        self._workers = [Worker(function, *arguments) for function, arguments in calls]
        self._open: dict[Any, int] = {worker.pipe: index for index, worker in enumerate(self._workers)}
        self._latest: dict[int, Progress] = {}
        self.results: list[Any] = [None] * len(self._workers)

    @property
    def busy(self) -> bool:
        """Whether some have not returned yet."""
        return bool(self._open)

    def hear(self, timeout: float | None) -> None:
        """Take a message of each worker that has one; wait *timeout* seconds for one, None: for ever."""
        for pipe in wait(list(self._open), timeout):
            index = self._open[pipe]
            kind, value = self._workers[index].receive()
            if kind == "result":
                self.results[index] = value
                self._latest.pop(index, None)
                del self._open[pipe]
            else:
                self._latest[index] = value

    def furthest_behind(self) -> Iterator[Progress]:
        """Yield the progress of the worker with most left to do, if any has told."""
        if self._latest:
            yield min(self._latest.values(), key=lambda progress: progress.fraction or 0.0)

    def stop(self) -> None:
        """End all of them."""
        for worker in self._workers:
            worker.stop()


class Service:
    """One spawned process that stays and answers requests in order.

    A request is ``(function, arguments)`` with a plain importable *function*; the answer is what it
    returns. Starting a process costs a third of a second, answering a click must not.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = _start(self, context.Process(target=_answer, args=(theirs,)))
        theirs.close()

    def send(self, ticket: int, function: Callable[..., Any], *arguments: Any) -> None:
        """Ask for ``function(*arguments)``; the answer will carry *ticket*."""
        self.pipe.send((ticket, function, arguments))

    def receive(self) -> tuple[int, str, Any]:
        """Wait for the next answer: ticket and ``("result", value)``, ``("input", Problem)`` or
        ``("failed", traceback)``.

        Raises
        ------
        WorkerFailed
            If the process died.
        """
        try:
            return self.pipe.recv()  # type: ignore[no-any-return]
        except (EOFError, OSError):
            raise WorkerFailed("the service process ended") from None

    def stop(self) -> None:
        """End the process and free its resources."""
        _end(self._process)
        self.pipe.close()


def _answer(pipe: Connection) -> None:
    _follow_parent()
    while True:
        try:
            ticket, function, arguments = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            answer = ("result", function(*arguments))
        except InputError as error:
            answer = ("input", error.problem)
        except Exception:  # noqa: BLE001 - sent to the window, which shows it
            answer = ("failed", traceback.format_exc())
        pipe.send((ticket, *answer))
