"""Dropout by the settings and by what the dumped calls did: a call that drops outweighs a setting."""

from __future__ import annotations

from dataclasses import replace

from core.messages import Message
from core.precheck.checks import randomness
from core.precheck.checks.incomplete_dumps import incomplete, one_rank
from core.precheck.checks.numbers import spelt
from core.precheck.dumps.facts import Dropout, DumpFacts
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.records.precheck import Item, Outcome, Standing


def dropout(pair: Pair) -> Finding:
    """Check that nothing is dropped at random: each device draws its own mask, whatever the seed."""
    said, facts = randomness.dropout(pair), pair.dumps
    if facts is None or not facts.sequence.matched:
        return said
    items = [*said.items, *(_item(call) for call in facts.dropout)]
    active = next((call for call in facts.dropout if call.active), None)
    if active is not None:
        side = "golden" if active.golden else "target"
        message = Message(f"precheck.randomness.dropout.active.{side}", {"operator": active.operator})
        remarks = (said.message, *said.remarks) if said.result is Outcome.FAIL else said.remarks
        return _with(said, facts, Outcome.FAIL, message, items, remarks)
    # a rate that nobody knows may be that of a fused kernel, which no dropout call shows
    is_open = any(item.standing is Standing.UNKNOWN for item in said.items)
    if said.result is Outcome.NOT_DONE and not is_open:
        hidden = incomplete(facts)
        unknown = next((call.operator for call in facts.dropout if call.active is None), None)
        if hidden is None and unknown is not None:
            hidden = Message("precheck.randomness.dropout.unknown", {"operator": unknown})
        if hidden is not None:
            return _with(said, facts, Outcome.NOT_DONE, hidden, items, said.remarks)
        count = len(facts.dropout)
        word = "inactive" if count else "none"
        message = Message(f"precheck.randomness.dropout.{word}", {"count": count})
        return _with(said, facts, Outcome.PASS, message, items, said.remarks)
    return replace(said, items=items)


def _with(
    said: Finding,
    facts: DumpFacts,
    result: Outcome,
    message: Message,
    items: list[Item],
    remarks: tuple[Message, ...],
) -> Finding:
    files = (*said.target_files, facts.target_path), (*said.golden_files, facts.golden_path)
    return Finding(result, message, items, (*remarks, *one_rank(facts)), *files)


def _item(call: Dropout) -> Item:
    shown = "?" if call.probability is None else spelt(call.probability)
    standing = {True: Standing.DIFFERS, False: Standing.EQUAL, None: Standing.UNKNOWN}[call.active]
    remark = Message("precheck.randomness.dropout.dropped") if call.active else None
    sides = ("", shown) if call.golden else (shown, "")
    return Item(call.operator, *sides, standing, remark=remark)
