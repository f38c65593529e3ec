"""The diagnosis on real dumps: planted faults are named first, innocent pairs accuse nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders.scored_cases import answers, diagnose, introduced

from core.cli.main import main
from core.records.diagnosis import Kind, Proof, Severity
from core.records.result import Origin
from core.store.results import load_cells, load_diagnosis


def test_planted_faults_come_first(cases: Path) -> None:
    found = list(answers(cases, innocent=False))
    assert len(found) >= 18
    assert [answer for answer in found if not answer.right] == []


def test_innocent_pairs_accuse_nobody(cases: Path) -> None:
    found = list(answers(cases, innocent=True))
    assert len(found) >= 18
    assert [answer for answer in found if not answer.right] == []


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
