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
    read: bool
    """Whether it was looked into."""
    parts: tuple[EvidenceLine, ...] = ()
    """Each file of a folder that was taken as evidence, and the folder itself where it is some."""
    part_of: str = ""
    """The given folder that it was found in; empty for what was given itself."""

    @property
    def files(self) -> int:
        """How many pieces of evidence it is."""
        return len(self.parts) or 1

    @property
    def words(self) -> list[str]:
        """What its chips say."""
        said = [kind_word(kind) for kind in self.kinds]
        return [text("gui.precheck.files", count=self.files), *said] if self.parts else said

    @property
    def is_refused(self) -> bool:
        """Whether it tells nothing."""
        return self.read and not self.kinds

    @property
    def is_troubled(self) -> bool:
        """Whether something is wrong with it."""
        return bool(self.problems) or self.is_refused


def evidence_lines(given: Sequence[Given], summaries: Sequence[EvidenceSummary]) -> list[EvidenceLine]:
    """Return a line for all that is *given*, then for what the *summaries* found beside it."""
    of_given: dict[str, list[EvidenceSummary]] = {}
    for summary in summaries:
        if not summary.found:
            of_given.setdefault(summary.given, []).append(summary)
    lines = [_line(each.path, each.kind, of_given.get(each.path, []), False) for each in given]
    found = [summary for summary in summaries if summary.found]
    return [*lines, *(_line(summary.path, None, [summary], True) for summary in found)]


def _line(
    path: str, asked: EvidenceKind | None, mine: Sequence[EvidenceSummary], found: bool
) -> EvidenceLine:
    kinds = dict.fromkeys(EvidenceKind(kind) for summary in mine for kind in summary.kinds)
    every = [problem for summary in mine for problem in summary.problems]
    distinct = {problem.sentence(): problem for problem in reversed(every)}  # the first of each sentence
    problems = tuple(distinct.values())[::-1]
    parts = tuple(
        EvidenceLine(
            each.path, None, tuple(map(EvidenceKind, each.kinds)), each.problems, found, True, part_of=path
        )
        for each in mine
        if len(mine) > 1 or each.path != path
    )
    return EvidenceLine(path, asked, tuple(kinds), problems, found, bool(mine), parts)
