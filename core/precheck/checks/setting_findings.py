"""What comparing settings finds: one row's result from its settings beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.messages import Message, Parameter
from core.precheck.checks.missing import lacking
from core.precheck.checks.setting_items import Comparison, compare, rows_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.records.precheck import Item, Outcome, Standing


def settings_finding(pair: Pair, check: str, lead: Sequence[str] = ()) -> Finding:
    """Return what comparing all settings of *check* finds.

    Parameters
    ----------
    lead
        Settings without which the row does not pass, however much else is equal.
    """
    return finding_of(pair, compare(pair, rows_of(check)), lead)


def finding_of(pair: Pair, made: Comparison, lead: Sequence[str] = ()) -> Finding:
    """Return what *made* comes to; see :func:`settings_finding`."""
    if made.failing:
        first = made.failing[0]
        facts: dict[str, Parameter] = {
            "count": len(made.failing), "name": first.called, "target": first.target or "—",
            "golden": first.golden or "—",
        }  # fmt: skip
        return Finding(Outcome.FAIL, Message("precheck.settings.differ", facts), made.items)
    if made.open:
        return Finding(Outcome.NOT_DONE, _left_open(made), made.items)
    if not made.agreeing:
        return without_settings(pair, made.items)
    missing = [name for name in lead if name not in made.compared]
    if missing:
        return _without_lead(pair, made, missing[0])
    if made.one_sided is not None:
        return _with_one_sided(made, made.one_sided)
    if made.untouched == made.agreeing:
        return Finding(Outcome.PASS, Message("precheck.settings.defaults"), made.items)
    return Finding(Outcome.PASS, Message("precheck.settings.agree", {"count": made.agreeing}), made.items)


def unless_open(finding: Finding, made: Comparison) -> Finding:
    """Return *finding*, which does not pass while a setting of *made* is said but not known."""
    if finding.result is not Outcome.PASS or not made.open:
        return finding
    return replace(finding, result=Outcome.NOT_DONE, message=_left_open(made))


def _left_open(made: Comparison) -> Message:
    facts: dict[str, Parameter] = {"count": len(made.open), "name": made.open[0].called}
    return Message("precheck.settings.open", facts)


def _without_lead(pair: Pair, made: Comparison, name: str) -> Finding:
    there = [side.configuration.get(name) is not None for side in (pair.target, pair.golden)]
    message = Message(f"precheck.settings.lead.{lacking(*there)}", {"name": name, "count": made.agreeing})
    return Finding(Outcome.NOT_DONE, message, made.items)


def _with_one_sided(made: Comparison, item: Item) -> Finding:
    side = lacking(item.standing is Standing.TARGET_ONLY, item.standing is Standing.GOLDEN_ONLY)
    facts: dict[str, Parameter] = {"name": item.called, "count": made.agreeing}
    message = Message(f"precheck.settings.lead.{side}", facts)
    return Finding(Outcome.NOT_DONE, message, made.items)


def without_settings(pair: Pair, items: Sequence[Item] = ()) -> Finding:
    """Return that nothing could be compared: which side has no settings, or none of these."""
    there = [bool(side.configuration.sources) for side in (pair.target, pair.golden)]
    if all(there):
        return Finding(Outcome.NOT_DONE, Message("precheck.settings.none"), items)
    message = Message(f"precheck.settings.missing.{lacking(*there)}")
    return Finding(Outcome.NOT_DONE, message, items)
