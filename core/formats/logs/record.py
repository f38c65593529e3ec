"""What a line of a training log says, and the names of what it may say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Series(StrEnum):
    """Names of values that mean the same in every form of log. Others keep the name the log gives them."""

    LOSS = "loss"
    LEARNING_RATE = "learning_rate"
    GRAD_NORM = "grad_norm"
    GLOBAL_BATCH = "global_batch"
    LOSS_SCALE = "loss_scale"
    """The loss scale in force, or the new one where the line tells of a change."""
    ATTEMPTED_SCALE = "attempted_loss_scale"
    """The loss scale at which the step overflowed."""
    SKIPPED = "skipped"
    """Steps skipped since the record before."""
    SKIPPED_TOTAL = "skipped_total"
    """Steps skipped since the training began."""
    NAN_STEPS = "nan_steps"
    """Steps with a loss that is not finite since the record before."""
    OVERFLOW = "overflow"
    """1: the step overflowed and was skipped, 0: it did not."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One line that could be read."""

    values: Mapping[str, float]
    """By :class:`Series` or by the log's own name."""
    form: str
    """Name of the form that the line has."""
    step: int | None = None
    """``None`` where the line does not say."""
    event: bool = False
    """The line tells of something that happened, and is none of those that come every step or interval."""
    rank: int = -1
    """Which rank wrote the line, -1 where it does not say."""
