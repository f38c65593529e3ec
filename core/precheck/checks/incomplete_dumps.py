"""What to say where a dump does not hold its whole step: what agrees in it does not show the rest."""

from __future__ import annotations

from dataclasses import replace

from core.messages import Message, Parameter
from core.precheck.dumps.facts import DumpFacts, Recorded
from core.precheck.finding import Finding
from core.records.precheck import Outcome


def incomplete(facts: DumpFacts) -> Message | None:
    """Return which dump does not show all calls of its step, and why; ``None`` where both do."""
    sides = ("target", facts.target_recorded), ("golden", facts.golden_recorded)
    # A file that is cut off is worse than what somebody chose.
    for side, recorded in sorted(sides, key=lambda item: item[1] is not Recorded.CUT):
        if not recorded.shows_all_calls:
            return Message(f"precheck.dumps.{recorded}.{side}")
    return None


def is_cut(facts: DumpFacts) -> bool:
    """Return whether a dump is cut off or damaged."""
    return Recorded.CUT in (facts.target_recorded, facts.golden_recorded)


def unless_cut(facts: DumpFacts, found: Finding) -> Finding:
    """Return *found*; a pass is none where a dump is cut off, since the rest of it is not known."""
    cut = incomplete(facts) if is_cut(facts) else None
    if cut is None or found.result is not Outcome.PASS:
        return found
    return replace(found, result=Outcome.NOT_DONE, message=cut, remarks=(found.message, *found.remarks))


def one_rank(facts: DumpFacts) -> tuple[Message, ...]:
    """Return the remark that further ranks were not looked at, where there are any."""
    if facts.ranks < 2:
        return ()
    told: dict[str, Parameter] = {"rank": facts.target_cell.rank, "count": facts.ranks}
    return (Message("precheck.dumps.one_rank", told),)
