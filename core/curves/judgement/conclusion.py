"""From findings to an answer: their order, the verdict, the first bad step, the sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.messages import Message, Parameter
from core.records.curves import CurveFinding, FindingName, SeriesJudgement
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
_MOST_MISSING = 0.5
"""Share of steps that could not be compared from which there is no verdict."""
_FEW = 10
"""Steps below which an agreement says little of a training."""
_SETTINGS = (FindingName.LEARNING_RATE, FindingName.BATCH_SIZE, FindingName.GOLDEN_BROKEN)
"""Named before anything that happens at a step."""
_DESCRIBE = (
    FindingName.NO_CONVERGENCE,
    FindingName.SLOW_CONVERGENCE,
    FindingName.PERIODIC_SWING,
    FindingName.DRIFT,
    FindingName.BIAS,
)
"""Findings of the whole run: their step is where it begins, and no step goes wrong there."""


def in_order(findings: Iterable[CurveFinding]) -> tuple[CurveFinding, ...]:
    """Return *findings*, those that matter most first."""

    def rank(finding: CurveFinding) -> tuple[int, int, int, int]:
        place = _ORDER.index(finding.name) if finding.name in _ORDER else len(_ORDER)
        located = finding.step is not None and finding.name not in _DESCRIBE
        group = 0 if finding.name in _SETTINGS else 1 if located else 2
        step = finding.step if group == 1 and finding.step is not None else -1
        return _WEIGHTS.index(finding.weight), group, step, place

    return tuple(sorted(findings, key=rank))


def verdict_of(findings: Sequence[CurveFinding], lead: SeriesJudgement | None) -> Judgement:
    """Return fail where a finding is a fault; without a loss, or with most steps missing, nothing passes."""
    if any(finding.weight is Weight.FAULT for finding in findings):
        return Judgement.FAIL
    sparse = any(
        finding.name is FindingName.COVERAGE and float(finding.facts["share"]) > _MOST_MISSING
        for finding in findings
    )
    judged = lead is not None and lead.whole.steps > 0 and not sparse
    return Judgement.PASS if judged else Judgement.NOT_JUDGED


def first_bad_step(findings: Sequence[CurveFinding]) -> int | None:
    """Return the first step at which something goes wrong; ``None`` where nothing does."""
    faults = [finding for finding in findings if finding.weight is Weight.FAULT]
    apart = (*_DESCRIBE, FindingName.LEARNING_RATE)
    located = [item.step for item in faults if item.step is not None and item.name not in apart]
    if located:
        return min(located)
    others = [item.step for item in faults if item.step is not None]
    others += [int(item.facts["first"]) for item in faults if "first" in item.facts]
    return min(others, default=None)


def sentence_of(
    findings: Sequence[CurveFinding], lead: SeriesJudgement | None, verdict: Judgement
) -> Message:
    """Return the answer in one sentence: the first fault, what keeps from a verdict, or how well it fits."""
    if verdict is Judgement.FAIL:
        return findings[0].message
    telling = (FindingName.NO_LOSS, FindingName.COVERAGE)
    reasons = [finding.message for finding in findings if finding.name in telling]
    if verdict is Judgement.NOT_JUDGED or lead is None:
        return reasons[0] if reasons else Message("curves.sentence.nothing")
    whole, steps = lead.whole, len(lead.paired.x)
    if steps < _FEW:
        largest = 100 * whole.largest_relative
        few: dict[str, Parameter] = {"count": steps, "series": lead.name, "largest": largest}
        return Message("curves.sentence.few", few)
    if whole.largest_relative == 0:
        return Message("curves.sentence.equal", {"count": steps, "series": lead.name})
    facts = {"mean": 100 * whole.mean_relative, "largest": 100 * whole.largest_relative}
    facts |= {"at": whole.largest_step, "count": steps}
    if lead.band is not None:
        band = 100 * lead.band.typical
        return Message("curves.sentence.pass_in_band", {"series": lead.name, "band": band, **facts})
    return Message("curves.sentence.pass", {"series": lead.name, **facts})
