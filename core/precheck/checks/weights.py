"""Whether both runs begin with the same weights, by their checkpoints or statistics of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.errors import Problem
from core.messages import Message, Parameter
from core.precheck.checks.missing import without_weights
from core.precheck.checks.numbers import percent
from core.precheck.checks.setting_findings import finding_of
from core.precheck.checks.setting_items import compare, rows_of
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.precheck.weights.comparing import WeightComparison, WeightPair, WeightState, compare_weights
from core.progress import Work
from core.records.evidence import EvidenceKind, WeightTable
from core.records.precheck import Item, Outcome, Standing

_STANDINGS = {
    WeightState.EQUAL: Standing.EQUAL,
    WeightState.NOT_FINITE: Standing.REMARK,
    WeightState.EXTREMES: Standing.REMARK,
    WeightState.SUMS: Standing.REMARK,
    WeightState.FORMAT: Standing.REMARK,
    WeightState.ROUNDED: Standing.REMARK,
    WeightState.COPY: Standing.REMARK,
    WeightState.COMPUTED: Standing.REMARK,
    WeightState.DIFFERS: Standing.DIFFERS,
    WeightState.SPECIAL: Standing.DIFFERS,
    WeightState.SHAPE: Standing.DIFFERS,
    WeightState.PARTED: Standing.UNKNOWN,
    WeightState.UNKNOWN: Standing.UNKNOWN,
    WeightState.UNTOLD: Standing.UNKNOWN,
    WeightState.LACKING: Standing.UNKNOWN,
    WeightState.TARGET_ONLY: Standing.TARGET_ONLY,
    WeightState.GOLDEN_ONLY: Standing.GOLDEN_ONLY,
}
_SAME = (
    WeightState.EQUAL, WeightState.NOT_FINITE, WeightState.EXTREMES, WeightState.SUMS, WeightState.FORMAT,
    WeightState.ROUNDED,
)  # fmt: skip
_DIFFERENT = (WeightState.DIFFERS, WeightState.SPECIAL, WeightState.SHAPE)
_ONE_SIDED = (WeightState.TARGET_ONLY, WeightState.GOLDEN_ONLY)


_UNKNOWN = (WeightState.PARTED, WeightState.UNKNOWN, WeightState.UNTOLD, WeightState.LACKING)
_TOLD_APART = (
    WeightState.NOT_FINITE, WeightState.ROUNDED, WeightState.EXTREMES, WeightState.COPY, WeightState.SPECIAL,
)  # fmt: skip
"""States that a remark of the row counts."""
_NOT_THERE = ("file_missing", "weights_parts_missing")
_SPLIT = ("tensor_parallel", "expert_parallel")
"""Settings by which a rank holds parts of tensors, or other tensors."""


def initial(pair: Pair) -> Work[Finding]:
    """Check that the initial weights have the same names and the same numbers.

    It passes only where the weights of both sides are known as a whole: no file broken or missing, and no
    tensor that two files of a side hold with other numbers.
    """
    sides = pair.target, pair.golden
    tables = [_tables(side) for side in sides]
    if not all(tables):
        broken = [problem for side in sides for problem in _problems(side, None)]
        said = compare(pair, rows_of("weights.initial"))
        if said.failing:
            return replace(finding_of(pair, said), remarks=_details(broken))
        without = without_weights(target=bool(tables[0]), golden=bool(tables[1]))
        if broken:
            without = not_done(Message("precheck.weights.initial.unread", {"path": broken[0].path}))
        return replace(without, items=said.items, remarks=_details(broken))
    comparison = yield from compare_weights(
        tables[0], tables[1], pair.limits.sum_tolerance, parallel=any(map(_is_split, sides))
    )
    doubts = [
        [*_problems(side, step), *found]
        for side, step, found in zip(sides, comparison.steps, comparison.doubts)
    ]
    return _found(replace(comparison, pairs=tuple(_certain(comparison.pairs, doubts))), doubts)


def _tables(side: Side) -> Sequence[WeightTable]:
    return [item.weights for item in side.of_kind(EvidenceKind.WEIGHTS) if item.weights is not None]


def _problems(side: Side, step: int | None) -> Iterator[Problem]:
    """Yield what is wrong with the weights that *side* brought, those of other steps left out."""
    for item in side.of_kind(EvidenceKind.WEIGHTS):
        if item.weights is None or item.weights.step == step:
            yield from item.problems


def _is_split(side: Side) -> bool:
    known = [side.configuration.get(name) for name in _SPLIT]
    may_be = any(map(side.configuration.is_open, _SPLIT))
    return may_be or any(isinstance(one.value, int) and one.value > 1 for one in known if one is not None)


def _certain(pairs: Iterable[WeightPair], doubts: Sequence[Sequence[Problem]]) -> Iterator[WeightPair]:
    """Yield *pairs*: what a side lacks whose weights are not known as a whole may stand in what is lost."""
    for pair in pairs:
        lost = (pair.state is WeightState.TARGET_ONLY and doubts[1]) or (
            pair.state is WeightState.GOLDEN_ONLY and doubts[0]
        )
        yield pair._replace(state=WeightState.LACKING) if lost else pair


def _found(comparison: WeightComparison, doubts: Sequence[Sequence[Problem]]) -> Finding:
    counts = Counter(pair.state for pair in comparison.pairs)
    same, different, alone, unknown = (
        sum(counts[state] for state in states) for states in (_SAME, _DIFFERENT, _ONE_SIDED, _UNKNOWN)
    )
    told: dict[str, Parameter] = {"count": len(comparison.pairs), "same": same}
    problems = [problem for side in doubts for problem in side]
    twice = [problem for problem in problems if problem.code == "weights_twice"]
    result = Outcome.FAIL
    if twice:
        result = Outcome.NOT_DONE
        side = "target" if twice[0] in doubts[0] else "golden"
        told |= {"path": twice[0].path, **twice[0].parameters}
        message = Message(f"precheck.weights.initial.twice.{side}", told)
    elif different:
        first = _first(comparison, *_DIFFERENT)
        told |= {"different": different, "first": first.name}
        message = Message("precheck.weights.initial.fail", told)
    elif alone:
        first = _first(comparison, *_ONE_SIDED)
        which = "target" if first.state is WeightState.TARGET_ONLY else "golden"
        told |= {"alone": alone, "first": first.name or first.golden_name}
        message = Message(f"precheck.weights.initial.one_sided.{which}", told)
    elif problems:
        result = Outcome.NOT_DONE
        told["path"] = problems[0].path
        word = "parts" if problems[0].code in _NOT_THERE else "broken"
        message = Message(f"precheck.weights.initial.not_whole.{word}", told)
    elif unknown or not same:
        result = Outcome.NOT_DONE
        told["unknown"] = unknown
        word = "parted" if counts[WeightState.PARTED] else "unknown"
        message = Message(f"precheck.weights.initial.{word}", told)
    else:
        result, message = Outcome.PASS, Message("precheck.weights.initial.pass", {"count": same})
    items = [_item(pair) for pair in comparison.pairs]
    return Finding(result, message, items, (*_remarks(comparison, counts), *_details(problems)))


def _details(problems: Iterable[Problem]) -> tuple[Message, ...]:
    """Return what is wrong, each once: both sides may have brought one file."""
    told: list[Message] = []
    for problem in problems:
        if (detail := problem.detail) not in told:
            told.append(detail)
    return tuple(told)


def _first(comparison: WeightComparison, *states: WeightState) -> WeightPair:
    return next(pair for pair in comparison.pairs if pair.state in states)


def _remarks(comparison: WeightComparison, counts: Counter[WeightState]) -> list[Message]:
    made = []
    if comparison.wrappers:
        names = " ".join(comparison.wrappers)
        made.append(Message("precheck.weights.initial.wrappers", {"names": names}))
    made += [
        Message(f"precheck.weights.initial.{state}", {"count": counts[state]})
        for state in _TOLD_APART
        if counts[state]
    ]
    if counts[WeightState.SUMS]:
        made.append(Message("precheck.outside.only_sums", {"count": counts[WeightState.SUMS]}))
    steps = comparison.steps
    if steps[0] != steps[1]:
        told = {"target": str(steps[0]), "golden": str(steps[1])}
        made.append(Message("precheck.weights.initial.steps", told))
    elif steps[0] > 0:
        made.append(Message("precheck.weights.initial.later", {"step": steps[0]}))
    return [*made, *(problem.detail for problem in comparison.problems)]


def _item(pair: WeightPair) -> Item:
    remark = None
    if pair.state is WeightState.DIFFERS and math.isfinite(pair.error) and pair.error:
        remark = Message("precheck.outside.error", {"error": percent(pair.error)})
    elif pair.state not in (WeightState.EQUAL, WeightState.DIFFERS, *_ONE_SIDED):
        remark = Message(f"precheck.weights.initial.state.{pair.state}")
    return Item(
        pair.name or pair.golden_name,
        pair.target,
        pair.golden,
        _STANDINGS[pair.state],
        pair.target_place,
        pair.golden_place,
        remark,
    )
