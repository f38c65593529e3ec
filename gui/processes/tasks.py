"""Long work in other processes, as seen from the window's thread, with progress and cancel.

What it says is received by a thread that does nothing but receive, so that unpickling never blocks painting.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal

from core.errors import InputError
from core.progress import Progress, Work
from core.workers.processes import WorkerFailed
from core.workers.worker import Worker
from gui.processes.transfer import Assembly, Head, Piece, in_pieces

_IN_PIECES: Callable[..., Any] = in_pieces  # yields pieces beside its progress


class Job(QThread):
    """One run of ``function(*arguments)`` in a process of its own.

    ``generation`` grows with every job, so that a receiver knows a late signal from a current one.
    """

    progressed = Signal(int, object)
    """Generation and :class:`core.progress.Progress`."""
    succeeded = Signal(int, object)
    rejected = Signal(int, object)
    """Generation and the :class:`core.errors.Problem` that kept anything from being opened."""
    crashed = Signal(int, str)
    """Generation and a traceback: a bug, not the user's file."""

    def __init__(
        self, parent: QObject, generation: int, function: Callable[..., Work[Any]], arguments: tuple[Any, ...]
    ) -> None:
        super().__init__(parent)
        self.generation = generation
        self._function, self._arguments = function, arguments
        self._wake, self._waker = multiprocessing.Pipe(duplex=False)

    def cancel(self) -> None:
        """End the process; no signal follows that a receiver should heed."""
        self.requestInterruption()
        if not self._waker.closed:
            self._waker.send_bytes(b".")

    def run(self) -> None:
        """Receive until the end; runs in the thread."""
        try:
            worker = Worker(_IN_PIECES, self._function, *self._arguments)
        except Exception:  # noqa: BLE001 - no process to be had, or nothing that can be sent to one
            self._unless_cancelled(self.crashed, traceback.format_exc())
            return
        try:
            self._receive(worker)
        except InputError as error:
            self._unless_cancelled(self.rejected, error.problem)
        except WorkerFailed as error:
            self._unless_cancelled(self.crashed, str(error))
        except Exception:  # noqa: BLE001 - whatever came through the pipe, the window must not wait for ever
            self._unless_cancelled(self.crashed, traceback.format_exc())
        finally:
            worker.stop()

    def _receive(self, worker: Worker) -> None:
        assembly = Assembly()
        while True:
            ready = wait([worker.pipe, self._wake])
            if self._wake in ready or self.isInterruptionRequested():
                return
            kind, value = worker.receive()
            if isinstance(value, Piece):
                assembly.add(value)
            elif isinstance(value, Progress):
                self.progressed.emit(self.generation, value)
            elif kind == "result" and isinstance(value, Head):
                self._unless_cancelled(self.succeeded, assembly.value(value.data))
                return

    def _unless_cancelled(self, signal: Any, value: Any) -> None:
        if not self.isInterruptionRequested():
            signal.emit(self.generation, value)

    def close(self) -> None:
        """Cancel if need be, wait for the thread and free the pipes."""
        self.cancel()
        self.wait()
        self._wake.close()
        self._waker.close()


class Tasks(QObject):
    """Starts jobs, and ends them all when the window closes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generation = 0
        self._jobs: list[Job] = []

    def start(self, function: Callable[..., Work[Any]], *arguments: Any) -> Job:
        """Make a job; the caller connects to it and calls ``start()``."""
        self._generation += 1
        job = Job(self, self._generation, function, arguments)
        job.finished.connect(self._collect)
        self._jobs.append(job)
        return job

    @property
    def idle(self) -> bool:
        """Whether no job is left: one that an answer gave rise to is there before its own is gone."""
        return not self._jobs

    def _collect(self) -> None:
        for job in [job for job in self._jobs if job.isFinished()]:
            self._jobs.remove(job)
            job.close()
            job.deleteLater()

    def close(self) -> None:
        """End all jobs and wait for them."""
        for job in self._jobs:
            job.cancel()
        for job in self._jobs:
            job.close()
            job.deleteLater()
        self._jobs.clear()
