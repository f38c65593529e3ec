"""What a line of a training log says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One line that could be read."""

    values: Mapping[str, float]
    """By :class:`~core.records.series.Series` or by the log's own name."""
    form: str
    """Name of the form that the line has."""
    step: int | None = None
    """``None`` where the line does not say."""
    event: bool = False
    """The line tells of something that happened, and is none of those that come every step or interval."""
    rank: int = -1
    """Which rank wrote the line, -1 where it does not say."""
