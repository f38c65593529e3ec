"""Weights and batches as the dumps show them at their first use, and batches by their saved statistics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.messages import Message, Parameter
from core.precheck.checks.incomplete_dumps import unless_cut
from core.precheck.checks.missing import without_dumps
from core.precheck.checks.numbers import percent, spelt
from core.precheck.dumps.facts import Agreement, DumpFacts, OutsideValue, OutsideValues
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.records.evidence import EvidenceKind, Sample
from core.records.precheck import Item, Outcome, Standing
from core.records.result import Evidence

_STANDINGS = {
    Agreement.DIFFERS: Standing.DIFFERS,
    Agreement.FOLLOWS: Standing.REMARK,
    Agreement.UNKNOWN: Standing.UNKNOWN,
    Agreement.SUMS: Standing.REMARK,
    Agreement.ROUNDED: Standing.REMARK,
    Agreement.EQUAL: Standing.EQUAL,
}
"""How items stand, in the order of what counts."""


def weights_in_dumps(pair: Pair) -> Finding:
    """Check that the weights are the same where the dumped step first takes them."""
    facts = pair.dumps
    if facts is None:
        return without_dumps(pair)
    ranks = [(other.rank, other.weights) for other in facts.other_ranks]
    weights, step = _of_all_ranks(facts.weights, ranks), facts.target_cell.step
    if not weights.compared:
        return not_done(Message("precheck.weights.in_dumps.none"))
    counts = weights.counts
    different = counts.get(Agreement.DIFFERS, 0)
    told: dict[str, Parameter] = {"count": different, "compared": weights.compared}
    items, remarks = [_item(value) for value in weights.listed], _remarks_on(facts, weights, ranks)
    if rounded := counts.get(Agreement.ROUNDED, 0):
        remarks.append(Message("precheck.weights.in_dumps.rounded", {"count": rounded}))
    if sums := counts.get(Agreement.SUMS, 0):
        remarks.append(Message("precheck.outside.only_sums", {"count": sums}))
    worst = weights.worst(Agreement.DIFFERS)
    if worst is not None:
        told |= {"first": f"{worst.operator} {worst.slot}", "step": step}
        # After updates weights differ as everything before did: that says nothing of the initial ones.
        word, result = ("fail", Outcome.FAIL) if step == 0 else ("later", Outcome.NOT_DONE)
        message = Message(f"precheck.weights.in_dumps.{word}", told)
    elif unknown := counts.get(Agreement.UNKNOWN, 0):
        told["count"] = unknown
        message, result = Message("precheck.weights.in_dumps.unknown", told), Outcome.NOT_DONE
    else:
        passed = {"count": facts.weights.compared}
        message = Message(f"precheck.weights.in_dumps.pass.{_level(facts.weights)}", passed)
        result = Outcome.PASS
    return unless_cut(facts, _finding(facts, result, message, items, remarks))


def _of_all_ranks(first: OutsideValues, ranks: Sequence[tuple[int, OutsideValues]]) -> OutsideValues:
    """Return the values of all ranks that were looked at as one; those of further ranks bear its name.

    A rank of which nothing could be compared was not looked at.
    """
    counts, listed = Counter(first.counts), list(first.listed)
    for rank, values in ranks:
        if values.compared:
            counts.update(values.counts)
            listed += [value._replace(operator=f"rank{rank} {value.operator}") for value in values.listed]
    order = list(_STANDINGS)
    listed.sort(key=lambda value: order.index(value.agreement))
    return OutsideValues(dict(counts), tuple(listed))


def _remarks_on(
    facts: DumpFacts, values: OutsideValues, ranks: Sequence[tuple[int, OutsideValues]]
) -> list[Message]:
    """Return which ranks were looked at, and of which values the tensors could not be read."""
    remarks = []
    if unread := [value for value in values.listed if value.unread]:
        told: dict[str, Parameter] = {
            "count": len(unread),
            "first": f"{unread[0].operator} {unread[0].slot}",
        }
        remarks.append(Message("precheck.outside.unread", told))
    if facts.ranks > 1:
        seen = [facts.target_cell.rank, *(rank for rank, found in ranks if found.compared)]
        named = ", ".join(map(str, seen))
        remarks.append(Message("precheck.outside.ranks", {"ranks": named, "count": facts.ranks}))
    return remarks


def _level(values: OutsideValues) -> str:
    """Return how well the value is known of which least is: the last word of the sentence of a pass."""
    level = min((value.evidence for value in values.listed if value.agreement is Agreement.EQUAL), default=0)
    known = {Evidence.CHECKSUM: "checksum", Evidence.FULL: "full"}
    return known.get(Evidence(level), "statistics")


def first_batch(pair: Pair) -> Finding:
    """Check that both sides train on the same ids, labels and masks, by the dumps and by saved batches."""
    found = [_batch_of_dumps(pair.dumps)] if pair.dumps is not None else []
    sides = [_samples(side) for side in (pair.target, pair.golden)]
    if all(sides):
        found.append(_batch_of_samples(*sides))
    elif any(sides) and not found:
        which = "golden" if sides[0] else "target"
        return not_done(Message(f"precheck.dataset.first_batch.one_sided.{which}"))
    if not found:
        return without_dumps(pair)
    result = next(
        (outcome for outcome in (Outcome.FAIL, Outcome.PASS) if any(f.result is outcome for f in found)),
        Outcome.NOT_DONE,
    )
    lead = next(finding for finding in found if finding.result is result)
    others = tuple(finding.message for finding in found if finding is not lead)
    files = [
        tuple(item.path for item in side.of_kind(EvidenceKind.SAMPLES)) for side in (pair.target, pair.golden)
    ]
    return replace(
        lead,
        items=tuple(item for finding in found for item in finding.items),
        remarks=tuple(remark for finding in found for remark in finding.remarks) + others,
        target_files=(*(path for finding in found for path in finding.target_files), *files[0]),
        golden_files=(*(path for finding in found for path in finding.golden_files), *files[1]),
    )


def _batch_of_dumps(facts: DumpFacts) -> Finding:
    ranks = [(other.rank, other.data) for other in facts.other_ranks]
    data = _of_all_ranks(facts.data, ranks)
    judged = data.compared - data.counts.get(Agreement.FOLLOWS, 0)
    items, remarks = [_item(value) for value in data.listed], _remarks_on(facts, data, ranks)
    if judged <= 0:
        message, result = Message("precheck.dataset.first_batch.none"), Outcome.NOT_DONE
        return _finding(facts, result, message, items, [])
    if rounded := data.counts.get(Agreement.ROUNDED, 0):
        remarks.append(Message("precheck.dataset.first_batch.rounded", {"count": rounded}))
    if sums := data.counts.get(Agreement.SUMS, 0):
        remarks.append(Message("precheck.outside.only_sums", {"count": sums}))
    if follows := data.counts.get(Agreement.FOLLOWS, 0):
        remarks.append(Message("precheck.dataset.first_batch.follows", {"count": follows}))
    worst = data.worst(Agreement.DIFFERS)
    unknown = data.worst(Agreement.UNKNOWN)
    if worst is None and unknown is not None:
        lacking: dict[str, Parameter] = {
            "count": data.counts[Agreement.UNKNOWN],
            "first": f"{unknown.operator} {unknown.slot}",
        }
        message = Message("precheck.dataset.first_batch.unknown", lacking)
        return _finding(facts, Outcome.NOT_DONE, message, items, remarks)
    if worst is None:
        judged = facts.data.compared - facts.data.counts.get(Agreement.FOLLOWS, 0)
        message = Message(f"precheck.dataset.first_batch.pass.{_level(facts.data)}", {"count": judged})
        return unless_cut(facts, _finding(facts, Outcome.PASS, message, items, remarks))
    told: dict[str, Parameter] = {
        "count": data.counts[Agreement.DIFFERS],
        "compared": judged,
        "first": f"{worst.operator} {worst.slot}",
    }
    for value in data.listed:
        if (
            value.agreement is Agreement.DIFFERS
            and all(value.padding)
            and value.padding[0] != value.padding[1]
        ):
            remarks.append(
                Message(
                    f"precheck.dataset.first_batch.padding.{value.padding[0]}",
                    {"slot": f"{value.operator} {value.slot}"},
                )
            )
    return _finding(facts, Outcome.FAIL, Message("precheck.dataset.first_batch.fail", told), items, remarks)


def _item(value: OutsideValue) -> Item:
    remark = None
    if value.agreement is Agreement.DIFFERS and math.isfinite(value.error):
        remark = Message("precheck.outside.error", {"error": percent(value.error)})
    elif value.agreement is Agreement.ROUNDED and value.rounded_to:
        remark = Message("precheck.outside.rounded_to", {"dtype": value.rounded_to})
    elif value.agreement is not Agreement.EQUAL and value.agreement is not Agreement.DIFFERS:
        remark = Message(f"precheck.outside.{value.agreement}")
    elif value.agreement is Agreement.EQUAL:
        remark = Message(f"evidence.{value.evidence.name.lower()}")
    name = f"{value.operator} {value.slot}"
    return Item(name, value.target, value.golden, _STANDINGS[value.agreement], remark=remark)


def _samples(side: Side) -> dict[tuple[int, int, str], Sample]:
    """Return the saved batches by step, rank and name."""
    return {
        (sample.step, sample.rank, sample.name): sample
        for evidence in side.of_kind(EvidenceKind.SAMPLES)
        for sample in evidence.samples
    }


def _batch_of_samples(
    target: dict[tuple[int, int, str], Sample], golden: dict[tuple[int, int, str], Sample]
) -> Finding:
    """Compare the batches of the steps and ranks that both sides saved; statistics must be the same."""
    common = {key[:2] for key in target} & {key[:2] for key in golden}
    if not common:
        return not_done(Message("precheck.dataset.first_batch.no_common_step"))
    items = []
    for key in sorted({key for key in (*target, *golden) if key[:2] in common}):
        ours, theirs = target.get(key), golden.get(key)
        step, rank, name = key
        label = f"step{step}/rank{rank} {name}"
        if ours is None or theirs is None:
            standing = Standing.TARGET_ONLY if theirs is None else Standing.GOLDEN_ONLY
        else:
            standing = Standing.EQUAL if _same(ours[3:], theirs[3:]) else Standing.DIFFERS
        items.append(Item(label, _statistics(ours), _statistics(theirs), standing))
    wrong = [item for item in items if item.standing is not Standing.EQUAL]
    if wrong:
        told: dict[str, Parameter] = {"count": len(wrong), "compared": len(items), "first": wrong[0].name}
        return Finding(Outcome.FAIL, Message("precheck.dataset.first_batch.samples.fail", told), items)
    steps = len({step for step, _ in common})
    passed = Message("precheck.dataset.first_batch.samples.pass", {"count": len(items), "steps": steps})
    return Finding(Outcome.PASS, passed, items)


def _same(first: Iterable[float], second: Iterable[float]) -> bool:
    return all(
        ours == theirs or (math.isnan(ours) and math.isnan(theirs)) for ours, theirs in zip(first, second)
    )


def _statistics(sample: Sample | None) -> str:
    if sample is None:
        return ""
    numbers = (sample.max, sample.min, sample.mean, sample.norm)
    return " ".join(
        f"{name} {spelt(value)}"
        for name, value in zip(("max", "min", "mean", "norm"), numbers)
        if not math.isnan(value)
    )


def _finding(
    facts: DumpFacts, result: Outcome, message: Message, items: list[Item], remarks: list[Message]
) -> Finding:
    return Finding(result, message, items, tuple(remarks), (facts.target_path,), (facts.golden_path,))
