"""How often a training overflowed, and what became of its loss scale, by its log."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np

from core.errors import InputError, Problem
from core.formats.logs.reading import is_training_log, read_log
from core.overflow.training.findings import findings_of
from core.overflow.training.limits import OverflowLimits, shipped_limits
from core.overflow.training.steps import StepRecord, StepSequence, sequence_of
from core.records.training import Judgement, TrainingOverflow

__all__ = ["is_training_log", "judged_by", "longest_fall", "overflow_history"]


def overflow_history(path: str, limits: OverflowLimits | None = None) -> TrainingOverflow:
    """Read the training log at *path* and judge its overflows by *limits* (default: the shipped ones).

    Raises
    ------
    InputError
        ``log_unreadable``, ``log_state_broken``, ``log_state_too_large``, ``log_without_steps``.
    """
    table = limits or shipped_limits()
    sequence = sequence_of(read_log(path))
    if not sequence.records and sequence.trailing is None:
        raise InputError(Problem("log_without_steps", path))
    interval, counts = _overflows(sequence)
    steps = _steps(sequence.records, interval) + (counts[-1][1] if sequence.trailing else 0)
    steps = steps if sequence.records else 0
    bad = [(step, count) for step, count in counts if count]
    overflowed = sum(count for _, count in bad)
    at_start, first_good = _start(counts, interval)
    scale_steps, scales = _scales(sequence)
    after = first_good if first_good is not None else -math.inf
    falls, begun = longest_fall(scale_steps, scales, after, table)
    static = _is_static(scales, steps, overflowed, table)
    judged = bool(steps) and sequence.informing
    made = TrainingOverflow(
        path=path,
        forms=tuple(sorted(sequence.forms)),
        steps=steps,
        numbered=sequence.numbered,
        interval=interval,
        repeated=sequence.repeated,
        overflowed=overflowed,
        at_start=at_start,
        first_good=first_good,
        overflow_steps=np.array([step for step, _ in bad], np.int64),
        overflow_counts=np.array([count for _, count in bad], np.int64),
        scale_steps=np.array(scale_steps, np.int64),
        scales=np.array(scales, np.float64),
        global_batch=sequence.global_batch,
        static=static,
        longest_fall=falls,
        collapse_step=begun,
        limit=table.limit,
        judgement=Judgement.PASS if judged else Judgement.NOT_JUDGED,
        findings=(),
        told=sequence.counting or (sequence.normed and interval == 1),
    )
    return judged_by(made, table)


def judged_by(history: TrainingOverflow, limits: OverflowLimits) -> TrainingOverflow:
    """Return *history* judged by the shares and the batch size of *limits*; its log is not read again.

    What is called a collapse or a fixed scale stays as it was found when the log was read.
    """
    large = history.global_batch is not None and history.global_batch >= limits.large_batch
    limit = limits.large_batch_limit if large else limits.limit
    judgement = history.judgement
    if judgement is not Judgement.NOT_JUDGED:
        judgement = _judge(history.overflowed, history.steps, limit)
    made = replace(history, limit=limit, judgement=judgement)
    return replace(made, findings=tuple(findings_of(made, limits)))


def _overflows(sequence: StepSequence) -> tuple[int, list[tuple[int, int]]]:
    """Return the interval of the records, and how many steps overflowed up to each record."""
    records = sequence.records
    gaps = Counter(after.step - before.step for before, after in pairwise(records))
    interval = max(gaps.most_common(1)[0][0], 1) if gaps else 1
    counts: list[tuple[int, int]] = []
    total_before: int | None = 0
    for number, record in enumerate(records):
        count = record.skipped
        if record.total is not None:
            # What was skipped before a resumed log begins is not of this log.
            known = total_before if number or record.step <= interval else record.total
            count = max(count, record.total - known if known is not None else 0)
            total_before = record.total
        covered = record.step - records[number - 1].step if number else max(min(record.step, interval), 1)
        counts.append((record.step, min(count, max(covered, 1))))
    if sequence.trailing is not None:
        counts.append((sequence.trailing.step, sequence.trailing.skipped))
    return interval, counts


def _steps(records: list[StepRecord], interval: int) -> int:
    """Return how many steps the records account for."""
    if not records:
        return 0
    first = max(min(records[0].step, interval), 1)
    return records[-1].step - records[0].step + first


def _start(counts: list[tuple[int, int]], interval: int) -> tuple[int, int | None]:
    """Return how many steps overflowed before the first good one, and which step that is."""
    overflowed = 0
    for number, (step, count) in enumerate(counts):
        covered = step - counts[number - 1][0] if number else max(min(step, interval), 1)
        overflowed += count
        if count < covered:
            good = step - covered + count + 1
            return (overflowed, good) if overflowed else (0, None)
    return overflowed, None


def _scales(sequence: StepSequence) -> tuple[list[int], list[float]]:
    records = [*sequence.records, *([sequence.trailing] if sequence.trailing else [])]
    found = [(record.step, scale) for record in records for scale in record.scales]
    return [step for step, _ in found], [scale for _, scale in found]


def longest_fall(
    steps: list[int], scales: list[float], after: float, table: OverflowLimits
) -> tuple[int, int | None]:
    """Return the most falls without a rise, from step *after* on, and where a collapse begins.

    A collapse is a fall of ``consecutive_falls``, or one that ends below ``smallest_scale``.
    """
    longest = falls = 0
    begun: int | None = None
    collapse: int | None = None
    for step, before, scale in zip(steps[1:], scales, scales[1:]):
        if step < after or scale > before:
            falls, begun = 0, None
        if scale < before and step >= after:
            begun = begun if falls else step
            falls += 1
            longest = max(longest, falls)
        if scale < before and (falls >= table.consecutive_falls or scale < table.smallest_scale <= before):
            collapse = collapse if collapse is not None else (begun if begun is not None else step)
    return longest, collapse


def _is_static(scales: list[float], steps: int, overflowed: int, table: OverflowLimits) -> bool | None:
    """Whether the scale stays although it should have fallen or grown; ``None`` where nothing shows it."""
    if not scales:
        return None
    if len(set(scales)) > 1:
        return False
    # A dynamic scale may stay for one overflow or two: some trainers wait for a second one (hysteresis).
    return True if overflowed > 2 or steps > 2 * table.growth_interval else None


def _judge(overflowed: int, steps: int, limit: float) -> Judgement:
    return Judgement.PASS if overflowed / steps < limit else Judgement.FAIL
