"""Spawned processes and the pipes to them: how one starts, ends with its owner, and is sent arrays."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import weakref
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

_LAST_BREATH = 5.0
"""Seconds at most between the end of a process's pipe and its own."""


class WorkerFailed(RuntimeError):
    """A worker process died or raised; the text is its traceback or exit code."""


class FileShortened(WorkerFailed):
    """A worker died as it read a file that had become shorter; whatever opens that file again says which."""


def why_it_ended(process: SpawnProcess, name: str) -> WorkerFailed:
    """Return what to raise as *process*, called *name*, ended without a word."""
    process.join(_LAST_BREATH)
    # Reading a mapped file beyond its end raises this signal, which Python cannot survive.
    shortened = hasattr(signal, "SIGBUS") and process.exitcode == -signal.SIGBUS
    kind = FileShortened if shortened else WorkerFailed
    return kind(f"{name} ended with exit code {process.exitcode}")


def start(owner: object, process: SpawnProcess) -> SpawnProcess:
    """Start *process*; it ends with *owner*, or with this process however that ends.

    It is no daemon, for a daemon may not start workers of its own.
    """
    process.start()
    weakref.finalize(owner, end, process)  # also at exit, before multiprocessing would wait for it
    return process


def end(process: SpawnProcess) -> None:
    """End *process* at once if it still runs."""
    if process.is_alive():
        process.terminate()
    process.join()


def follow_parent() -> None:
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
