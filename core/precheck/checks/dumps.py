"""What the two dumps alone tell: formats, fused operators, the sequence of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.match.parameters import api_of
from core.messages import Message, Parameter
from core.precheck.checks.incomplete_dumps import incomplete, is_cut, one_rank, unless_cut
from core.precheck.checks.missing import without_dumps
from core.precheck.dumps.facts import ArgumentDifference, DumpFacts, Fused, Recorded
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.precheck import Item, Outcome, Standing

_NOT_TOLD = ("", "None")
"""How an argument shows that a side leaves to the default."""


def casts(pair: Pair) -> Finding:
    """Check that operators compute in the same floating formats on both sides."""
    facts = pair.dumps
    if facts is None:
        return without_dumps(pair)
    if not facts.casts and not facts.same_formats:
        return not_done(Message("precheck.mixed_precision.casts.nothing"))
    items = [
        Item(
            cast.api,
            cast.target,
            cast.golden,
            Standing.DIFFERS,
            remark=Message(
                "precheck.mixed_precision.casts.tensors", {"count": cast.tensors, "first": cast.example}
            ),
        )
        for cast in facts.casts
    ]
    if not items:
        same = {"count": facts.same_formats}
        hidden = incomplete(facts)
        found = _finding(facts, Outcome.PASS, Message("precheck.mixed_precision.casts.pass", same))
        if is_cut(facts):
            return unless_cut(facts, found)
        return replace(found, remarks=(hidden, *found.remarks)) if hidden is not None else found
    first = facts.casts[0]
    told: dict[str, Parameter] = {"count": sum(cast.tensors for cast in facts.casts), "first": first.example}
    told |= {"target": first.target, "golden": first.golden}
    return _finding(facts, Outcome.FAIL, Message("precheck.mixed_precision.casts.fail", told), items)


def fused_in_dumps(pair: Pair) -> Finding:
    """Check that no side runs a fused operator where the other one runs small ones."""
    facts = pair.dumps
    if facts is None:
        return without_dumps(pair)
    if not facts.sequence.matched:
        return not_done(Message("precheck.fused.in_dumps.nothing"))
    items = list(_fused_items(facts.fused))
    fused = [region for region in facts.fused if not region.replaced]
    hidden = incomplete(facts)
    # Behind the end of a file that is cut off, calls have no partner though both sides may have run them.
    if hidden is not None and (not fused or is_cut(facts)):
        return _finding(facts, Outcome.NOT_DONE, hidden, items)
    if not fused:
        return _finding(facts, Outcome.PASS, Message("precheck.fused.in_dumps.pass"), items)
    first = fused[0]
    which = "target" if len(first.target) < len(first.golden) else "golden"
    name = (first.target if which == "target" else first.golden)[0]
    small = max(len(first.target), len(first.golden))
    told: dict[str, Parameter] = {"count": len(fused), "operator": name, "small": small}
    return _finding(facts, Outcome.FAIL, Message(f"precheck.fused.in_dumps.fail.{which}", told), items)


def _fused_items(regions: Iterable[Fused]) -> Iterable[Item]:
    """Yield an item for each different stretch, however many layers have it."""
    kinds = Counter((_apis(region.target), _apis(region.golden), region.replaced) for region in regions)
    first = {(_apis(region.target), _apis(region.golden)): region for region in reversed(list(regions))}
    for (target, golden, replaced), count in kinds.items():
        region = first[target, golden]
        fewer = region.target if len(region.target) <= len(region.golden) else region.golden
        word = "replaced" if replaced else "places"
        yield Item(
            api_of(fewer[0]),
            target,
            golden,
            Standing.REMARK if replaced else Standing.DIFFERS,
            remark=Message(f"precheck.fused.in_dumps.{word}", {"count": count, "first": fewer[0]}),
        )


def _apis(names: Iterable[str]) -> str:
    return ", ".join(api_of(name) for name in names)


def same_operators(pair: Pair) -> Finding:
    """Check that both sides run the same calls with the same arguments.

    Calls that a fused operator explains may be on one side alone.
    """
    facts = pair.dumps
    if facts is None:
        return without_dumps(pair)
    calls = facts.sequence
    alone = calls.target_only + calls.golden_only
    if not alone and not calls.matched:
        return not_done(incomplete(facts) or Message("precheck.flow.same_operators.nothing"))
    items = [
        *(Item(name, name, "", Standing.TARGET_ONLY) for name in calls.target_examples),
        *(Item(name, "", name, Standing.GOLDEN_ONLY) for name in calls.golden_examples),
        *map(_argument_item, facts.arguments),
    ]
    remarks = list(_remarks_on_calls(facts))
    told = {"matched": calls.matched, "target": calls.target_only, "golden": calls.golden_only}
    hidden, other = incomplete(facts), _other_arguments(facts)
    # What was not dumped, or lies behind the end of a file, has no partner for no fault of the run.
    unlike = is_cut(facts) or (hidden is not None and facts.target_recorded is not facts.golden_recorded)
    if (alone > calls.in_fused or not calls.matched) and not unlike:
        word = "fail" if calls.matched else "another_model"
        message, result = Message(f"precheck.flow.same_operators.{word}", told), Outcome.FAIL
        remarks += [other] if other is not None else []
    elif other is not None:
        message, result = other, Outcome.FAIL
    elif hidden is not None:
        message, result = hidden, Outcome.NOT_DONE
    elif (default := next((item for item in facts.arguments if item.counts is None), None)) is not None:
        message, result = _default_sentence(default), Outcome.NOT_DONE
    else:
        word = "pass" if not alone else "explained"
        passed = {"count": calls.matched}
        message, result = Message(f"precheck.flow.same_operators.{word}", passed), Outcome.PASS
    return _finding(facts, result, message, items, tuple(remarks))


def _remarks_on_calls(facts: DumpFacts) -> Iterator[Message]:
    calls = facts.sequence
    if calls.in_fused:
        yield Message("precheck.flow.same_operators.fused", {"count": calls.in_fused})
    if calls.reordered:
        yield Message("precheck.flow.same_operators.reordered", {"count": calls.reordered})
    if calls.not_dumped:
        yield Message("precheck.flow.same_operators.not_dumped", {"count": calls.not_dumped})
    if Recorded.STRUCTURE in (facts.target_recorded, facts.golden_recorded):
        yield Message("precheck.flow.same_operators.names_alone")


def _other_arguments(facts: DumpFacts) -> Message | None:
    """Return the sentence on arguments that differ; ``None`` where none counts."""
    counting = [item for item in facts.arguments if item.counts]
    if not counting:
        return None
    first = counting[0]
    told: dict[str, Parameter] = {"count": len(counting), "operator": first.operator, "argument": first.slot}
    told |= {"target": first.target, "golden": first.golden}
    return Message("precheck.flow.same_operators.arguments", told)


def _default_sentence(item: ArgumentDifference) -> Message:
    side = "golden" if item.target in _NOT_TOLD else "target"
    told: dict[str, Parameter] = {"operator": item.operator, "argument": item.slot}
    told["value"] = item.target if side == "golden" else item.golden
    return Message(f"precheck.flow.same_operators.unsaid.{side}", told)


def _argument_item(item: ArgumentDifference) -> Item:
    told: dict[str, Parameter] = {"count": item.calls, "first": item.operator}
    standings = {True: Standing.DIFFERS, None: Standing.UNKNOWN, False: Standing.REMARK}
    standing, word = standings[item.counts], "calls"
    if item.counts is not True:
        word = "default" if item.target in _NOT_TOLD or item.golden in _NOT_TOLD else "worked_out"
    remark = Message(f"precheck.flow.same_operators.{word}", told)
    return Item(f"{item.operator} {item.slot}", item.target, item.golden, standing, remark=remark)


def _finding(
    facts: DumpFacts,
    result: Outcome,
    message: Message,
    items: Iterable[Item] = (),
    remarks: tuple[Message, ...] = (),
) -> Finding:
    remarks = (*remarks, *one_rank(facts))
    return Finding(result, message, tuple(items), remarks, (facts.target_path,), (facts.golden_path,))
