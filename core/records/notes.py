"""What a user decided and noted about a pair of runs; nothing in it depends on row numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.records.ignoring import IgnoreRule


@dataclass(frozen=True)
class Notes:
    """The decisions about one pair."""

    explained: Mapping[str, str] = field(default_factory=dict)
    """Reason by the suspect's identity: it is explained, look at the next one."""
    pairs: Mapping[str, str] = field(default_factory=dict)
    """Golden operator by target operator, paired by hand."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """What was noted on a call, by its name on the target, or on the golden where only that has it."""
    ignored: tuple[IgnoreRule, ...] = ()
    """What is left out of account, the latest last."""

    def explain(self, identity: str, reason: str) -> Notes:
        """Return notes that also excuse the suspect *identity*."""
        return replace(self, explained={**self.explained, identity: reason})

    def accuse(self, identity: str) -> Notes:
        """Return notes that no longer excuse the suspect *identity*."""
        kept = {name: reason for name, reason in self.explained.items() if name != identity}
        return replace(self, explained=kept)

    def remark(self, operator: str, words: str) -> Notes:
        """Return notes with *words* on the call *operator*; blank ones take the remark away."""
        kept = {name: said for name, said in self.remarks.items() if name != operator}
        return replace(self, remarks={**kept, operator: words.strip()} if words.strip() else kept)

    def ignore(self, rule: IgnoreRule) -> Notes:
        """Return notes that also leave out what *rule* takes."""
        return replace(self, ignored=(*self.heed(rule).ignored, rule))

    def heed(self, rule: IgnoreRule) -> Notes:
        """Return notes that take account again of what *rule* left out."""
        kept = tuple(other for other in self.ignored if other.identity != rule.identity)
        return replace(self, ignored=kept)
