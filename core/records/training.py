"""What the log of a training says about overflow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.messages import Message
from core.records.columns import Float64, Int64


class Judgement(StrEnum):
    """What a share of overflowed steps is called; the words of the checklist that it comes from are
    通过, 不通过 and 未进行.
    """

    PASS = "pass"
    FAIL = "fail"
    NOT_JUDGED = "not_judged"


class Weight(StrEnum):
    """How much a finding matters."""

    FAULT = "fault"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about the training."""

    weight: Weight
    message: Message


@dataclass(frozen=True)
class TrainingOverflow:
    """Overflow and loss scale over the steps of one log."""

    path: str
    forms: tuple[str, ...]
    """Forms of lines that the log holds, sorted."""
    steps: int
    """Steps that the log accounts for, each once; 0 where it counts none."""
    numbered: bool
    """The log numbers its steps; False: its records were counted."""
    interval: int
    """Steps between two records."""
    repeated: int
    """Steps that a later part of the log ran again, after a restart; the later ones count."""
    overflowed: int
    """Steps that were skipped, or whose loss or gradient norm is not finite."""
    at_start: int
    """Of these, the ones before the first good step: a dynamic loss scale finds its value."""
    first_good: int | None
    """The first step that did not overflow, where overflow came before it."""
    overflow_steps: Int64
    """Records in which steps overflowed, by their step."""
    overflow_counts: Int64
    """How many did, a number for each of ``overflow_steps``."""
    scale_steps: Int64
    """Steps at which a loss scale is known, growing."""
    scales: Float64
    global_batch: int | None
    """Global batch size, the largest that the log names; ``None`` where it names none."""
    static: bool | None
    """The loss scale is fixed; ``None`` where the log does not show it."""
    longest_fall: int
    """Most falls of the loss scale without a rise between them, after the start."""
    collapse_step: int | None
    """Where the loss scale begins the fall that is called a collapse."""
    limit: float
    """The share of overflowed steps that must not be reached."""
    judgement: Judgement
    findings: tuple[Finding, ...]
    told: bool = True
    """The log tells of each step whether it overflowed: it counts so, logs a loss scale, or the gradient norm
    of each step. Else only a loss that is no number shows that one did.
    """

    @property
    def rate(self) -> float:
        """Share of steps that overflowed; NaN where no steps are counted."""
        return self.overflowed / self.steps if self.steps else float("nan")

    @property
    def rate_after_start(self) -> float:
        """The same without the steps before the first good one."""
        left = self.steps - self.at_start
        return (self.overflowed - self.at_start) / left if left > 0 else float("nan")
