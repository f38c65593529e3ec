"""Pairs of which little or nothing could be compared: that is said first, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.messages import LANGUAGES, render
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis, Kind, Severity
from tests.builders.dumps import call, write_dump

X = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)

Calls = dict[str, Any]


def diagnose(target: Path, golden: Path | str) -> Diagnosis:
    options = CompareOptions(use_cache=False)
    return run_to_end(diagnose_runs(str(target), str(golden), options))[1]


def layers(*apis: str, count: int = 8, first: float = 1.0) -> Calls:
    """Return *count* calls of each of *apis*; the output of the very first is off by the factor *first*."""
    calls, value = {}, X
    for index in range(count):
        for api in apis:
            made = np.tanh(value) * np.float32(1.0 if calls else first)
            calls[f"{api}.{index}.forward"] = call([value], [made])
            value = made
    return calls


def structure(folder: Path, calls: Calls) -> Path:
    """Write a dump as the task ``structure`` does: names and no values."""
    write_dump(folder, dict.fromkeys(calls, call()))
    content = json.loads((folder / "dump.json").read_text("utf-8"))
    (folder / "dump.json").write_text(json.dumps({**content, "task": "structure"}), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("without", "end"), [("tg", ""), ("t", "_target"), ("g", "_golden")], ids=["both", "target", "golden"]
)
def test_a_dump_without_values_is_named_as_the_reason(tmp_path: Path, without: str, end: str) -> None:
    calls = layers("Torch.tanh")
    places = [(structure if side in without else write_dump)(tmp_path / side, calls) for side in "tg"]
    diagnosis = diagnose(*places)
    assert diagnosis.suspects == ()
    remark = diagnosis.nothing_compared
    assert remark is not None
    assert remark is diagnosis.remarks[0]
    assert remark.message.code == f"suspect.nothing_compared_structure{end}"
    for language in LANGUAGES:
        assert "structure" in render(remark.message, language)
        assert "statistics" in render(remark.message, language)


def test_tensors_without_values_are_not_compared_by_their_arguments(tmp_path: Path) -> None:
    calls = {"Functional.softmax.0.forward": call([X, 1], [X])}
    for side in "tg":
        write_dump(tmp_path / side, calls, statistics=False)
    remark = diagnose(tmp_path / "t", tmp_path / "g").nothing_compared
    assert remark is not None
    assert remark.message.code == "suspect.nothing_compared_structure"


def test_nothing_compared_for_want_of_partners(tmp_path: Path) -> None:
    write_dump(tmp_path / "t", layers("Torch.tanh"))
    write_dump(tmp_path / "g", layers("Module.block.Linear"))
    remark = diagnose(tmp_path / "t", tmp_path / "g").nothing_compared
    assert remark is not None
    assert remark.message.code == "suspect.nothing_compared_partner"


def test_two_models_are_told_before_any_suspect(tmp_path: Path) -> None:
    shared = {"Functional.linear.0.forward": call([X], [X * 2])}
    other = {"Functional.linear.0.forward": call([X], [X * 3])}
    write_dump(tmp_path / "t", {**other, **layers("Functional.conv2d", "Functional.relu")})
    write_dump(tmp_path / "g", {**shared, **layers("Functional.embedding", "Torch.bmm")})
    first, *others = diagnose(tmp_path / "t", tmp_path / "g").suspects
    assert (first.kind, first.severity, first.operator) == (Kind.STRUCTURE, Severity.ERROR, None)
    assert first.evidence == {"matched": 1, "total": 17}
    assert "hardly the same model" in render(first.message, "en")
    assert "only 1 (6 %)" in render(first.message, "en")
    assert [item.operator for item in others] == ["Functional.linear.0.forward"]


@pytest.mark.parametrize("kept", [1, 4, 16])
def test_a_part_of_the_calls_is_the_same_model(tmp_path: Path, kept: int) -> None:
    calls = layers("Torch.tanh", "Functional.relu")
    write_dump(tmp_path / "t", layers("Torch.tanh", "Functional.relu", first=1.5))
    write_dump(tmp_path / "g", dict(list(calls.items())[:kept]))
    diagnosis = diagnose(tmp_path / "t", tmp_path / "g")
    assert diagnosis.nothing_compared is None
    assert [item.operator for item in diagnosis.suspects] == ["Torch.tanh.0.forward"]


def test_a_single_run_is_no_pair(tmp_path: Path) -> None:
    write_dump(tmp_path / "t", layers("Torch.tanh"))
    diagnosis = diagnose(tmp_path / "t", "")
    assert diagnosis == Diagnosis(())
