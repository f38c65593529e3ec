"""The diagnosis on real dumps: planted faults are named first, innocent pairs accuse nobody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli.main import main
from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis, Kind, Proof, Severity
from core.records.result import CellResult, Origin
from core.store.results import load_cells, load_diagnosis

EVIDENCES = ("tensor_mix", "tensor_L1", "statistics_mix", "statistics_L1", "md5_mix", "tensor")


def diagnose(target: Path, golden: Path) -> tuple[Diagnosis, list[CellResult]]:
    cells: list[CellResult] = []
    work = diagnose_runs(str(target), str(golden), CompareOptions(use_cache=False), take=cells.append)
    _, diagnosis = run_to_end(work)
    return diagnosis, cells


def introduced(cells: list[CellResult]) -> int:
    return sum(int((cell.rows.origin == Origin.INTRODUCED).sum()) for cell in cells)


def folders(cases: Path, case: dict[str, Any], evidence: str) -> tuple[Path, Path] | None:
    target, golden = cases / case["target"], cases / case["golden"]
    if evidence == "tensor":
        return (target, golden) if case["id"].startswith("legacy") else None
    pair = target / evidence, golden / evidence
    return pair if all(folder.is_dir() for folder in pair) else None


def expected(cases: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((cases / "expected.json").read_text())
    return found


def test_planted_faults_come_first(cases: Path) -> None:
    wrong, asked = [], 0
    for case in expected(cases):
        for evidence in EVIDENCES:
            pair = folders(cases, case, evidence)
            if case.get("no_error") or pair is None or not case["decidable"].get(evidence):
                continue
            asked += 1
            first = diagnose(*pair)[0].first
            named = (first.operator, first.golden_operator) if first else ()
            if not set(named) & set(case["first"]) or (
                first and case.get("rank", first.cell.rank) != first.cell.rank
            ):
                wrong.append((case["id"], evidence, first))
    assert asked >= 18
    assert wrong == []


def test_innocent_pairs_accuse_nobody(cases: Path) -> None:
    wrong, asked = [], 0
    for case in expected(cases):
        for evidence in EVIDENCES:
            pair = folders(cases, case, evidence)
            if not case.get("no_error") or pair is None:
                continue
            asked += 1
            diagnosis, cells = diagnose(*pair)
            if diagnosis.suspects or introduced(cells):
                wrong.append((case["id"], evidence, diagnosis.first))
    assert asked >= 18
    assert wrong == []


def test_the_demo_names_its_broken_kernel_with_the_strongest_proof(demo_pair: tuple[Path, Path]) -> None:
    diagnosis, cells = diagnose(*demo_pair)
    first = diagnosis.first
    assert first is not None
    assert (first.operator, first.slot, first.cell.step) == ("Functional.gelu.1.forward", "output.0", 0)
    assert (first.kind, first.severity, first.proof) == (Kind.NUMERIC, Severity.ERROR, Proof.LOCAL_ERROR)
    row = cells[0].rows.take([first.row])
    assert row.origin.tolist() == [Origin.INTRODUCED]


def test_the_result_file_holds_the_diagnosis(demo_pair: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    assert main(["compare", *map(str, demo_pair), "-o", str(path), "--quiet", "--no-cache"]) == 1
    kept = load_diagnosis(path)
    made, cells = diagnose(*demo_pair)
    assert kept == made
    assert introduced(list(load_cells(path))) == introduced(cells)


def test_the_command_line(demo_pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", *map(str, demo_pair), "--json", "--no-cache"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["suspects"][0]["operator"] == "Functional.gelu.1.forward"
    fields = {"operator", "golden_operator", "slot", "step", "rank"}
    fields |= {"kind", "severity", "proof", "sentence", "evidence"}
    assert set(said["suspects"][0]) >= fields
    assert "gelu.1" in said["suspects"][0]["sentence"]
    assert main(["diagnose", str(demo_pair[1]), str(demo_pair[1]), "--no-cache"]) == 0
    assert "No call introduces" in capsys.readouterr().out


def test_swapping_the_sides_names_the_same_call(demo_pair: tuple[Path, Path]) -> None:
    diagnosis, _ = diagnose(demo_pair[1], demo_pair[0])
    assert diagnosis.first is not None
    assert diagnosis.first.operator == "Functional.gelu.1.forward"
    assert diagnosis.first.message.code == "suspect.local_error_golden"
