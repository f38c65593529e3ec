"""Several pieces of work at the same time, a process each."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any, TypeVar

from core.progress import Progress, Work
from core.workers.worker import Worker

T = TypeVar("T")


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
