"""Work for the window's processes to do in tests; importable by name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from builders.overflow_reports import training
from numpy.typing import NDArray

from core.errors import InputError, Problem
from core.messages import Message
from core.metrics.inspection.sources import TensorFile
from core.progress import Progress, Work
from core.records.overflow import OverflowReport


def columns(count: int, length: int) -> Work[dict[str, NDArray[np.float64]]]:
    yield Progress(1, 2, Message("gui.progress.preparing"))
    return {str(number): np.arange(length, dtype=np.float64) + number for number in range(count)}


def given(value: dict[str, NDArray[np.float64]]) -> Work[dict[str, NDArray[np.float64]]]:
    yield Progress(1, 2, Message("gui.progress.preparing"))
    return value


def refusing(path: str) -> Work[None]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise InputError(Problem("file_empty", path))


def failing() -> Work[None]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise RuntimeError("planted")


def endless() -> Iterator[Progress]:
    done = 0
    while True:
        done += 1
        yield Progress(done, 0, Message("gui.progress.preparing"))
        time.sleep(0.01)


def slow_echo(value: int, seconds: float) -> int:
    time.sleep(seconds)
    return value


def dies() -> None:
    import os

    os._exit(3)


def reads_a_file_that_is_cut(path: str) -> Iterator[int]:
    """Map a tensor, then cut its file, as another process may; whoever opens it later finds it short."""
    import os

    handle = TensorFile(path).open()
    yield 0
    os.truncate(path, 4096)
    yield int(handle.flat(handle.size - 10, handle.size).sum())


def births(path: str) -> Work[OverflowReport]:
    """Answer as an overflow analysis of the result at *path* would: its name says how many ranks."""
    yield Progress(1, 2, Message("gui.progress.preparing"))
    return training(ranks=int(Path(path).stem.rsplit("_", 1)[-1]))


def endless_births(path: str) -> Work[OverflowReport]:
    yield from endless()
    return training()


def no_births(path: str) -> Work[OverflowReport]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise RuntimeError("planted")


def refused_births(path: str) -> Work[OverflowReport]:
    yield Progress(0, 1, Message("gui.progress.preparing"))
    raise InputError(Problem("file_empty", path))


def counting(until: int, pause: float) -> Iterator[int]:
    """Yield 0, 1, 2 ..., and return how many."""
    for number in range(until):
        time.sleep(pause)
        yield number
    return until
