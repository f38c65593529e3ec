"""Weights and batches as the dumps show them at their first use, and batches by their saved statistics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from core.messages import Message, Parameter
from core.precheck.checks.missing import without_dumps
from core.precheck.checks.numbers import percent, spelt
from core.precheck.dumps.facts import Agreement, DumpFacts, OutsideValue, OutsideValues
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.records.evidence import EvidenceKind, Sample
from core.records.precheck import Item, Outcome, Standing
from core.records.result import Evidence

_STANDINGS = {
    Agreement.EQUAL: Standing.EQUAL,
    Agreement.ROUNDED: Standing.REMARK,
    Agreement.SUMS: Standing.REMARK,
    Agreement.FOLLOWS: Standing.REMARK,
    Agreement.DIFFERS: Standing.DIFFERS,
    Agreement.UNKNOWN: Standing.UNKNOWN,
}


def weights_in_dumps(pair: Pair) -> Finding:
    """Check that the weights are the same where the dumped step first takes them."""
    facts = pair.dumps
    if facts is None:
        return without_dumps(pair)
    weights, step = facts.weights, facts.target_cell.step
    if not weights.compared:
        return not_done(Message("precheck.weights.in_dumps.none"))
    counts = weights.counts
    different = counts.get(Agreement.DIFFERS, 0)
    told: dict[str, Parameter] = {"count": different, "compared": weights.compared}
    items, remarks = [_item(value) for value in weights.listed], []
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
        passed = Message(f"precheck.weights.in_dumps.pass.{_level(weights)}", {"count": weights.compared})
        message, result = passed, Outcome.PASS
    return _finding(facts, result, message, items, remarks)


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
    data = facts.data
    judged = data.compared - data.counts.get(Agreement.FOLLOWS, 0)
    items, remarks = [_item(value) for value in data.listed], []
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
    if worst is None:
        message = Message(f"precheck.dataset.first_batch.pass.{_level(data)}", {"count": judged})
        return _finding(facts, Outcome.PASS, message, items, remarks)
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
