"""A pre-check in words, once for all forms of the report: what stands in its head, its rows and its items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import core
from core.errors import Problem
from core.messages import Message, current_language, render, text
from core.precheck.telling import first_cause, headline_of, lacking, sentence_of, title_of
from core.records.evidence import Place
from core.records.precheck import (
    Check,
    Entry,
    EvidenceSummary,
    Group,
    Item,
    Outcome,
    PrecheckReport,
    Signature,
    Standing,
)


def place_text(place: Place | None) -> str:
    """Return ``path:line``, with ``path!member:line`` inside an archive; empty without a place."""
    if place is None:
        return ""
    member = f"!{place.member}" if place.member else ""
    return f"{place.path}{member}:{place.line}" if place.line else f"{place.path}{member}"


def problems_of(report: PrecheckReport) -> list[Problem]:
    """Return all that was wrong with the evidence, each once."""
    evidence = (*report.target_evidence, *report.golden_evidence)
    every = [*report.problems, *(problem for summary in evidence for problem in summary.problems)]
    return [problem for number, problem in enumerate(every) if problem not in every[:number]]


class EvidenceLine(NamedTuple):
    """One piece of evidence in words."""

    side: str
    path: str
    kinds: str
    origin: str
    """Given, or found beside the dump."""
    size: str
    digest: str
    problems: str


class ItemLine(NamedTuple):
    """One compared thing in words."""

    name: str
    standing: str
    target: str
    golden: str
    target_place: str
    golden_place: str
    remark: str


@dataclass(frozen=True)
class Sheet:
    """The words of *report* in *language*."""

    report: PrecheckReport
    signature: Signature | None = None
    language: str = field(default_factory=current_language)
    made: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def title(self) -> str:
        """What the report is."""
        return text("precheck.title", self.language)

    @property
    def headline(self) -> str:
        """How many checks have each result."""
        return self.say(headline_of(self.report))

    @property
    def cause(self) -> str:
        """The most likely cause; without fails which side is to bring evidence, or nothing."""
        return first_cause(self.report, self.language) or self.said(lacking(self.report))

    @property
    def made_by(self) -> str:
        """Which ulpscope wrote it, and when."""
        when = self.made.isoformat(" ", "seconds")
        return text("precheck.made_by", self.language, version=core.__version__, date=when)

    def say(self, message: Message) -> str:
        """Return the sentence."""
        return render(message, self.language)

    def said(self, message: Message | None) -> str:
        """Return the sentence, empty for none."""
        return "" if message is None else self.say(message)

    def head(self, name: str) -> str:
        """Return the heading of a column or part."""
        return text(f"precheck.head.{name}", self.language)

    def outcome(self, outcome: Outcome) -> str:
        """Return the word of a result."""
        return text(f"precheck.outcome.{outcome}", self.language)

    def group(self, group: Group) -> str:
        """Return the title of a part of the list."""
        return text(f"precheck.group.{group}", self.language)

    def row_title(self, check: Check) -> str:
        """Return the title of a row."""
        return title_of(check, self.language)

    def row_sentence(self, check: Check) -> str:
        """Return what was found, or entered, for a row."""
        return self.say(sentence_of(check, self.language))

    def groups(self) -> Iterator[tuple[Group, list[Check]]]:
        """Yield the parts of the list that have rows, with these."""
        for group in Group:
            if checks := [check for check in self.report.checks if check.group is group]:
                yield group, checks

    def entered(self, entry: Entry) -> str:
        """Return what a person entered, in one line; empty if nobody did."""
        result = self.outcome(entry.result) if entry.result is not None else ""
        return " · ".join(filter(None, (result, entry.remark, entry.evidence, entry.name, entry.date)))

    def items(self, check: Check, *, equal: bool = True) -> Iterator[ItemLine]:
        """Yield what a row compared, what differs first; without what is *equal* if wished."""
        for item in check.items:
            if equal or item.standing is not Standing.EQUAL:
                yield self.item(item)

    def item(self, item: Item) -> ItemLine:
        """Return one compared thing."""
        return ItemLine(
            item.called,
            text(f"precheck.standing.{item.standing}", self.language),
            item.target,
            item.golden,
            place_text(item.target_place),
            place_text(item.golden_place),
            self.said(item.remark),
        )

    def compared(self, check: Check) -> str:
        """Return how many things a row compared."""
        return text("precheck.compared", self.language, count=len(check.items) + check.left_off)

    def left_off(self, check: Check) -> str:
        """Return how many further things a row compared; empty if none."""
        return text("precheck.left_off", self.language, count=check.left_off) if check.left_off else ""

    def brought(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each side with what was given for it, or found beside its dump."""
        for side, summaries in self._sides():
            yield side, ", ".join(dict.fromkeys(summary.given for summary in summaries)) or "-"

    def _sides(self) -> Iterator[tuple[str, tuple[EvidenceSummary, ...]]]:
        yield self.head("target"), self.report.target_evidence
        yield self.head("golden"), self.report.golden_evidence

    def evidence(self) -> Iterator[EvidenceLine]:
        """Yield all evidence, the target's first."""
        for side, summaries in self._sides():
            for summary in summaries:
                yield self._evidence(side, summary)

    def _evidence(self, side: str, summary: EvidenceSummary) -> EvidenceLine:
        kinds = ", ".join(text(f"precheck.kind.{kind}", self.language) for kind in summary.kinds)
        origin = "found" if summary.found else "given"
        return EvidenceLine(
            side,
            summary.path,
            kinds,
            text(f"precheck.origin.{origin}", self.language),
            str(summary.size) if summary.size >= 0 else "",
            summary.digest,
            " ".join(problem.sentence(self.language) for problem in summary.problems),
        )

    def problems(self) -> list[str]:
        """Return all that was wrong with the evidence, as sentences."""
        return [problem.sentence(self.language) for problem in problems_of(self.report)]

    def signed(self) -> list[tuple[str, str]]:
        """Return the block of the signature: heading and value; the values are empty where nobody signed."""
        signature = self.signature or Signature("", "", "")
        return [
            (self.head("signer"), signature.name),
            (self.head("date"), signature.date),
            (self.head("digest"), signature.digest),
        ]
