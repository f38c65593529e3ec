"""From findings to an answer: their order, the verdict, the first bad step, the sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.messages import Message
from core.records.curves import CurveFinding, FindingName, Span
from core.records.training import Judgement, Weight

_WEIGHTS = (Weight.FAULT, Weight.WARNING, Weight.NOTE)
_ORDER = (
    FindingName.LEARNING_RATE,
    FindingName.BATCH_SIZE,
    FindingName.GOLDEN_BROKEN,
    FindingName.NOT_FINITE,
    FindingName.ZERO_LOSS,
    FindingName.CONSTANT,
    FindingName.SCALE_COLLAPSE,
    FindingName.HUGE_LOSS,
    FindingName.CONSTANT_RATIO,
    FindingName.FIRST_STEP,
    FindingName.NO_CONVERGENCE,
    FindingName.JUMP_AT_RESUME,
    FindingName.OVER_LIMIT,
    FindingName.OUTSIDE_BAND,
    FindingName.DRIFT,
    FindingName.SPIKE,
    FindingName.BIAS,
    FindingName.PERIODIC_SWING,
    FindingName.SLOW_CONVERGENCE,
    FindingName.OVERFLOW_RATE,
    FindingName.SCALE_SEARCH,
    FindingName.MISSING,
    FindingName.METRIC,
)
"""Causes before effects, the loss before what describes it; findings that are not here come last."""
_DESCRIBE = (
    FindingName.LEARNING_RATE,
    FindingName.NO_CONVERGENCE,
    FindingName.SLOW_CONVERGENCE,
    FindingName.PERIODIC_SWING,
)
"""Findings of the whole run: their step is where it begins, and no step goes wrong there."""


def in_order(findings: Iterable[CurveFinding]) -> tuple[CurveFinding, ...]:
    """Return *findings*, those that matter most first."""

    def rank(finding: CurveFinding) -> tuple[int, int, int]:
        place = _ORDER.index(finding.name) if finding.name in _ORDER else len(_ORDER)
        return _WEIGHTS.index(finding.weight), place, finding.step if finding.step is not None else -1

    return tuple(sorted(findings, key=rank))


def verdict_of(findings: Sequence[CurveFinding]) -> Judgement:
    """Return whether a finding is a fault."""
    return Judgement.FAIL if any(finding.weight is Weight.FAULT for finding in findings) else Judgement.PASS


def first_bad_step(findings: Sequence[CurveFinding]) -> int | None:
    """Return the first step at which something goes wrong; ``None`` where nothing does."""
    faults = [finding for finding in findings if finding.weight is Weight.FAULT]
    located = [item.step for item in faults if item.step is not None and item.name not in _DESCRIBE]
    if located:
        return min(located)
    others = [item.step for item in faults if item.step is not None]
    others += [int(item.facts["first"]) for item in faults if "first" in item.facts]
    return min(others, default=None)


def sentence_of(findings: Sequence[CurveFinding], whole: Span | None, steps: int) -> Message:
    """Return the answer in one sentence: the first fault, or how well the curves agree."""
    if findings and findings[0].weight is Weight.FAULT:
        return findings[0].message
    if whole is None or not whole.steps:
        return Message("curves.sentence.nothing")
    if whole.largest_relative == 0:
        return Message("curves.sentence.equal", {"count": steps})
    facts = {"mean": 100 * whole.mean_relative, "largest": 100 * whole.largest_relative}
    return Message("curves.sentence.pass", {"steps": steps, "at": whole.largest_step, **facts})
