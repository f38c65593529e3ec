"""Pre-checks made by hand: a few rows of the list with all that a row can have."""

from __future__ import annotations

from collections.abc import Mapping

from core.errors import Problem
from core.messages import Message
from core.precheck.checklist import CHECKLIST
from core.precheck.engine import row_of
from core.precheck.finding import Finding, not_done
from core.records.evidence import Place
from core.records.precheck import Entry, EvidenceSummary, Item, Outcome, PrecheckReport, Standing

HOSTILE = '=HYPERLINK("x")</td><script>alert(1)</script>|`\u202e\x1b[31m'
"""A value that would be a formula, a tag, the end of a cell, and steer a terminal."""
FOUND = {
    "hyper_parameters.learning_rate": Finding(
        Outcome.FAIL,
        Message("precheck.manual"),
        (
            Item("beta1", "0.9", "0.9", Standing.EQUAL),
            Item(
                "learning_rate",
                "0.002",
                HOSTILE,
                Standing.DIFFERS,
                Place("npu/train.sh", 2),
                Place("gpu.zip", 7, "env.json"),
                Message("precheck.manual"),
            ),
        ),
        (Message("progress.evidence", {"path": "nan"}),),
    ),
    "dataset.order": Finding(
        Outcome.FAIL,
        Message("precheck.manual"),
        [Item(f"file{n}", "1", "2", Standing.DIFFERS) for n in range(20)],
    ),
    "versions.packages": Finding(
        Outcome.PASS, Message("precheck.manual"), (Item("torch", "2.1", "2.1", Standing.EQUAL),)
    ),
}
EVIDENCE = (
    EvidenceSummary("npu/train.sh", ("script",), "npu/train.sh", False, (), "ab" * 32, 120),
    EvidenceSummary(
        "npu/broken.yaml", (), "npu", True, (Problem("evidence_lost", "npu/broken.yaml", {"detail": "gone"}),)
    ),
)


def report_of(
    found: Mapping[str, Finding] = FOUND, entries: Mapping[str, Entry] | None = None
) -> PrecheckReport:
    """Return the whole list with *found*, and nothing done of the other rows."""
    nothing = not_done(Message("precheck.manual"))
    rows = [
        row_of(kind, found.get(kind.id, nothing), (entries or {}).get(kind.id, Entry())) for kind in CHECKLIST
    ]
    return PrecheckReport(
        tuple(rows), EVIDENCE, EVIDENCE[:1], (Problem("evidence_lost", "x", {"detail": "y"}),)
    )
