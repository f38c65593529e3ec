"""What a side brought, a line each: what was given, and what lay beside its dump."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import Problem
from core.messages import text
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import EvidenceSummary
from gui.models.precheck.words import kind_word


@dataclass(frozen=True)
class EvidenceLine:
    """One given path, or one that was found."""

    path: str
    asked: EvidenceKind | None
    """What the user wants it to be read as."""
    kinds: tuple[EvidenceKind, ...]
    """What it was understood as; empty while that is not known, or where it is nothing."""
    problems: tuple[Problem, ...]
    found: bool
    files: int
    """How many pieces of evidence are in it."""
    read: bool
    """Whether it was looked into."""

    @property
    def words(self) -> list[str]:
        """What its chips say."""
        said = [kind_word(kind) for kind in self.kinds]
        return [*said, text("gui.precheck.files", count=self.files)] if self.files > 1 else said

    @property
    def is_refused(self) -> bool:
        """Whether it tells nothing."""
        return self.read and not self.kinds


def evidence_lines(given: Sequence[Given], summaries: Sequence[EvidenceSummary]) -> list[EvidenceLine]:
    """Return a line for all that is *given*, then for what the *summaries* found beside it."""
    lines = []
    for each in given:
        mine = [summary for summary in summaries if not summary.found and summary.given == each.path]
        lines.append(_line(each.path, each.kind, mine, False))
    found = [summary for summary in summaries if summary.found]
    return [*lines, *(_line(summary.path, None, [summary], True) for summary in found)]


def _line(
    path: str, asked: EvidenceKind | None, mine: Sequence[EvidenceSummary], found: bool
) -> EvidenceLine:
    kinds = dict.fromkeys(EvidenceKind(kind) for summary in mine for kind in summary.kinds)
    problems = dict.fromkeys(problem.sentence() for summary in mine for problem in summary.problems)
    every = [problem for summary in mine for problem in summary.problems]
    distinct = tuple(every[[problem.sentence() for problem in every].index(said)] for said in problems)
    return EvidenceLine(path, asked, tuple(kinds), distinct, found, len(mine), bool(mine))
