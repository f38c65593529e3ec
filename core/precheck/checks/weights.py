"""Whether both runs begin with the same weights, by their checkpoints or statistics of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from core.messages import Message, Parameter
from core.precheck.checks.missing import without_weights
from core.precheck.checks.numbers import percent
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.weights.comparing import WeightComparison, WeightPair, WeightState, compare_weights
from core.progress import Work
from core.records.evidence import EvidenceKind, WeightTable
from core.records.precheck import Item, Outcome, Standing

_STANDINGS = {
    WeightState.EQUAL: Standing.EQUAL,
    WeightState.SUMS: Standing.REMARK,
    WeightState.FORMAT: Standing.REMARK,
    WeightState.ROUNDED: Standing.REMARK,
    WeightState.COPY: Standing.REMARK,
    WeightState.COMPUTED: Standing.REMARK,
    WeightState.DIFFERS: Standing.DIFFERS,
    WeightState.SHAPE: Standing.DIFFERS,
    WeightState.PARTED: Standing.UNKNOWN,
    WeightState.UNKNOWN: Standing.UNKNOWN,
    WeightState.TARGET_ONLY: Standing.TARGET_ONLY,
    WeightState.GOLDEN_ONLY: Standing.GOLDEN_ONLY,
}
_SAME = (WeightState.EQUAL, WeightState.SUMS, WeightState.FORMAT, WeightState.ROUNDED)
_ONE_SIDED = (WeightState.TARGET_ONLY, WeightState.GOLDEN_ONLY)


def initial(pair: Pair) -> Work[Finding]:
    """Check that the initial weights have the same names and the same numbers."""
    tables = [_tables(side) for side in (pair.target, pair.golden)]
    if not all(tables):
        return without_weights(target=bool(tables[0]), golden=bool(tables[1]))
    comparison = yield from compare_weights(tables[0], tables[1], pair.limits.sum_tolerance)
    return _found(comparison)


def _tables(side: Side) -> Sequence[WeightTable]:
    return [item.weights for item in side.of_kind(EvidenceKind.WEIGHTS) if item.weights is not None]


def _found(comparison: WeightComparison) -> Finding:
    counts = Counter(pair.state for pair in comparison.pairs)
    same = sum(counts[state] for state in _SAME)
    different = counts[WeightState.DIFFERS] + counts[WeightState.SHAPE]
    alone = sum(counts[state] for state in _ONE_SIDED)
    unknown = counts[WeightState.PARTED] + counts[WeightState.UNKNOWN]
    told: dict[str, Parameter] = {"count": len(comparison.pairs), "same": same}
    result = Outcome.FAIL
    if different:
        first = _first(comparison, WeightState.DIFFERS, WeightState.SHAPE)
        told |= {"different": different, "first": first.name}
        message = Message("precheck.weights.initial.fail", told)
    elif alone:
        first = _first(comparison, *_ONE_SIDED)
        which = "target" if first.state is WeightState.TARGET_ONLY else "golden"
        told |= {"alone": alone, "first": first.name or first.golden_name}
        message = Message(f"precheck.weights.initial.one_sided.{which}", told)
    elif unknown or not same:
        result = Outcome.NOT_DONE
        told["unknown"] = unknown
        word = "parted" if counts[WeightState.PARTED] else "unknown"
        message = Message(f"precheck.weights.initial.{word}", told)
    else:
        result, message = Outcome.PASS, Message("precheck.weights.initial.pass", {"count": same})
    items = [_item(pair) for pair in comparison.pairs]
    return Finding(result, message, items, tuple(_remarks(comparison, counts)))


def _first(comparison: WeightComparison, *states: WeightState) -> WeightPair:
    return next(pair for pair in comparison.pairs if pair.state in states)


def _remarks(comparison: WeightComparison, counts: Counter[WeightState]) -> list[Message]:
    made = []
    if comparison.wrappers:
        names = " ".join(comparison.wrappers)
        made.append(Message("precheck.weights.initial.wrappers", {"names": names}))
    if counts[WeightState.ROUNDED]:
        made.append(Message("precheck.weights.initial.rounded", {"count": counts[WeightState.ROUNDED]}))
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
    if pair.state is WeightState.DIFFERS and math.isfinite(pair.error):
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
