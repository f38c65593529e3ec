"""What runs in worker processes for the training view: the core's jobs.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.progress import Work
from core.records.training import TrainingOverflow

if TYPE_CHECKING:
    from core.overflow.training.limits import OverflowLimits


class FoundLog(NamedTuple):
    """A training log that lies near what is open."""

    path: str
    size: int
    """Bytes."""


def find_logs(paths: tuple[str, ...]) -> Work[list[FoundLog]]:
    """Look for training logs in and beside the dumps *paths*."""
    from core.formats.logs.nearby import logs_near

    found = yield from logs_near(paths)
    return [FoundLog(path, Path(path).stat().st_size) for path in found if Path(path).is_file()]


class Sorted(NamedTuple):
    """What of several files and folders is what; the rest is neither."""

    logs: tuple[str, ...] = ()
    monitors: tuple[str, ...] = ()


def sort_out(paths: list[str]) -> Work[Sorted]:
    """Tell which of *paths* are training logs, and which what a monitor wrote, by some of their content."""
    from core.formats.logs.reading import is_training_log
    from core.formats.monitors.reading import is_monitor

    yield from ()
    logs = tuple(path for path in paths if is_training_log(path))
    return Sorted(logs, tuple(path for path in paths if path not in logs and is_monitor(path)))


def history_of_log(path: str, limits: OverflowLimits) -> Work[TrainingOverflow]:
    """Read and judge the training log at *path*."""
    from core.overflow import jobs

    return (yield from jobs.history_of_log(path, limits))
