"""A pre-check as plain values for JSON; scripts rely on the fields of docs/command-line.md."""

from __future__ import annotations

from typing import Any

from core.records.evidence import Place
from core.records.precheck import Check, EvidenceSummary, Item
from core.report.precheck.sheet import Sheet


def as_document(sheet: Sheet) -> dict[str, Any]:
    """Return all that *sheet* says."""
    report = sheet.report
    return {
        "checks": [_check(sheet, check) for check in report.checks],
        "counts": {str(outcome): count for outcome, count in report.counts.items()},
        "sentence": sheet.headline,
        "problems": sheet.problems(),
        "target_evidence": [_evidence(sheet, summary) for summary in report.target_evidence],
        "golden_evidence": [_evidence(sheet, summary) for summary in report.golden_evidence],
        "signature": None if sheet.signature is None else vars(sheet.signature),
    }


def _check(sheet: Sheet, check: Check) -> dict[str, Any]:
    entry = check.entry
    return {
        "id": check.id,
        "group": str(check.group),
        "result": str(check.result),
        "sentence": sheet.row_sentence(check),
        "title": sheet.row_title(check),
        "found": str(check.found),
        "rank": check.rank,
        "items": [_item(sheet, item) for item in check.items],
        "left_off": check.left_off,
        "remarks": [sheet.say(remark) for remark in check.remarks],
        "effect": sheet.said(check.effect) or None,
        "remedy": sheet.said(check.remedy) or None,
        "target_files": list(check.target_files),
        "golden_files": list(check.golden_files),
        "entry": {
            "result": None if entry.result is None else str(entry.result),
            "remark": entry.remark,
            "evidence": entry.evidence,
            "name": entry.name,
            "date": entry.date,
        },
    }


def _item(sheet: Sheet, item: Item) -> dict[str, Any]:
    return {
        "name": item.name,
        "called": item.called,
        "target": item.target,
        "golden": item.golden,
        "standing": str(item.standing),
        "target_place": _place(item.target_place),
        "golden_place": _place(item.golden_place),
        "remark": sheet.said(item.remark) or None,
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else place._asdict()


def _evidence(sheet: Sheet, summary: EvidenceSummary) -> dict[str, Any]:
    return {
        "path": summary.path,
        "kinds": list(summary.kinds),
        "given": summary.given,
        "found": summary.found,
        "sha256": summary.digest or None,
        "size": summary.size if summary.size >= 0 else None,
        "problems": [problem.sentence(sheet.language) for problem in summary.problems],
    }
