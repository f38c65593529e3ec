"""What a person enters for a check, and what that makes of its row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.messages import Message
from core.records.precheck import Check, Entry, Outcome, PrecheckReport


def with_entry(check: Check, entry: Entry) -> Check:
    """Return *check* with *entry*, whose result counts instead of what was found.

    What a fail does and what to do stay told where one was found, whatever is entered.
    """
    result = check.found if entry.result is None else entry.result
    group, _, name = check.id.partition(".")
    effect = remedy = None
    if Outcome.FAIL in (result, check.found):
        effect = Message(f"precheck.effect.{group}.{name}")
        remedy = Message(f"precheck.remedy.{group}.{name}")
    if result is Outcome.NOT_DONE:
        remedy = Message(f"precheck.bring.{group}.{name}")
    return replace(check, result=result, effect=effect, remedy=remedy, entry=entry)


def with_entries(report: PrecheckReport, entries: Mapping[str, Entry]) -> PrecheckReport:
    """Return *report* with *entries* by the checks' ids, and no others."""
    checks = tuple(with_entry(check, entries.get(check.id, Entry())) for check in report.checks)
    return replace(report, checks=checks)
