"""What the pre-check says, quoted before any operator: most precision bugs are another configuration."""

from __future__ import annotations

from dataclasses import replace

from core.messages import Message
from core.precheck.telling import sentence_of
from core.records.diagnosis import Diagnosis
from core.records.precheck import PrecheckReport


def quotes_of(report: PrecheckReport) -> tuple[Message, ...]:
    """Return the sentences of the fails of *report*, the most frequent cause of misalignment first."""
    return tuple(sentence_of(check) for check in report.failures)


def quote(diagnosis: Diagnosis, report: PrecheckReport) -> Diagnosis:
    """Return *diagnosis* with the fails of *report*."""
    return replace(diagnosis, quotes=quotes_of(report))
