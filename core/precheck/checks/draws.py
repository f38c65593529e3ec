"""How often both sides drew random numbers, place by place."""

from __future__ import annotations

import re
from collections import Counter

from core.messages import Message
from core.precheck.checks.missing import without_random_calls
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.records.evidence import EvidenceKind
from core.records.precheck import Item, Outcome, Standing

_FOLDERS = re.compile(r"[^\s\"',()\[\]]*[/\\]")
"""Folders differ from machine to machine; the file's own name and the line do not."""


def draws(pair: Pair) -> Finding:
    """Check that every place in the code drew as many random numbers on both sides."""
    counts = [_counts(side) for side in (pair.target, pair.golden)]
    told = [bool(side.of_kind(EvidenceKind.RANDOM_CALLS)) for side in (pair.target, pair.golden)]
    if not all(told):
        return without_random_calls(target=told[0], golden=told[1])
    if not any(counts):
        return not_done(Message("precheck.randomness.draws.nothing"))
    items = []
    for function, stack in sorted({*counts[0], *counts[1]}):
        ours, theirs = counts[0][function, stack], counts[1][function, stack]
        if ours and theirs:
            standing = Standing.EQUAL if ours == theirs else Standing.DIFFERS
        else:
            standing = Standing.TARGET_ONLY if ours else Standing.GOLDEN_ONLY
        remark = Message("precheck.randomness.draws.place", {"stack": stack}) if stack else None
        shown = [str(count) if count else "" for count in (ours, theirs)]
        items.append(Item(function, shown[0], shown[1], standing, remark=remark))
    wrong = [item for item in items if item.standing is not Standing.EQUAL]
    files = [
        tuple(item.path for item in side.of_kind(EvidenceKind.RANDOM_CALLS))
        for side in (pair.target, pair.golden)
    ]
    totals = {"target": sum(counts[0].values()), "golden": sum(counts[1].values())}
    if wrong:
        message = Message(
            "precheck.randomness.draws.fail", {"count": len(wrong), "first": wrong[0].name, **totals}
        )
        return Finding(Outcome.FAIL, message, items, (), files[0], files[1])
    message = Message("precheck.randomness.draws.pass", {"count": totals["target"], "places": len(items)})
    return Finding(Outcome.PASS, message, items, (), files[0], files[1])


def _counts(side: Side) -> Counter[tuple[str, str]]:
    """Return the draws by function and the innermost files of the stack."""
    found: Counter[tuple[str, str]] = Counter()
    for evidence in side.of_kind(EvidenceKind.RANDOM_CALLS):
        for call in evidence.random_calls:
            frames = [_FOLDERS.sub("", line).strip() for line in call.stack.splitlines()]
            found[call.function, "; ".join(frame for frame in frames if frame)] += call.count
    return found
