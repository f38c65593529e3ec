"""What the two dumps alone tell: formats, fused operators, the sequence of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.match.parameters import api_of
from core.messages import Message, Parameter
from core.precheck.checks.missing import without_dumps
from core.precheck.dumps.facts import DumpFacts, Fused
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.precheck import Item, Outcome, Standing


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
        return _finding(facts, Outcome.PASS, Message("precheck.mixed_precision.casts.pass", same))
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
    """Check that both sides run the same calls, but for those that a fused operator explains."""
    facts = pair.dumps
    if facts is None:
        return without_dumps(pair)
    calls = facts.sequence
    alone = calls.target_only + calls.golden_only
    if not alone and not calls.matched:
        return not_done(Message("precheck.flow.same_operators.nothing"))
    items = [
        *(Item(name, name, "", Standing.TARGET_ONLY) for name in calls.target_examples),
        *(Item(name, "", name, Standing.GOLDEN_ONLY) for name in calls.golden_examples),
    ]
    remarks = []
    if calls.in_fused:
        remarks.append(Message("precheck.flow.same_operators.fused", {"count": calls.in_fused}))
    if calls.reordered:
        remarks.append(Message("precheck.flow.same_operators.reordered", {"count": calls.reordered}))
    told = {"matched": calls.matched, "target": calls.target_only, "golden": calls.golden_only}
    if not calls.matched:
        message, result = Message("precheck.flow.same_operators.another_model", told), Outcome.FAIL
    elif alone > calls.in_fused:
        message, result = Message("precheck.flow.same_operators.fail", told), Outcome.FAIL
    else:
        word = "pass" if not alone else "explained"
        passed = {"count": calls.matched}
        message, result = Message(f"precheck.flow.same_operators.{word}", passed), Outcome.PASS
    return _finding(facts, result, message, items, tuple(remarks))


def _finding(
    facts: DumpFacts,
    result: Outcome,
    message: Message,
    items: Iterable[Item] = (),
    remarks: tuple[Message, ...] = (),
) -> Finding:
    return Finding(result, message, tuple(items), remarks, (facts.target_path,), (facts.golden_path,))
