"""Pairs whose right answer is known, and whether the diagnosis gives it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis
from core.records.result import CellResult, Origin

EVIDENCES = ("tensor_mix", "tensor_L1", "statistics_mix", "statistics_L1", "md5_mix", "tensor")


@dataclass(frozen=True)
class Answered:
    """A pair with evidence of one kind, and what the diagnosis said of it."""

    case: str
    evidence: str
    innocent: bool
    right: bool
    said: str
    """The call that was named first, empty for none."""


def diagnose(target: Path, golden: Path) -> tuple[Diagnosis, list[CellResult]]:
    """Return the diagnosis of two runs, and the compared cells."""
    cells: list[CellResult] = []
    work = diagnose_runs(str(target), str(golden), CompareOptions(use_cache=False), take=cells.append)
    _, diagnosis = run_to_end(work)
    return diagnosis, cells


def introduced(cells: list[CellResult]) -> int:
    """Return how many rows are called introduced."""
    return sum(int((cell.rows.origin == Origin.INTRODUCED).sum()) for cell in cells)


def expected(cases: Path) -> list[dict[str, Any]]:
    """Return the right answers, from ``expected.json`` in *cases*."""
    found: list[dict[str, Any]] = json.loads((cases / "expected.json").read_text("utf-8"))
    return found


def answers(cases: Path, innocent: bool) -> Iterator[Answered]:
    """Diagnose all innocent pairs under *cases*, or all with a planted fault that can be told."""
    for case in expected(cases):
        for evidence in EVIDENCES:
            pair = _folders(cases, case, evidence)
            if pair is None or bool(case.get("no_error")) != innocent:
                continue
            if innocent or case["decidable"].get(evidence):
                yield _answer(case, evidence, *pair)


def _answer(case: dict[str, Any], evidence: str, target: Path, golden: Path) -> Answered:
    diagnosis, cells = diagnose(target, golden)
    first = diagnosis.first
    named = {first.operator, first.golden_operator} if first else set()
    if case.get("no_error"):
        right = not diagnosis.suspects and not introduced(cells)
    else:
        right = bool(named & set(case["first"]))
        right &= first is None or case.get("rank", first.cell.rank) == first.cell.rank
    said = (first.operator or first.golden_operator or "") if first else ""
    return Answered(case["id"], evidence, bool(case.get("no_error")), right, said)


def _folders(cases: Path, case: dict[str, Any], evidence: str) -> tuple[Path, Path] | None:
    target, golden = cases / case["target"], cases / case["golden"]
    if evidence == "tensor":
        return (target, golden) if case["id"].startswith("legacy") else None
    pair = target / evidence, golden / evidence
    return pair if all(folder.is_dir() for folder in pair) else None
