"""A reference in higher precision, and the golden once more."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli.main import main
from tests.builders.dumps import write_dump
from tests.core.diagnosis.test_causes import RNG, chain


def noisy(size: float):  # type: ignore[no-untyped-def]
    return lambda _where, value: value * (1 + size * RNG.standard_normal(value.shape)).astype(np.float32)


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, str]:
    made = {
        "target": chain(change=noisy(2e-3)),
        "golden": chain(change=noisy(1e-5)),
        "repeat": chain(change=noisy(2e-3)),
        "reference": chain(),
    }
    return {name: str(write_dump(tmp_path / name, calls, tensors=True)) for name, calls in made.items()}


def rows(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    main(["compare", *words, "--json", "--no-cache"])
    said = json.loads(capsys.readouterr().out)["rows"]
    return {f"{row['operator']} {row['slot']}": row for row in said}


def test_each_side_gets_its_distance_to_the_reference(
    runs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows(capsys, runs["target"], runs["golden"], "--reference", runs["reference"])
    metrics = found["Functional.linear.0.forward output.0"]["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["target_to_reference"] == pytest.approx(2e-3, rel=0.2)
    assert metrics["golden_to_reference"] == pytest.approx(1e-5, rel=0.2)


def test_what_the_golden_differs_from_itself_by_is_noise(
    runs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    alone = rows(capsys, runs["target"], runs["golden"])
    excused = rows(capsys, runs["target"], runs["golden"], "--golden-repeat", runs["repeat"])
    name = "Functional.linear.1.forward output.0"
    assert alone[name]["verdict"] == "differs"
    assert excused[name]["verdict"] == "close"
