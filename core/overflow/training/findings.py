"""What is to be said about the overflows of a training."""

from __future__ import annotations

from collections.abc import Iterator

from core.messages import Message
from core.overflow.training.limits import OverflowLimits
from core.records.training import Finding, Judgement, TrainingOverflow, Weight

_MANY = 0.99
"""Share of steps from which all are said to overflow."""


def findings_of(history: TrainingOverflow, table: OverflowLimits) -> Iterator[Finding]:
    """Yield the findings, those that matter most first."""
    yield from _collapse(history, table)
    yield from _share(history, table)
    yield from _static(history)
    yield from _start(history)
    yield from _circumstances(history, table)


def _collapse(history: TrainingOverflow, table: OverflowLimits) -> Iterator[Finding]:
    if history.collapse_step is None:
        return
    lowest = float(history.scales.min())
    parameters = {"step": history.collapse_step, "lowest": lowest}
    if lowest < table.smallest_scale:
        yield Finding(Weight.FAULT, Message("training.collapse_below", parameters))
    else:
        count = history.longest_fall
        yield Finding(Weight.FAULT, Message("training.collapse_falls", {"count": count, **parameters}))


def _share(history: TrainingOverflow, table: OverflowLimits) -> Iterator[Finding]:
    if history.judgement is Judgement.NOT_JUDGED:
        if history.overflowed:
            yield Finding(Weight.WARNING, Message("training.not_counted", {"count": history.overflowed}))
        else:
            yield Finding(Weight.NOTE, Message("training.nothing_told"))
        return
    facts = {
        "count": history.overflowed,
        "steps": history.steps,
        "rate": history.rate,
        "limit": history.limit,
    }
    if history.rate >= _MANY:
        yield Finding(Weight.FAULT, Message("training.every_step", {"steps": history.steps}))
    elif history.judgement is Judgement.FAIL:
        yield Finding(Weight.FAULT, Message("training.over_limit", facts))
        if history.overflowed <= history.steps / table.growth_interval + 1:
            natural = {"interval": int(table.growth_interval)}
            yield Finding(Weight.NOTE, Message("training.natural", natural))
    elif history.overflowed:
        yield Finding(Weight.NOTE, Message("training.under_limit", facts))
    else:
        yield Finding(Weight.NOTE, Message("training.none", {"steps": history.steps}))
    if history.global_batch is None and table.large_batch_limit <= history.rate < table.limit:
        large = {"limit": table.large_batch_limit, "batch": int(table.large_batch)}
        yield Finding(Weight.WARNING, Message("training.batch_unknown", large))


def _static(history: TrainingOverflow) -> Iterator[Finding]:
    if not history.static:
        return
    scale = {"scale": float(history.scales[0])}
    if scale["scale"] == 1.0:
        yield Finding(Weight.NOTE, Message("training.no_scaling"))
    elif history.overflowed:
        count = history.overflowed
        yield Finding(Weight.WARNING, Message("training.static_overflows", {"count": count, **scale}))
    else:
        yield Finding(Weight.NOTE, Message("training.static", scale))


def _start(history: TrainingOverflow) -> Iterator[Finding]:
    if not history.at_start or history.first_good is None:
        return
    yield Finding(
        Weight.NOTE,
        Message(
            "training.start",
            {"count": history.at_start, "step": history.first_good, "rate": history.rate_after_start},
        ),
    )
    before = history.scales[history.scale_steps <= history.first_good]
    if len(before) and before[-1] < before[0]:
        ends = {"first": float(before[0]), "last": float(before[-1])}
        yield Finding(Weight.NOTE, Message("training.start_scale", ends))


def _circumstances(history: TrainingOverflow, table: OverflowLimits) -> Iterator[Finding]:
    if history.repeated:
        yield Finding(Weight.NOTE, Message("training.repeated", {"count": history.repeated}))
    if not history.numbered and history.steps:
        yield Finding(Weight.NOTE, Message("training.unnumbered", {"count": history.steps}))
    if history.judgement is Judgement.FAIL and history.steps * history.limit < 1:
        yield Finding(Weight.NOTE, Message("training.few_steps", {"count": history.steps}))
