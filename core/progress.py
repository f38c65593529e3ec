"""How far a long piece of work is.

Core work is a generator that yields :class:`Progress` and returns its result. The window and the
command line drive the same generator; closing it cancels the work.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

from core.messages import Message

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """*done* of *total* units of the work that *message* names; *total* 0 means not known yet."""

    done: int
    total: int
    message: Message

    @property
    def fraction(self) -> float | None:
        """Share done in [0, 1], or ``None`` while the total is not known."""
        return min(self.done / self.total, 1.0) if self.total > 0 else None


Work = Generator[Progress, None, T]
"""A long piece of work: yields its progress, returns its result."""


def run_to_end(work: Work[T], report: Callable[[Progress], None] | None = None) -> T:
    """Drive *work* to its end and return its result, passing each progress to *report*."""
    while True:
        try:
            progress = next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if report is not None:
            report(progress)
