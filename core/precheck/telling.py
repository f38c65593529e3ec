"""Sentences about a whole pre-check, and about one row with what a person entered for it."""

from __future__ import annotations

from core.messages import Message, render, text
from core.records.precheck import Check, PrecheckReport


def headline_of(report: PrecheckReport) -> Message:
    """Return how many checks have each result; what was not done is never left out."""
    return Message("precheck.headline", {str(outcome): count for outcome, count in report.counts.items()})


def lacking(report: PrecheckReport) -> Message | None:
    """Return which side is to bring evidence; ``None`` where both brought some, or neither did."""
    target, golden = (
        any(summary.kinds for summary in evidence)
        for evidence in (report.target_evidence, report.golden_evidence)
    )
    if target is golden:
        return None
    return Message("precheck.golden_lacks") if target else Message("precheck.target_lacks")


def title_of(check: Check, language: str | None = None) -> str:
    """Return the title of a row."""
    return text(f"precheck.check.{check.group}.{check.name}", language)


def sentence_of(check: Check, language: str | None = None) -> Message:
    """Return what is to be said of a row: what was found, or what was entered instead.

    Parameters
    ----------
    language
        In which the row's title is spelt where the sentence needs it.
    """
    if not was_entered(check):
        return check.message
    entry, title = check.entry, title_of(check, language)
    parameters = {"title": title, "name": entry.name or "?", "remark": entry.remark}
    if entry.remark:
        return Message(f"precheck.entered.{check.result}", parameters)
    return Message(f"precheck.entered_bare.{check.result}", parameters)


def was_entered(check: Check) -> bool:
    """Return whether a person's result stands instead of what was found."""
    return check.entry.result is not None and check.entry.result is not check.found


def first_cause(report: PrecheckReport, language: str | None = None) -> str:
    """Return the fail that is most often the cause of misalignment, as a sentence; empty without fails."""
    for check in report.failures[:1]:
        said = render(sentence_of(check, language), language)
        if was_entered(check):  # it names the row itself
            return text("precheck.first_cause.entered", language, sentence=said)
        return text("precheck.first_cause", language, title=title_of(check, language), sentence=said)
    return ""
