"""Pre-checks that nobody made: the whole list, with a few rows that fail, pass or hold much."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.errors import Problem
from core.messages import Message
from core.precheck.checklist import CHECKLIST
from core.precheck.entering import with_entry
from core.progress import Progress, Work
from core.records.evidence import Place
from core.records.precheck import (
    Check,
    Entry,
    EvidenceSummary,
    Item,
    Outcome,
    PrecheckReport,
    PrecheckTable,
    Standing,
)
from core.store.prechecks import load_table
from gui.precheck.work import Answer, Asked, joined

TARGET, GOLDEN = "/data/npu/train_npu.sh", "/data/gpu/train_gpu.sh"
RATE, BATCH, PACKAGES = "hyper_parameters.learning_rate", "hyper_parameters.batch", "versions.packages"


def item(name: str, target: str, golden: str, standing: Standing = Standing.DIFFERS, line: int = 12) -> Item:
    """Return one compared thing with its places."""
    places = (
        Place(TARGET, line) if standing is not Standing.GOLDEN_ONLY else None,
        Place(GOLDEN, line + 3) if standing is not Standing.TARGET_ONLY else None,
    )
    return Item(name, target, golden, standing, *places)


ITEMS: Mapping[str, Sequence[Item]] = {
    RATE: (
        item("learning_rate", "0.002", "0.001"),
        item("min_learning_rate", "1e-06", "1e-06", Standing.EQUAL, 13),
        item("weight_decay", "0.1", "0.1", Standing.EQUAL, 14),
    ),
    BATCH: (
        item("global_batch", "64", "32", line=20),
        item("accumulation", "", "2", Standing.GOLDEN_ONLY, 21),
    ),
    PACKAGES: (
        item("torch", "2.1.0+cpu", "2.1.0+cu121", Standing.REMARK, 3),
        item("numpy", "1.26.4", "1.26.4", Standing.EQUAL, 4),
    ),
}
RESULTS = {RATE: Outcome.FAIL, BATCH: Outcome.FAIL, PACKAGES: Outcome.PASS}


def report(entries: Mapping[str, Entry] | None = None, **results: Outcome) -> PrecheckReport:
    """Return the whole list; *results* by ids with ``__`` for the dot, beside those that stand here."""
    told = {**RESULTS, **{name.replace("__", "."): result for name, result in results.items()}}
    checks = [
        Check(
            kind.id, kind.group, found, Message("precheck.manual"), found, kind.rank,
            tuple(ITEMS.get(kind.id, ())),
        )
        for kind in CHECKLIST
        for found in (told.get(kind.id, Outcome.NOT_DONE),)
    ]  # fmt: skip
    made = tuple(with_entry(check, (entries or {}).get(check.id, Entry())) for check in checks)
    return PrecheckReport(made, *evidence())


def evidence() -> tuple[tuple[EvidenceSummary, ...], tuple[EvidenceSummary, ...]]:
    """Return what the two sides brought: a script each, and on one side what cannot be read."""
    lost = (Problem("not_readable", "/data/npu/env.txt", {"reason": "Permission denied"}),)
    target = (
        EvidenceSummary(TARGET, ("script", "environment"), TARGET, False),
        EvidenceSummary("/data/npu/env.txt", (), "/data/npu/env.txt", False, lost),
        EvidenceSummary("/data/npu/dump", ("dump",), "/data/result.h5", True),
    )
    return target, (EvidenceSummary(GOLDEN, ("script",), GOLDEN, False),)


def answers(asked: Asked) -> Work[Answer]:
    """Answer at once that a rate differs; a path is a script, or nothing if it says ``bad``."""
    yield Progress(1, 2, Message("progress.precheck"))
    sides = [
        tuple(
            EvidenceSummary(
                given.path, () if "bad" in given.path else (given.kind or "script",), given.path, False
            )
            for given in side
        )
        for side in (asked.target, asked.golden)
    ]
    both = replace(report(asked.entries), target_evidence=sides[0], golden_evidence=sides[1])
    kept = load_table(*asked.kept_for) if asked.kept_for is not None else PrecheckTable()
    target, golden = joined(kept.target, asked.target), joined(kept.golden, asked.golden)
    return Answer(target, golden, {**kept.entries, **asked.entries}, both)


def never(_asked: Asked) -> Work[Answer]:
    """Begin, and answer in an hour."""
    yield Progress(0, 9, Message("progress.precheck"))
    time.sleep(3600)
    return Answer((), (), {}, report())


def breaks(_asked: Asked) -> Work[Answer]:
    """Fail as only a bug does."""
    yield Progress(0, 9, Message("progress.precheck"))
    raise RuntimeError("nobody expected this")
